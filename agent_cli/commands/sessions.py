"""`/clear`, `/resume` and `/quit`: leaving the session that is open."""

import asyncio

from agent_cli.commands.registry import (
    Action,
    Command,
    Emit,
    NewSession,
    OpenSession,
    Pick,
    Quit,
    Reply,
    misused,
)
from agent_cli.core.errors import InputError
from agent_cli.render.text import one_line
from agent_cli.session.opened import Opened
from agent_cli.transcript import index
from agent_cli.transcript.reader import session_of

RESUME = "/resume [ID [fork]]"
LABEL_CHARS = 70


async def clear(opened: Opened, args: str, emit: Emit) -> Reply:
    """Starts a new session; the one that is left stays on disk."""
    ledger = opened.session.ledger
    written = ledger.store.path and ledger.view.messages
    kept = f" The last one is kept: /resume {opened.session.id}" if written else ""
    return Reply(f"New session.{kept}", action=NewSession())


async def resume(opened: Opened, args: str, emit: Emit) -> Reply:
    """Goes on with a session of this project: the one named, or one to be chosen."""
    match args.split():
        case []:
            return await asyncio.to_thread(_choice, opened)
        case [wanted]:
            return _open(opened, wanted, fork=False)
        case [wanted, "fork"]:
            return _open(opened, wanted, fork=True)
        case _:
            return misused(RESUME, args.split()[1], ["fork"])


async def leave(opened: Opened, args: str, emit: Emit) -> Reply:
    """Ends the program."""
    return Reply("Bye.", action=Quit())


def _choice(opened: Opened) -> Reply:
    found = index.sessions(opened.place.folder.path)
    others = [summary for summary in found if summary.id != opened.session.id]
    if not others:
        return Reply("There is no other session in this project.")
    return Reply("", action=Pick("Go on with which session?", tuple(map(_labelled, others)), _opening))


def _labelled(summary: index.Summary) -> tuple[str, str]:
    said = one_line(summary.first_text)
    said = said if len(said) <= LABEL_CHARS else f"{said[: LABEL_CHARS - 1]}…"
    return summary.id, f"{summary.changed:%Y-%m-%d %H:%M}  {said or '(nothing said)'}"


def _opening(session: str) -> Action:
    return OpenSession(session)


def _open(opened: Opened, wanted: str, *, fork: bool) -> Reply:
    try:
        session = session_of(index.find(opened.place.folder.path, wanted))
    except InputError as error:
        return Reply(str(error), error=True)
    if session == opened.session.id and not fork:
        return Reply(f"The session {session} is open already.")
    how = "a copy of " if fork else ""
    return Reply(f"Going on with {how}session {session}.", action=OpenSession(session, fork))


COMMANDS = (
    Command(("clear", "new"), "/clear", "start a new session; this one is kept", clear),
    Command(("resume",), RESUME, "go on with another session of this project, or with a copy of it", resume),
    Command(("quit", "exit"), "/quit", "leave", leave),
)
