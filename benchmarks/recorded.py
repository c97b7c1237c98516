"""Recorded sessions of real agents, folded through the context engine: is every request valid and small enough?

    python -m benchmarks.recorded --sessions DIR [--limit N] [--json]

A session is a file of OpenAI chat messages, one a line. Each answer the recorded model gave was a request to it: the
engine prepares that request in a smaller window, both wires convert it, and the strict servers' own rules judge it.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from agent_cli.context.engine import ContextEngine
from agent_cli.context.fixed import Fixed
from agent_cli.context.ledger import Ledger
from agent_cli.core.entries import Compaction, Entry
from agent_cli.core.errors import ContextError
from agent_cli.core.events import Finished, ProviderEvent
from agent_cli.core.hooks import Hooks
from agent_cli.core.messages import Part, Role, Text, ToolCall, ToolResult
from agent_cli.core.models import Completion, ModelSpec, Request, StopReason
from agent_cli.core.tools import ToolOutput
from agent_cli.providers import anthropic_wire, openai_wire
from agent_cli.providers.fakes import anthropic_rules, openai_rules
from agent_cli.providers.fakes.refusals import House, Received, first_refusal
from agent_cli.settings.schema import ContextSettings
from agent_cli.tokens.count import Counter
from agent_cli.tools.registry import default_tools
from agent_cli.workspace.paths import Workspace

WINDOWS = (32_768, 65_536, 200_000)
"""Windows in tokens, from much smaller than the sessions to larger than most."""
SUMMARY = (
    "## Goal\nCarry out what the user asked for.\n## State\nFiles were read and changed, commands were run; the lists "
    "below name them.\n## Next step\nGo on with the newest request."
)
SYSTEM = ("You are a coding agent at work in a developer's project.",)

_HEADERS = {
    "openai": {"authorization": "Bearer key", "content-type": "application/json"},
    "anthropic": {
        "x-api-key": "key",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
    },
}


class Figures(msgspec.Struct, frozen=True):
    """One session in one window. `largest` and `usable` are tokens; `refused` what a wire's rules said; `too_large`
    the reasons of the requests the engine itself would not send."""

    session: str
    window: int
    usable: int
    requests: int
    largest: int
    summarised: int
    truncated: int
    refused: tuple[str, ...]
    oversized: int
    too_large: tuple[str, ...]
    seconds: float


class _Model:
    """Stands where the model would be: it writes the summaries."""

    def __init__(self, window: int) -> None:
        self._spec = ModelSpec("recorded", "model", window, "benchmark")

    @property
    def model(self) -> ModelSpec:
        """A model of that window."""
        return self._spec

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """Answers with a summary."""
        yield Finished(Completion((Text(SUMMARY),), StopReason.END_TURN))

    async def aclose(self) -> None:
        """Nothing is open."""


class _Store:
    """Keeps the compactions; the sessions themselves are on disk already."""

    @property
    def path(self) -> str:
        """Where it would be."""
        return "transcripts/recorded.jsonl"

    def __init__(self) -> None:
        self.compactions: list[Compaction] = []

    def append(self, entry: Entry) -> None:
        """Notes a compaction."""
        if isinstance(entry, Compaction):
            self.compactions.append(entry)

    def sync(self) -> None:
        """Nothing is kept."""

    def offload(self, name: str, text: str) -> str:
        """Where the whole text would be."""
        return f"transcripts/recorded/{name}.txt"


class _Clock:
    """Wall time."""

    def now(self) -> datetime:
        """Now."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)


class _Fixed:
    """The default tools and a short system prompt."""

    def __init__(self) -> None:
        tools = default_tools(Workspace(Path.cwd()), shell_timeout=120, shell_max_timeout=600, hidden_env=())
        self._fixed = Fixed(SYSTEM, tuple(tool.spec for tool in tools))

    def current(self) -> Fixed:
        """The same bytes always."""
        return self._fixed

    def reload(self) -> Fixed:
        """Nothing can have changed."""
        return self._fixed


def run(sessions: Path, limit: int | None = None, windows: Sequence[int] = WINDOWS) -> list[Figures]:
    """Folds the sessions of a folder, the smallest first, `limit` of them; a row for each session and window."""
    paths = sorted(sessions.glob("*.jsonl"), key=lambda path: (path.stat().st_size, path.name))
    return [asyncio.run(fold(path, window)) for path in paths[:limit] for window in windows]


async def fold(path: Path, window: int) -> Figures:
    """Walks one session message by message."""
    store, model, fixed, counter = _Store(), _Model(window), _Fixed(), Counter()
    ledger = Ledger(store, _Clock())
    engine = ContextEngine(
        ledger=ledger,
        settings=ContextSettings(),
        provider=model,
        counter=counter,
        fixed=fixed,
        clock=_Clock(),
        hooks=Hooks(),
    )
    judge = _Judge(model.model)
    too_large: list[str] = []
    sizes = [0]
    began = time.monotonic()
    for role, parts in _messages(path, engine):
        if role == "assistant" and ledger.view.messages:
            try:
                request = await engine.prepare(lambda event: None)
            except ContextError as error:
                too_large.append(str(error))
            else:
                sizes.append(engine.estimate(request))
                judge.look(request)
        ledger.message(role, parts)
    layers = [entry.layer for entry in store.compactions]
    return Figures(
        session=path.stem,
        window=window,
        usable=engine.usable,
        requests=len(sizes) - 1,
        largest=max(sizes),
        summarised=layers.count("SUMMARIZE"),
        truncated=layers.count("TRUNCATE"),
        refused=tuple(judge.refused),
        oversized=sum(size > engine.usable for size in sizes),
        too_large=tuple(too_large),
        seconds=round(time.monotonic() - began, 2),
    )


class _Judge:
    """Asks the rules of both strict servers."""

    def __init__(self, model: ModelSpec) -> None:
        self._model = model
        self._house = House(model.window, "key", (model.name,))
        self.refused: list[str] = []

    def look(self, request: Request) -> None:
        """Notes what either wire would refuse."""
        bodies: dict[str, Any] = {
            "openai": openai_wire.body(self._model, request, official=False),
            "anthropic": anthropic_wire.body(self._model, request),
        }
        rules = {"openai": openai_rules.RULES, "anthropic": anthropic_rules.RULES}
        for wire, body in bodies.items():
            refusal = first_refusal(rules[wire], Received(_HEADERS[wire], body, self._house))
            if refusal is not None:
                self.refused.append(f"{wire}: {refusal.message}")


def _messages(path: Path, engine: ContextEngine) -> Iterator[tuple[Role, tuple[Part, ...]]]:
    """The recorded messages, tool results capped as they would have been on arrival. System prompts and the recorded
    agent's own compactions are left out."""
    names: dict[str, str] = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        line: dict[str, Any] = json.loads(text) if text.strip() else {"role": "system"}
        if line["role"] == "system" or line.get("name") == "recorded_compaction":
            continue
        if line["role"] == "tool":
            call_id = line["tool_call_id"]
            content = engine.admit(ToolOutput(line["content"] or ""), names.get(call_id, "tool"))
            yield "tool", (ToolResult(call_id, content),)
            continue
        parts: list[Part] = [Text(line["content"])] if line.get("content") else []
        for call in line.get("tool_calls") or ():
            function = call["function"]
            names[call["id"]] = function["name"]
            parts.append(ToolCall(call["id"], function["name"], function["arguments"]))
        yield line["role"], tuple(parts)


def table(figures: Sequence[Figures]) -> list[str]:
    """The figures by window, as a Markdown table."""
    lines = [
        "| window | sessions | requests | largest / usable | summaries | truncations | refused by a wire | over usable | not sent |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for window in sorted({row.window for row in figures}):
        rows = [row for row in figures if row.window == window]
        largest = max(row.largest for row in rows)
        lines.append(
            f"| {window:,} | {len(rows)} | {sum(row.requests for row in rows):,} | {largest:,} / {rows[0].usable:,} "
            f"| {sum(row.summarised for row in rows)} | {sum(row.truncated for row in rows)} "
            f"| {sum(len(row.refused) for row in rows)} | {sum(row.oversized for row in rows)} "
            f"| {sum(len(row.too_large) for row in rows)} |"
        )
    reasons = sorted(
        {f"{row.session}, {row.window:,}: {reason}" for row in figures for reason in row.too_large}
    )
    return [*lines, *(["", "Not sent, since no compaction can help:", ""] if reasons else []), *reasons]


def failures(figures: Sequence[Figures]) -> list[str]:
    """What must not be: a request that a wire refuses, or one over usable."""
    return [
        f"{row.session} in {row.window:,}: {len(row.refused)} refused {row.refused[:1]}, {row.oversized} over usable"
        for row in figures
        if row.refused or row.oversized
    ]


def main() -> None:
    """Prints the figures; ends with exit code 1 when a request was not as it must be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=Path, required=True, help="the folder with the recorded sessions")
    parser.add_argument("--limit", type=int, help="only so many of the smallest")
    parser.add_argument("--json", action="store_true", help="one object for each session and window")
    asked = parser.parse_args()
    figures = run(asked.sessions, asked.limit)
    print(msgspec.json.encode(figures).decode() if asked.json else "\n".join(table(figures)))
    sys.exit("\n".join(failures(figures)) or 0)


if __name__ == "__main__":
    main()
