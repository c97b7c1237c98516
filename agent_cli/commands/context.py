"""`/compress` and `/context`: compaction at will, and what fills the window (G1, G2, G3)."""

from typing import get_args

from agent_cli.commands.registry import Command, Emit, Reply, misused
from agent_cli.context.report import as_dict, as_text
from agent_cli.core.entries import Compaction
from agent_cli.core.events import Compacted
from agent_cli.session.opened import Opened
from agent_cli.settings.schema import ContextMode

MODES: tuple[ContextMode, ...] = get_args(ContextMode)
USAGE = "/context [info|mode [phase1|phase2|none|default]]"
WORDS = ("info", "mode", *(f"mode {mode}" for mode in (*MODES, "default")))


async def compress(opened: Opened, focus: str, emit: Emit) -> Reply:
    """Compacts the conversation now; `focus` says what the summary should dwell on (G3: works in every mode)."""
    done: Compaction | None = None
    async for event in opened.session.compress(focus):
        if isinstance(event, Compacted):
            done = event.entry
        emit(event)
    if done is None:
        return Reply("Nothing to compact yet.")
    text = (
        f"Compacted: {done.messages_before} → {done.messages_after} messages, "
        f"{done.tokens_before:,} → {done.tokens_after:,} tokens."
    )
    return Reply(text, data={"tokens_before": done.tokens_before, "tokens_after": done.tokens_after})


async def context(opened: Opened, args: str, emit: Emit) -> Reply:
    """Shows what fills the window, or shows and switches the mode."""
    match args.lower().split():
        case [] | ["info"]:
            info = opened.session.engine.info()
            return Reply(as_text(info), data=as_dict(info))
        case ["mode"]:
            return Reply(_mode_line(opened))
        case ["mode", "default"]:
            opened.session.engine.switch(None)
            return Reply(_mode_line(opened))
        case ["mode", wanted] if wanted in MODES:
            opened.session.engine.switch(wanted)
            return Reply(_mode_line(opened))
        case _:
            return misused(USAGE, args, WORDS)


def _mode_line(opened: Opened) -> str:
    engine = opened.session.engine
    line = f"Context mode: {engine.mode}"
    if engine.override is not None:
        line += f" (set for this run; the default is {engine.default_mode})"
    if engine.mode == "phase2":
        line += "\nphase2 is not there yet; phase1 is used in its place."
    return line


COMMANDS = (
    Command(
        ("compress", "compact"), "/compress [focus]", "replace older messages by a summary now", compress
    ),
    Command(
        ("context",),
        USAGE,
        "what fills the window; show or switch the context mode",
        context,
        while_busy=True,
        complete=lambda _: WORDS,
    ),
)
