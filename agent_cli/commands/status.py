"""`/cost` and `/status`: what was used, and what is in force."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from agent_cli import __version__
from agent_cli.commands.registry import Command, Emit, Reply
from agent_cli.core.usage import Usage
from agent_cli.session.opened import Opened
from agent_cli.session.usage import Spent, spent
from agent_cli.settings.files import settings_files
from agent_cli.transcript.reader import iter_entries

_COUNTS = (
    ("input", "input"),
    ("cached", "cache_read"),
    ("cache written", "cache_write"),
    ("output", "output"),
)


async def cost(opened: Opened, args: str, emit: Emit) -> Reply:
    """Tokens, money and compactions, of this run and of the whole session."""
    totals = opened.session.totals
    whole = await asyncio.to_thread(_spent, opened)
    rows = [
        (name, f"{getattr(totals.usage, field):,}", f"{getattr(whole.usage, field):,}")
        for name, field in _COUNTS
    ]
    rows.append(("cost", _money(totals.cost_usd), _sum(whole)))
    rows.append(("compactions", str(totals.compactions), str(whole.compactions)))
    table = [("tokens", "this run", "whole session"), *rows]
    text = "\n".join(f"{name:<14}{run:>14}{session:>16}" for name, run, session in table)
    if whole.unpriced:
        text += f"\n{whole.unpriced} of {whole.calls} model calls have no known price."
    run = _data(totals.usage, totals.cost_usd, totals.compactions)
    session = _data(whole.usage, None if whole.unpriced else whole.cost_usd, whole.compactions)
    return Reply(text, data={"run": run, "session": session})


async def status(opened: Opened, args: str, emit: Emit) -> Reply:
    """What is in force: model, session, modes, files, tokens."""
    facts = _facts(opened)
    width = max(map(len, facts)) + 2
    return Reply(
        "\n".join(f"{name:<{width}}{value}" for name, value in facts.items()),
        data={name.replace(" ", "_"): value for name, value in facts.items()},
    )


def _facts(opened: Opened) -> dict[str, str]:
    engine, place = opened.session.engine, opened.place
    model, info = engine.provider.model, engine.info()
    override = f" (set for this session; the default is {engine.default_mode})" if engine.override else ""
    used = opened.session.totals.usage
    return {
        "version": __version__,
        "model": f"{model.id}, window {info.maximum:,} tokens ({model.window_source})",
        "session": opened.session.id,
        "transcript": _transcript(opened.session.ledger.store.path),
        "directory": str(place.cwd),
        "context mode": f"{engine.mode}{override}",
        "context": f"{info.total:,} of {info.usable:,} usable tokens ({100 * info.total / max(1, info.usable):.0f} %)",
        "permission mode": opened.permissions.mode,
        "settings": ", ".join(map(str, settings_files(place.loaded, place.places))) or "built-in only",
        "this run": f"{used.input:,} tokens in ({used.cache_read:,} cached), {used.output:,} out, "
        f"{_money(opened.session.totals.cost_usd)}",
    }


def _transcript(path: str) -> str:
    if not path:
        return "none is kept (--no-session)"
    return path if Path(path).exists() else f"{path} (begins with the first message)"


def _spent(opened: Opened) -> Spent:
    path = Path(opened.session.ledger.store.path)
    return spent(iter_entries(path)) if path.is_file() else Spent()


def _money(usd: float | None) -> str:
    return "not known" if usd is None else f"${usd:.4f}"


def _sum(whole: Spent) -> str:
    if whole.calls and whole.unpriced == whole.calls:
        return "not known"
    return ("over " if whole.unpriced else "") + _money(whole.cost_usd)


def _data(usage: Usage, usd: float | None, compactions: int) -> dict[str, Any]:
    return {**msgspec.to_builtins(usage), "cost_usd": usd, "compactions": compactions}


COMMANDS = (
    Command(
        ("cost",),
        "/cost",
        "tokens, money and compactions of this run and this session",
        cost,
        while_busy=True,
    ),
    Command(
        ("status",), "/status", "model, session, modes, files and tokens in use", status, while_busy=True
    ),
)
