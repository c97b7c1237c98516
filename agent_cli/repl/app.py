"""The interactive front end: draws the prompt, then opens the session behind it."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Mapping
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
from agent_cli.repl.screen import Screen
from agent_cli.repl.toolbar import Status
from agent_cli.settings.places import places
from agent_cli.transcript.folder import slug

CLOSE_SECONDS = 0.8
"""How long the end waits for children, connections and the disk: a terminal that is gone waits for nobody (C50)."""
_ENDING = {signal.SIGHUP: 129, signal.SIGTERM: 143}
_HUNG_UP = 129


class Repl:
    """Everything of one run."""

    def __init__(self, open_: Open, registry: Registry, cwd: Path, env: Mapping[str, str]) -> None:
        self.status = Status()
        history = ProjectHistory(places(env).state / "history" / f"{slug(cwd)}.jsonl")
        suggest = Suggest(registry, ProjectFiles(cwd), lambda: self.status.opened)
        self.compose = Compose(ThreadedCompleter(suggest), ThreadedHistory(history))
        self.screen = Screen(self.compose, self.status.fragments, colour=not env.get("NO_COLOR"))
        self.conversation = Conversation(self.screen, self.status, registry, open_, Approve(self.screen))
        actions = Actions(self.screen, self.compose, self.status, self.conversation)
        self.screen.app.key_bindings = bindings(actions, self.compose)
        self.error: BaseException | None = None
        banner.started(self.screen, cwd)

    async def run(self, prompt: str) -> int:
        """Runs until the user leaves or the terminal is gone; returns the exit code."""
        loop = asyncio.get_running_loop()
        for number, code in _ENDING.items():
            loop.add_signal_handler(number, self.screen.leave, code)
        loop.set_exception_handler(self._failed)
        self.screen.output.on_lost = lambda: self.screen.leave(_HUNG_UP)
        first = Draft(prompt, prompt) if prompt.strip() else None
        started: list[asyncio.Task[None]] = []

        def begin() -> None:
            task = loop.create_task(self.conversation.run(first))
            task.add_done_callback(self._ended)
            started.append(task)

        try:
            code = await self.screen.app.run_async(
                pre_run=begin, set_exception_handler=False, handle_sigint=True
            )
        except EOFError:
            code = _HUNG_UP
        finally:
            self.screen.output.close()
            for task in started:
                task.cancel()
            await self._close()
        return code

    async def _close(self) -> None:
        try:
            await asyncio.wait_for(self.conversation.aclose(), CLOSE_SECONDS)
        except TimeoutError:
            logging.getLogger("agent_cli").warning("closing took too long and was given up")

    def _ended(self, task: asyncio.Task[None]) -> None:
        """The conversation only ends by itself when its session cannot be opened."""
        if not task.cancelled() and task.exception() is not None:
            self.error = task.exception()
            self.screen.leave(1)

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """The named border: what nobody handled ends the program with one line, not with a traceback."""
        error = context.get("exception")
        logging.getLogger("agent_cli").error("%s", context.get("message"), exc_info=error)
        if error is not None and self.error is None:
            self.error = error
            self.screen.leave(1)


def run(open_: Open, registry: Registry, *, cwd: Path, prompt: str) -> int:
    """Runs the front end on this process's terminal; returns the exit code. Raises AgentError: the session cannot be
    opened."""
    env = os.environ
    code, farewell, error = asyncio.run(_run(open_, registry, cwd, prompt, env))
    if isinstance(error, AgentError):
        raise error
    if error is not None:
        sys.stderr.write(f"agent: internal error: {type(error).__name__}: {error}\n")
    if code == 0:
        sys.stdout.write(farewell)
    return code


async def _run(
    open_: Open, registry: Registry, cwd: Path, prompt: str, env: Mapping[str, str]
) -> tuple[int, str, BaseException | None]:
    repl = Repl(open_, registry, cwd, env)
    code = await repl.run(prompt)
    return code, banner.farewell(repl.status.opened), repl.error
