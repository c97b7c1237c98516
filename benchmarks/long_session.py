"""Sessions far larger than the window, through the installed `agent` against the strict local server."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from agent_cli.providers.fakes import Call, FakeServer, Reply, Seen
from agent_cli.tokens.count import Counter

WINDOW = 32_768
USABLE = WINDOW - WINDOW // 4
WIRES = ("openai", "anthropic")
READ, WRITE, PLAIN = 0.1, 1.25, 1.0
"""Prices of cached reads, cache writes and other input, in shares of the plain input price."""
SUMMARY = (
    "Goal: work through all steps. State: the steps so far are done and gave nothing unusual. "
    "Next step: go on with the next one, as before."
)
Script = Callable[[Seen], Reply]


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run did; `sent` and `billed` are tokens, `billed` at the prices of a prompt cache."""

    name: str
    wire: str
    ended: bool
    requests: int
    refused: int
    compactions: int
    largest: int
    usable: int
    sent: int
    billed: int
    seconds: float


def forty_files(wire: str, count: int = 40, tokens: int = 2_000) -> Figures:
    """Reads `count` files of `tokens` tokens one after another."""

    def prepare(folder: Path) -> None:
        counter = Counter()
        line = "".join(f"value_{number} = {number * 7}\n" for number in range(tokens))
        text = line[: len(line) * tokens // counter.text(line)]
        for number in range(count):
            (folder / f"f{number:02}.py").write_text(text)

    def call(done: int) -> Call:
        return Call("read_file", {"path": f"f{done:02}.py"})

    return _run(f"{count} files of {tokens:,} tokens", wire, _stepwise(count, call), prepare)


def shell_steps(wire: str, count: int = 120) -> Figures:
    """Runs `count` commands that print 4 KB each."""

    def call(done: int) -> Call:
        return Call(
            "shell", {"command": f"seq -f 'step {done} line %g' 1 400 | head -c 4000; echo; echo end {done}"}
        )

    return _run(f"{count} commands of 4 KB", wire, _stepwise(count, call), lambda folder: None)


def _stepwise(count: int, call: Callable[[int], Call]) -> Script:
    done = 0

    def script(seen: Seen) -> Reply:
        nonlocal done
        if not seen.tools:
            return Reply(SUMMARY)
        done += len(seen.results)
        return Reply(calls=(call(done),)) if done < count else Reply("all done")

    return script


def _run(name: str, wire: str, script: Script, prepare: Callable[[Path], None]) -> Figures:
    with tempfile.TemporaryDirectory() as made, FakeServer(script, window=WINDOW) as server:
        work = Path(made) / "work"
        work.mkdir()
        prepare(work)
        began = time.monotonic()
        result = _agent(work, Path(made) / "home", server, wire)
        seconds = time.monotonic() - began
        usages = [(request.usage, request.input_tokens) for request in server.requests if request.usage]
        billed = sum(
            READ * usage.cache_read
            + WRITE * usage.cache_write
            + PLAIN * (usage.input - usage.cache_read - usage.cache_write)
            for usage, _ in usages
        )
        return Figures(
            name,
            wire,
            result["result"] == "all done",
            len(server.requests),
            len(server.refused),
            result["compactions"],
            max(size for _, size in usages),
            USABLE,
            sum(size for _, size in usages),
            round(billed),
            round(seconds, 1),
        )


def _agent(work: Path, home: Path, server: FakeServer, wire: str) -> dict:
    env = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("OPENAI_", "ANTHROPIC_", "AGENT_"))
    }
    env |= {"AGENT_HOME": str(home), f"{wire.upper()}_API_KEY": "test-key"}
    env |= (
        {"OPENAI_BASE_URL": server.openai_url}
        if wire == "openai"
        else {"ANTHROPIC_BASE_URL": server.anthropic_url}
    )
    command = [sys.executable, "-m", "agent_cli", "-p", "go", "--yolo", "--output-format", "json"]
    done = subprocess.run(
        command, cwd=work, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    return json.loads(done.stdout.splitlines()[-1])


def table(rows: list[Figures]) -> list[str]:
    """The figures as lines of a Markdown table."""
    head = list(asdict(rows[0]))
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(_shown(value) for value in asdict(row).values()) + " |" for row in rows]


def _shown(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case _:
            return str(value)


def failures(rows: list[Figures]) -> list[str]:
    """What must not happen: a run that did not end, a refused or too large request, no compaction."""
    return [
        f"{row.name} on {row.wire}: {row}"
        for row in rows
        if not row.ended or row.refused or row.largest > row.usable or not row.compactions
    ]


if __name__ == "__main__":
    rows = [run(wire) for run in (forty_files, shell_steps) for wire in WIRES]
    print("\n".join(table(rows)))
    sys.exit("\n".join(failures(rows)) or 0)
