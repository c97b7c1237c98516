"""Runs one prompt without a person: events to the output, the outcome to an exit code."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from agent_cli.commands.registry import Command, Registry, UnknownCommand
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
    with _interruptible(opened.session):
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
    outcome: Outcome = "error" if reply.error else "ok"
    return TurnFinished(
        outcome, "" if reply.error else reply.text, 0, error=reply.text if reply.error else ""
    )


@contextmanager
def _interruptible(session: Session) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, session.interrupt)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
