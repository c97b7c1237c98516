"""Everything that is measured: `python -m benchmarks.full` by hand, `--sample` in CI.

Prints the figures as Markdown; `--write` puts them into docs/figures.md. Ends with exit code 1 when a figure is not
what it must be.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import faults, long_session, recorded, start

ROOT = Path(__file__).parents[1]
SESSIONS = Path(os.environ.get("AGENT_TEST_SESSIONS", ROOT.parent / "shared" / "sessions"))


class Report:
    """Collects lines of Markdown and what went wrong."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.failures: list[str] = []

    def section(self, title: str, command: str, lines: list[str], failures: list[str]) -> None:
        """Adds and prints a section."""
        block = [f"## {title}", "", f"`{command}`", "", *lines, ""]
        print("\n".join(block), flush=True)
        self.lines += block
        self.failures += failures

    def write(self, path: Path) -> None:
        """Puts what there is so far into a page."""
        date = f"{datetime.now(UTC):%Y-%m-%d}"
        head = ["# Figures", "", f"Measured on {date} on 2 cores by `python -m benchmarks.full`.", ""]
        path.write_text("\n".join([*head, *self.lines]))


def main() -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", action="store_true", help="the share of it that fits into CI")
    parser.add_argument("--write", action="store_true", help="write docs/figures.md")
    asked = parser.parse_args()
    report = Report()
    for title, command, lines, failures in _sections(sample=asked.sample):
        report.section(title, command, lines, failures)
        if asked.write:
            report.write(ROOT / "docs" / "figures.md")
    sys.exit("\n".join(["", "Not as it must be:", *report.failures]) if report.failures else 0)


def _sections(*, sample: bool) -> Iterator[tuple[str, str, list[str], list[str]]]:
    rows = [
        run(wire)
        for run in (long_session.forty_files, long_session.shell_steps)
        for wire in long_session.WIRES
    ]
    yield (
        "Sessions larger than the window (32k)",
        "python -m benchmarks.long_session",
        long_session.table(rows),
        long_session.failures(rows),
    )
    found = faults.rows(sample=sample)
    yield (
        "Faults in mid-task",
        "python -m benchmarks.faults",
        faults.table(found),
        [str(row) for row in found if not row.survived],
    )
    yield _start(judged=not sample)
    yield _recorded(limit=3 if sample else None)
    if not sample:
        yield _random_histories()


def _start(*, judged: bool) -> tuple[str, str, list[str], list[str]]:
    figures = start.measure(rounds=5)
    lines = ["| figure | value |", "|---|---|", *(f"| {name} | {value} |" for name, value in figures.items())]
    failed = (
        [f"start: ratio {figures['ratio']} is over {start.TARGET}"]
        if judged and figures["ratio"] > start.TARGET
        else []
    )
    return "From launch to the drawn prompt", "python -m benchmarks.start", lines, failed


def _recorded(limit: int | None) -> tuple[str, str, list[str], list[str]]:
    title, command = "Recorded sessions through the engine", "python -m benchmarks.recorded --sessions DIR"
    if not SESSIONS.is_dir():
        return title, command, [f"Left out: there is no folder {SESSIONS.name} with recorded sessions."], []
    figures = recorded.run(SESSIONS, limit)
    return title, command, recorded.table(figures), recorded.failures(figures)


def _random_histories() -> tuple[str, str, list[str], list[str]]:
    command = [sys.executable, "-m", "pytest", "-q", "tests/props", "--timeout=3600"]
    env = {**os.environ, "HYPOTHESIS_PROFILE": "full"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    tail = [line for line in done.stdout.splitlines() if line.strip()][-3:]
    lines = ["3,000 examples for each property:", "", "```", *tail, "```"]
    failed = [] if done.returncode == 0 else ["a property failed: " + " ".join(tail)]
    return "Properties on random input", "HYPOTHESIS_PROFILE=full pytest tests/props", lines, failed


if __name__ == "__main__":
    main()
