"""The interactive front end: draws the prompt, then opens the session behind it."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from prompt_toolkit.completion import ThreadedCompleter
from prompt_toolkit.history import ThreadedHistory

from agent_cli.commands.registry import Registry
from agent_cli.core.errors import AgentError
from agent_cli.repl import banner
from agent_cli.repl.actions import Actions
from agent_cli.repl.approve import Approve
from agent_cli.repl.complete import Suggest
from agent_cli.repl.compose import Compose, Draft
from agent_cli.repl.conversation import Conversation
from agent_cli.repl.files import ProjectFiles
from agent_cli.repl.history import ProjectHistory
from agent_cli.repl.keys import bindings
from agent_cli.repl.opening import Open
from agent_cli.repl.plain import PlainScreen
from agent_cli.repl.screen import Screen
from agent_cli.repl.surface import Surface
from agent_cli.repl.toolbar import Status
from agent_cli.settings.places import places
from agent_cli.transcript.folder import slug

CLOSE_SECONDS = 0.8
"""How long the end waits for children, connections and the disk: a terminal that is gone waits for nobody (C50)."""
HUNG_UP = 129
_ENDING = {signal.SIGHUP: HUNG_UP, signal.SIGTERM: 143}
_DUMB = ("", "dumb", "unknown")
_log = logging.getLogger("agent_cli")

Show = Callable[[Conversation, Callable[[], None]], Awaitable[int]]
"""Shows a conversation, begins it once the prompt is there, and returns the exit code when the user leaves."""


def run(open_: Open, registry: Registry, *, cwd: Path, prompt: str) -> int:
    """Runs the front end on this process's terminal; returns the exit code. Raises AgentError: the session cannot be
    opened."""
    return asyncio.run(_run(open_, registry, cwd, prompt, os.environ))


async def _run(open_: Open, registry: Registry, cwd: Path, prompt: str, env: Mapping[str, str]) -> int:
    status = Status()
    dumb = env.get("TERM", "") in _DUMB
    screen, show = _plain() if dumb else _terminal(status, registry, cwd, env)
    banner.started(screen, cwd)
    conversation = Conversation(screen, status, registry, open_, Approve(screen))
    life = _Life(screen, conversation)
    code = await life.live(show, Draft(prompt, prompt) if prompt.strip() else None)
    match life.error:
        case AgentError():
            raise life.error
        case None:
            if code == 0:
                sys.stdout.write(banner.farewell(conversation.opened))
        case error:
            sys.stderr.write(f"agent: internal error: {type(error).__name__}: {error}\n")
    return code


def _terminal(status: Status, registry: Registry, cwd: Path, env: Mapping[str, str]) -> tuple[Surface, Show]:
    history = ProjectHistory(places(env).state / "history" / f"{slug(cwd)}.jsonl")
    suggest = Suggest(registry, ProjectFiles(cwd), lambda: status.opened)
    compose = Compose(ThreadedCompleter(suggest), ThreadedHistory(history))
    screen = Screen(compose, status.fragments, colour=not env.get("NO_COLOR"))

    async def show(conversation: Conversation, begin: Callable[[], None]) -> int:
        screen.app.key_bindings = bindings(Actions(screen, compose, status, conversation), compose)
        screen.output.on_lost = lambda: screen.leave(HUNG_UP)
        try:
            return await screen.app.run_async(pre_run=begin, set_exception_handler=False)
        except EOFError:
            return HUNG_UP
        finally:
            screen.output.close()

    return screen, show


def _plain() -> tuple[Surface, Show]:
    screen = PlainScreen()

    async def show(conversation: Conversation, begin: Callable[[], None]) -> int:
        screen.on_line = lambda line: conversation.submit(Draft(line, line))
        screen.on_interrupt = lambda: conversation.interrupt() if conversation.busy else screen.leave(0)
        screen.listen()
        begin()
        return await screen.code

    return screen, show


class _Life:
    """From the first prompt to the end, whatever brings it."""

    def __init__(self, screen: Surface, conversation: Conversation) -> None:
        self.error: BaseException | None = None
        self._screen = screen
        self._conversation = conversation
        self._work: asyncio.Task[None] | None = None

    async def live(self, show: Show, first: Draft | None) -> int:
        """Returns the exit code."""
        loop = asyncio.get_running_loop()
        for number, code in _ENDING.items():
            loop.add_signal_handler(number, self._screen.leave, code)
        loop.set_exception_handler(self._failed)
        try:
            return await show(self._conversation, lambda: self._begin(first))
        finally:
            await self._close()

    def _begin(self, first: Draft | None) -> None:
        self._work = asyncio.get_running_loop().create_task(self._conversation.run(first))
        self._work.add_done_callback(self._ended)

    async def _close(self) -> None:
        if self._work is not None:
            self._work.cancel()
        try:
            await asyncio.wait_for(self._conversation.aclose(), CLOSE_SECONDS)
        except TimeoutError:
            _log.warning("closing took too long and was given up")

    def _ended(self, task: asyncio.Task[None]) -> None:
        """The conversation only ends by itself when its session cannot be opened."""
        if not task.cancelled() and task.exception() is not None:
            self.error = task.exception()
            self._screen.leave(1)

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """The named border: what nobody handled ends the program with one line, not with a traceback."""
        error = context.get("exception")
        _log.error("%s", context.get("message"), exc_info=error)
        if error is not None and self.error is None:
            self.error = error
            self._screen.leave(1)
