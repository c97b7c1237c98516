"""Recorded sessions of other agents, message by message, through the engine."""

import json
import os
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
