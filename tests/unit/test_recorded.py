"""Recorded sessions of real agents fold into requests that both wires accept and that fit."""

import json
import os
from pathlib import Path

import pytest

from benchmarks import recorded

BESIDE = Path(__file__).parents[3] / "shared" / "sessions"
FOLDER = Path(os.environ.get("AGENT_TEST_SESSIONS", BESIDE))


def write_session(folder: Path, steps: int) -> None:
    lines: list[dict] = [
        {"role": "system", "content": "You are."},
        {"role": "user", "content": "fix the parser"},
    ]
    for number in range(steps):
        call = {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": "Read", "arguments": '{"path": "a"}'},
        }
        content = " ".join(f"w{number}_{word}" for word in range(600))
        lines += [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": content},
        ]
    (folder / "made.jsonl").write_text("\n".join(map(json.dumps, lines)))


def test_a_session_larger_than_the_window_is_compacted_and_judged(work):
    write_session(work, 40)
    small, large = recorded.run(work, None, (32_768, 1_000_000))
    assert (small.requests, small.refused, small.oversized, small.too_large) == (40, (), 0, ())
    assert small.summarised >= 1
    assert 0 < small.largest <= small.usable
    assert large.summarised == 0
    assert large.largest > small.usable
    assert recorded.failures([small, large]) == []
    assert "| 32,768 | 1 | 40 |" in "\n".join(recorded.table([small, large]))


def test_what_cannot_fit_is_counted_and_explained(work):
    write_session(work, 2)
    (row,) = recorded.run(work, None, (1_000,))
    assert row.requests == 0
    assert len(row.too_large) == 2
    assert "does not fit" in recorded.table([row])[-1]


@pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no recorded sessions in {FOLDER}; set AGENT_TEST_SESSIONS")
def test_k10_recorded_sessions_give_requests_that_both_wires_accept_and_that_fit():
    figures = recorded.run(FOLDER, 3, (16_384, 32_768))
    assert len(figures) == 6
    assert sum(row.requests for row in figures) > 20
    assert recorded.failures(figures) == []
    assert [row.too_large for row in figures if row.too_large] == []
