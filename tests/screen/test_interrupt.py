"""Stopping a turn at any point leaves a conversation that both wires take, and the screen usable."""

import re
import time

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.screen.terminal import CTRL_C, ESC, PAUSE, terminal

SLEEP = Call("shell", {"command": "sleep 30"})
LONG_CALL = Call("write_file", {"path": "big.txt", "content": "many words " * 400})
STOPS = {
    "a tool runs": (Reply("I will wait.", calls=(SLEEP,)), "running shell"),
    "text streams": (Reply("some words of a long answer " * 60, pace=0.05), "some words of a long"),
    "arguments stream": (Reply("Writing. ", calls=(LONG_CALL,), pace=0.05), "writing a call of"),
    "nothing has come": (Reply("too late", delay=30), "thinking 1 s"),
    "a question is asked": (Reply("May I?", calls=(Call("shell", {"command": "touch x"}),)), "Allow shell?"),
}


def stopped_at_every_point(seen):
    told = str(seen.body["messages"][-1]["content"])
    went_on = re.search(r"go on (x+)", told)
    if went_on:
        return Reply(f"all well {len(went_on[1])}")
    return next(reply for when, (reply, _) in STOPS.items() if when in told)


@pytest.mark.parametrize(("wire", "key"), [("openai", CTRL_C), ("anthropic", ESC)])
def test_c24_the_next_message_works_after_a_stop_at_any_point(wire, key):
    options = ("--allowed-tools", "shell(sleep 30),write_file", "-m", f"{wire}/scripted")
    with (
        FakeServer(stopped_at_every_point) as server,
        terminal(*options, server=server, wire=wire, size=(80, 60)) as seen,
    ):
        for number, (when, (_, sign)) in enumerate(STOPS.items(), 1):
            seen.say(f"stop when {when}")
            seen.until(f"› stop when {when}")
            seen.until(sign)
            began = time.monotonic()
            seen.send(key)
            seen.until_times("interrupted", number)
            assert time.monotonic() - began < 2
            seen.idle()
            seen.say(f"go on {'x' * number}")
            seen.until(f"all well {number}")
            seen.idle()
        assert server.refused == []


def test_the_partial_answer_is_kept_on_screen_and_in_the_conversation():
    script = [Reply("The first part is here. " * 30, pace=0.05), Reply("continued")]
    with FakeServer(script) as server, terminal(server=server) as seen:
        seen.say("tell")
        seen.until("The first part is here. The first")
        seen.send(ESC)
        seen.until("interrupted")
        seen.idle()
        assert "The first part is here." in seen.text
        seen.say("go on")
        seen.until("continued")
        said = [m for m in server.requests[-1].body["messages"] if m["role"] == "assistant"]
        assert "The first part is here." in str(said)


def test_queued_messages_come_back_to_the_input():
    with FakeServer([Reply("slow", delay=20), Reply("both read")]) as server, terminal(server=server) as seen:
        seen.say("one")
        seen.until("thinking 1 s")
        seen.say("queued words")
        seen.until("1 queued")
        seen.send("half a line", ESC)
        seen.until("interrupted")
        seen.until("› queued words")
        assert "  half a line" in seen.lines
        seen.send("\r")
        seen.until("both read")


def test_ctrl_c_in_a_turn_never_quits():
    with FakeServer([Reply("slow", delay=20), Reply("alive")]) as server, terminal(server=server) as seen:
        seen.say("one")
        seen.until("thinking 1 s")
        seen.send(CTRL_C, CTRL_C, CTRL_C)
        seen.until("interrupted")
        seen.pump(0.3)
        assert seen.child.isalive()
        seen.pump(1.2)
        seen.say("two")
        seen.until("alive")


def test_a_stopped_tool_ends_its_children():
    call = Call("shell", {"command": "sleep 47.11 & sleep 47.12"})
    with FakeServer([Reply(calls=(call,))]) as server, terminal("--yolo", server=server) as seen:
        seen.say("go")
        seen.until("running shell")
        seen.pump(0.3)
        seen.send(ESC)
        seen.until("interrupted")
        seen.idle()
        assert running("47.1") == []


def test_a_shell_line_of_the_user_can_be_stopped():
    with terminal() as seen:
        seen.say("!sleep 48.11")
        seen.until("running shell")
        seen.send(ESC)
        seen.until("interrupted")
        seen.idle()
        assert running("48.11") == []


def test_compaction_can_be_stopped():
    replies = [Reply("word " * 400) for _ in range(4)] + [Reply("never seen", delay=20), Reply("goes on")]
    with FakeServer(replies) as server, terminal(server=server) as seen:
        for number in range(4):
            seen.say(f"question {number}")
            seen.until(f"› question {number}")
            seen.pump(0.3)
            seen.idle()
        seen.say("/compress")
        seen.until("compacting")
        seen.pump(PAUSE)
        seen.send(ESC)
        seen.until("interrupted")
        seen.idle()
        seen.say("next")
        seen.until("goes on")


def running(argument: str) -> list[str]:
    from pathlib import Path

    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if line.startswith("sleep ") and argument in line:
            found.append(line)
    return found
