"""Recorded sessions of other agents, message by message, through the engine."""

import json
import os
import sys
from pathlib import Path

import pytest

from agent_cli.context.validate import problems
from agent_cli.core.messages import Text, ToolCall, ToolResult
from tests.unit.context.doubles import Bench

BESIDE = Path(__file__).parents[4] / "shared" / "sessions"
FOLDER = Path(os.environ.get("AGENT_TEST_SESSIONS", BESIDE))
SESSIONS = (
    sorted(FOLDER.glob("*.jsonl"), key=lambda path: path.stat().st_size)[:12] if FOLDER.is_dir() else []
)


def parts_of(line: dict) -> list:
    parts: list = [Text(line["content"])] if line.get("content") and line["role"] != "tool" else []
    for call in line.get("tool_calls") or ():
        function = call["function"]
        parts += [ToolCall(call["id"], function["name"], function["arguments"])]
    if line["role"] == "tool":
        parts.append(ToolResult(line["tool_call_id"], line["content"]))
    return parts


@pytest.mark.skipif(not SESSIONS, reason=f"no recorded sessions in {FOLDER}; set AGENT_TEST_SESSIONS")
@pytest.mark.parametrize("keep", ["half", "minimal"])
@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_k10_recorded_sessions_fold_into_valid_requests_that_fit(path, keep):
    bench = Bench("## State\nAt work.", window=64_000, keep=keep)
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text) if text.strip() else {"role": "system"}
        if line["role"] == "system" or line.get("name") == "recorded_compaction":
            continue
        if line["role"] == "assistant" and bench.ledger.view.messages:
            request = bench.prepare()
            assert problems(request.messages) == ()
            assert bench.own(request) <= bench.engine.usable
        bench.ledger.message(line["role"], parts_of(line))
    assert bench.resumed().prepare() == bench.prepare()


def work_of_a_step(steps: int) -> int:
    """The function calls that one more step's `prepare` takes after so many steps."""
    bench = Bench("## State\nAt work.", window=10_000_000, hard_tokens=9_000_000)
    bench.user("go")
    for number in range(steps):
        bench.step(f"result {number}")
    bench.prepare()
    bench.step("one more")
    made = 0

    def count(frame, event, argument) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    preparing = bench.engine.prepare(bench.events.append)
    sys.setprofile(count)
    with pytest.raises(StopIteration) as done:
        preparing.send(None)
    sys.setprofile(None)
    assert len(done.value.value.messages) == 2 * steps + 3
    return made


def test_a_step_costs_what_is_new_and_not_the_history():
    assert work_of_a_step(1_000) <= 1.2 * work_of_a_step(100)
