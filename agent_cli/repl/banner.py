"""What stands at the beginning and at the end of a session."""

from pathlib import Path

from rich.text import Text

from agent_cli import __version__
from agent_cli.core.events import Notice
from agent_cli.core.messages import Message
from agent_cli.render import events
from agent_cli.render.text import clean, one_line
from agent_cli.repl.surface import Surface
from agent_cli.session.opened import Opened

RECALLED = 4
RECALLED_LINES = 4


def started(screen: Surface, cwd: Path) -> None:
    """Who this is and where; stands before the session is open."""
    where = str(cwd)
    home = str(Path.home())
    shown = f"~{where[len(home) :]}" if where == home or where.startswith(f"{home}/") else where
    line = Text.assemble(("agent", "bold"), (f" {__version__}", "dim"), f"  {one_line(shown)}")
    screen.print(line, "banner")


def entered(screen: Surface, opened: Opened) -> None:
    """Which model and modes a session has, what it tells the user, and its last messages if it has any."""
    engine = opened.session.engine
    facts = f"{one_line(engine.provider.model.id)} · context {engine.mode} · permissions {opened.permissions.mode} · /help for help"
    screen.print(Text(facts, "dim"), "banner")
    for notice in opened.notices:
        screen.print(events.notice(Notice(notice, "warning")), "notice")
    spoken = [
        m
        for m in opened.session.ledger.view.messages
        if m.text.strip() and (m.typed or m.role == "assistant")
    ]
    for message in spoken[-RECALLED:]:
        screen.print(_recalled(message))


def _recalled(message: Message) -> Text:
    lines = clean(message.text).strip().split("\n")
    if len(lines) > RECALLED_LINES:
        lines = [*lines[:RECALLED_LINES], "…"]
    mark = "› " if message.typed else "  "
    return Text("\n".join([f"{mark}{lines[0]}", *(f"  {line}" for line in lines[1:])]), style="dim")


def farewell(opened: Opened | None) -> str:
    """How to go on later; empty when nothing was said or nothing is kept."""
    if opened is None or not opened.session.ledger.store.path or not opened.session.ledger.view.messages:
        return ""
    return f"To go on with this session: agent -r {opened.session.id}\n"
