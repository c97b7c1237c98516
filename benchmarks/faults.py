"""Every fault at the first and in the middle of a task, through the installed `agent`, on both wires."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agent_cli.providers.fakes import Call, Cut, FakeServer, Fault, Reply, Seen
from agent_cli.providers.fakes.replies import Wire

WIRES: tuple[Wire, ...] = ("openai", "anthropic")
STEPS = 6
_RAN = re.compile(r"ran (\d+)")
TOO_LONG = "context too long"
"""Comes once, in mid-task: a first request that is too long holds nothing that could be left out."""
Answer = Reply | Fault | Cut
FAULTS: dict[str, Callable[[Wire], Answer]] = {
    "429": lambda _: Fault(429, "slow down", headers={"retry-after": "1"}),
    "529": lambda _: Fault(529, "overloaded"),
    "500": lambda _: Fault(500, "internal error"),
    "cut stream": lambda _: Cut(
        Reply("on it", calls=(Call("shell", {"command": "echo no >> log"}),)), after=0.7
    ),
    "halved arguments": lambda _: Reply(calls=(Call("shell", '{"command": "echo no >> lo'),)),
    TOO_LONG: Fault.overflow,
}


@dataclass(frozen=True, slots=True)
class Row:
    """How one fault on one wire went; `twice` means that it came two times in a row."""

    fault: str
    wire: Wire
    at: int
    twice: bool
    survived: bool
    seconds: float


def run(fault: str, wire: Wire, at: int, *, twice: bool = False) -> Row:
    """One task of six commands with a fault at call number `at`."""
    asked = done = 0
    times = 2 if twice else 1

    def script(seen: Seen) -> Answer:
        nonlocal asked, done
        if not seen.tools:
            return Reply("Goal: run the commands. State: some are done. Next step: run the next command.")
        asked += 1
        done = max(
            [done, *(int(number) + 1 for result in seen.results for number in _RAN.findall(result.content))]
        )
        if at <= asked < at + times:
            return FAULTS[fault](wire)
        return (
            Reply(calls=(Call("shell", {"command": f"echo {done} >> log; echo ran {done}"}),))
            if done < STEPS
            else Reply("all done")
        )

    with tempfile.TemporaryDirectory() as made, FakeServer(script) as server:
        work = Path(made)
        env = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("OPENAI_", "ANTHROPIC_", "AGENT_"))
        }
        env |= {"AGENT_HOME": str(work / "home"), f"{wire.upper()}_API_KEY": "test-key"}
        env[f"{wire.upper()}_BASE_URL"] = server.openai_url if wire == "openai" else server.anthropic_url
        command = [sys.executable, "-m", "agent_cli", "-p", "go", "--yolo", "--output-format", "json"]
        began = time.monotonic()
        ran = subprocess.run(
            command, cwd=work, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        seconds = round(time.monotonic() - began, 1)
        right = (work / "log").exists() and (work / "log").read_text().split() == [
            str(n) for n in range(STEPS)
        ]
        answered = ran.returncode == 0 and json.loads(ran.stdout)["result"] == "all done"
        return Row(fault, wire, at, twice, right and answered and not server.refused, seconds)


def rows(*, sample: bool = False) -> list[Row]:
    """The whole matrix; a sample has each fault once per wire, in mid-task."""
    if sample:
        return [run(fault, wire, 3) for fault in FAULTS for wire in WIRES]
    return [
        run(fault, wire, at, twice=twice)
        for fault in FAULTS
        for wire in WIRES
        for at, twice in (
            ((1, False), (1, True), (3, False), (3, True)) if fault != TOO_LONG else ((3, False),)
        )
    ]


def table(found: list[Row]) -> list[str]:
    """A Markdown table: a line per fault, survived runs of all runs per wire, the longest in seconds."""
    lines = ["| fault | " + " | ".join(WIRES) + " | longest, s |", "|---|" + "---|" * (len(WIRES) + 1)]
    for fault in FAULTS:
        mine = [row for row in found if row.fault == fault]
        shares = (_share([row for row in mine if row.wire == wire]) for wire in WIRES)
        lines.append(f"| {fault} | {' | '.join(shares)} | {max(row.seconds for row in mine)} |")
    return lines


def _share(found: list[Row]) -> str:
    return f"{sum(row.survived for row in found)} of {len(found)}"


if __name__ == "__main__":
    found = rows()
    print("\n".join(table(found)))
    sys.exit("\n".join(str(row) for row in found if not row.survived) or 0)
