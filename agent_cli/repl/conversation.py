"""What the user sends, one after another: messages, commands and shell lines, and what commands ask to be done."""

import asyncio
import logging
from collections import deque
from collections.abc import Coroutine
from typing import Any, assert_never

from agent_cli.commands.registry import (
    Action,
    Command,
    NewSession,
    OpenSession,
    Pick,
    Quit,
    Registry,
    Reply,
    UnknownCommand,
    UseModel,
)
from agent_cli.core.errors import AgentError
from agent_cli.core.ports import Approver
from agent_cli.render import events
from agent_cli.repl import banner
from agent_cli.repl.compose import Draft
from agent_cli.repl.menu import Choice
from agent_cli.repl.opening import Open, Wish, ready, warm
from agent_cli.repl.shell import UserShell
from agent_cli.repl.surface import SAID, Surface
from agent_cli.repl.toolbar import Status
from agent_cli.repl.turn import Show
from agent_cli.session.opened import Opened

_log = logging.getLogger("agent_cli")


class Conversation:
    """The queue and the work. One job at a time; commands that may run beside a turn do."""

    def __init__(
        self, screen: Surface, status: Status, registry: Registry, open_: Open, approver: Approver
    ) -> None:
        self._screen = screen
        self._status = status
        self._registry = registry
        self._open = open_
        self._approver = approver
        self._queue: deque[Draft] = deque()
        self._wake = asyncio.Event()
        self._job: asyncio.Task[None] | None = None
        self._beside: set[asyncio.Task[None]] = set()
        self._shell = UserShell(screen)
        self._model: str | None = None
        self._stopped = False
        """Whether the user has stopped the work that is going on."""

    @property
    def opened(self) -> Opened | None:
        """The session, once it is open."""
        return self._status.opened

    @property
    def busy(self) -> bool:
        """Whether something is being done."""
        return self._job is not None

    async def run(self, first: Draft | None) -> None:
        """Opens the session, then works off what is sent, for ever. Raises AgentError: it cannot be opened."""
        if first is not None:
            self._queue.append(first)
        await self._enter(None)
        self._screen.rest()
        while True:
            while not self._queue:
                self._wake.clear()
                await self._wake.wait()
            await self._do(self._queue.popleft())

    def submit(self, draft: Draft) -> None:
        """Takes what the user sends: at once, or after what is going on."""
        found = self._found(draft) if self.opened and self.busy else None
        if found and found[0].while_busy:
            self._start_beside(self._command(*found))
            return
        self._queue.append(draft)
        self._count()
        self._wake.set()

    def take_back(self) -> Draft | None:
        """The message that was queued last, no longer queued."""
        draft = self._queue.pop() if self._queue else None
        self._count()
        return draft

    def interrupt(self) -> list[Draft]:
        """Stops what is going on at once; returns what was queued, no longer queued."""
        opened = self.opened
        if opened is not None and opened.session.busy:
            opened.session.interrupt()
        elif self._job is not None:
            self._job.cancel()
        self._stopped = True
        drafts = list(self._queue)
        self._queue.clear()
        self._count()
        return drafts

    async def aclose(self) -> None:
        """Ends what runs and closes the session. A turn is ended by its session: it is cancelled once, not twice."""
        if self.opened is not None:
            await self.opened.session.aclose()
        for task in (*self._beside, *([self._job] if self._job else [])):
            task.cancel()

    async def _do(self, draft: Draft) -> None:
        self._count()
        self._stopped = False
        self._screen.begin("working")
        self._job = asyncio.get_running_loop().create_task(self._handled(self._handle(draft)))
        await asyncio.wait([self._job])
        self._job = None
        self._screen.rest()

    async def _handled(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except asyncio.CancelledError:
            self._screen.print(events.plain("interrupted", "yellow"), "notice")
        except AgentError as error:
            self._screen.print(events.failure(str(error)))
        except Exception as error:  # noqa: BLE001 - the named border: the top of this front end
            _log.exception("the work on a message failed")
            self._screen.print(events.failure(f"Internal error: {type(error).__name__}: {error}"))

    async def _handle(self, draft: Draft) -> None:
        assert self.opened is not None
        self._screen.print(events.said(draft.shown), SAID)
        if not draft.literal and draft.text.startswith("!"):
            self._screen.begin("running shell")
            await self._shell.run(self.opened, draft.text)
            return
        found = None if draft.literal else self._registry_find(draft.text)
        if found is None:
            await self._turn(draft.text)
        elif isinstance(found, str):
            self._screen.print(events.failure(found))
        else:
            await self._command(*found)

    async def _turn(self, text: str) -> None:
        assert self.opened is not None
        self._shell.join(self.opened)
        self._screen.begin("thinking")
        await Show(self._screen, self._status).all(self.opened.session.send(text))
        self._status.used = self.opened.session.engine.info().total

    async def _command(self, command: Command, args: str) -> None:
        assert self.opened is not None
        show = Show(self._screen, self._status)
        reply = await command.run(self.opened, args, show.event)
        if self._stopped:
            self._screen.print(events.plain("interrupted", "yellow"), "notice")
        elif not (show.compacted and not reply.error):
            self._reply(reply)
        if reply.action is not None:
            await self._act(reply.action)

    def _reply(self, reply: Reply) -> None:
        if reply.error:
            self._screen.print(events.failure(reply.text))
        elif "diff" in reply.data:
            self._screen.print(events.diff(reply.text, 0))
        elif reply.text:
            self._screen.print(events.plain(reply.text))

    async def _act(self, action: Action) -> None:
        match action:
            case Quit():
                self._screen.leave(0)
            case NewSession():
                await self._enter(Wish(model=self._model))
            case OpenSession(session, fork):
                await self._enter(Wish(session, fork, self._model))
            case UseModel(name):
                await self._use_model(name)
            case Pick(title, choices, then):
                picked = await self._screen.choose(title, tuple(Choice(*choice) for choice in choices))
                if picked is not None:
                    await self._act(then(picked))
            case _:
                assert_never(action)

    async def _use_model(self, name: str) -> None:
        if await self._enter(Wish(self._here(), model=name)):
            self._model = name

    def _here(self) -> str:
        """The id of this session if it can be opened again: it is kept and something was said in it."""
        assert self.opened is not None
        ledger = self.opened.session.ledger
        return self.opened.session.id if ledger.store.path and ledger.view.messages else ""

    async def _enter(self, wish: Wish | None) -> bool:
        """Leaves the session that is open, if any, for another one; where that fails it is opened again (False)."""
        left, done = self.opened, True
        if left is None:
            entered = await ready(self._open, wish, self._approver)
        else:
            back = Wish(self._here(), model=left.session.engine.provider.model.id)
            await left.session.aclose()
            self._status.opened = None
            try:
                entered = await ready(self._open, wish, self._approver)
            except AgentError as error:
                self._screen.print(events.failure(str(error)))
                done = False
                entered = await ready(self._open, back, self._approver)
            entered.opened.permissions.mode = left.permissions.mode
        self._status.opened, self._status.used = entered.opened, entered.used
        warm(entered.opened)
        banner.entered(self._screen, entered.opened)
        return done

    def _registry_find(self, text: str) -> tuple[Command, str] | str | None:
        try:
            return self._registry.find(text) if "\n" not in text else None
        except UnknownCommand as error:
            return f"{error} To send the text as it is, begin it with a space."

    def _found(self, draft: Draft) -> tuple[Command, str] | None:
        found = None if draft.literal else self._registry_find(draft.text)
        return None if isinstance(found, str) else found

    def _start_beside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(self._handled(work))
        self._beside.add(task)
        task.add_done_callback(self._beside.discard)

    def _count(self) -> None:
        self._status.queued = len(self._queue) if self.busy or self.opened is None else 0
        self._screen.refresh()
