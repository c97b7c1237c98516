"""Runs one prompt without a person: events to the output, the outcome to an exit code."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import assert_never

from agent_cli.commands.registry import (
    Action,
    Command,
    NewSession,
    OpenSession,
    Pick,
    Quit,
    Registry,
    UnknownCommand,
    UseModel,
)
from agent_cli.core.errors import InputError, UsageError
from agent_cli.core.events import AgentEvent, Outcome, TurnFinished
from agent_cli.core.tools import Answer, Question
from agent_cli.headless.output import Output
from agent_cli.session.opened import Opened
from agent_cli.session.session import Session

OK, ERROR, USAGE, INPUT, LIMIT, INTERRUPTED = 0, 1, 2, 42, 53, 130
_CODES: dict[Outcome, int] = {
    "ok": OK,
    "error": ERROR,
    "max_turns": LIMIT,
    "budget": LIMIT,
    "interrupted": INTERRUPTED,
}
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
NOBODY = "Nobody is there to ask (headless). Allow it with --allowed-tools or --permission-mode."


class Absent:
    """The approver when nobody can be asked: every question is a no that says how to allow the call."""

    async def approve(self, question: Question) -> Answer:
        """Denies."""
        return Answer("no", f"{question.reason} {NOBODY}".strip())


async def run(opened: Opened, registry: Registry, prompt: str, output: Output) -> int:
    """Runs the prompt, or the slash command it is, and returns the exit code."""
    try:
        found = registry.find(prompt)
    except UnknownCommand as error:
        raise UsageError(f"{error} To send the text as it is, begin it with a space.") from error
    end = await (_command(opened, *found, output) if found else _turn(opened.session, prompt, output))
    output.finish(end)
    return exit_code(end)


def exit_code(end: TurnFinished) -> int:
    """The exit code of an outcome; an empty answer is an error (design, section 1)."""
    if end.outcome == "ok" and not end.answer.strip():
        return ERROR
    return _CODES[end.outcome]


def error_code(error: Exception) -> int:
    """The exit code of an error that kept the run from starting."""
    match error:
        case UsageError():
            return USAGE
        case InputError():
            return INPUT
        case _:
            return ERROR


async def _turn(session: Session, prompt: str, output: Output) -> TurnFinished:
    end = TurnFinished("interrupted", "", 0, error="Interrupted.")
    async for event in session.send(prompt):
        if isinstance(event, TurnFinished):
            end = event
        output.event(event)
    return end


async def _command(opened: Opened, command: Command, args: str, output: Output) -> TurnFinished:
    def emit(event: AgentEvent) -> None:
        output.event(event)

    reply = await command.run(opened, args, emit)
    if reply.action is not None:
        return TurnFinished("error", "", 0, error=instead(reply.action))
    if reply.error:
        return TurnFinished("error", "", 0, error=reply.text)
    return TurnFinished("ok", reply.text, 0)


def instead(action: Action) -> str:
    """What to type for an action that only a screen can carry out."""
    match action:
        case Quit():
            return "There is nothing to leave: a run with -p ends by itself."
        case NewSession():
            return "A run with -p begins a new session by itself: leave -c and -r out."
        case OpenSession() | UseModel():
            return f"A run with -p stays with its session and model. Use: agent {_flags(action)} -p ..."
        case Pick(title, choices, then):
            listed = "\n".join(f"  {_flags(then(value)):<20}  {label}" for value, label in choices)
            return f"{title} Choose by a flag, with -p:\n{listed}"
        case _:
            assert_never(action)


def _flags(action: Action) -> str:
    match action:
        case OpenSession(session, fork):
            return f"-r {session}" + (" --fork-session" if fork else "")
        case UseModel(name):
            return f"-m {name}"
        case Quit() | NewSession() | Pick():
            return instead(action)
        case _:
            assert_never(action)


class Signals:
    """What SIGINT, SIGTERM and SIGHUP stop: opening the session, then its turn; once that is over they change
    nothing, because the result is told."""

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop

    def aim(self, stop: Callable[[], object]) -> None:
        """From now on a signal calls this."""
        self._stop = stop

    def arrived(self) -> None:
        """A signal came."""
        self._stop()


@contextmanager
def interruptible() -> Iterator[Signals]:
    """Catches the signals; they cancel the current task until aimed at something else. Behind it they are ignored:
    the process is about to exit, and another one must change neither its result nor its exit code."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    signals = Signals(task.cancel)
    # Not by the loop's own handlers: the loop gives the signals back to the system when it closes.
    for number in _SIGNALS:
        signal.signal(number, lambda *_: loop.call_soon_threadsafe(signals.arrived))
    try:
        yield signals
    finally:
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
