"""Terminals that are none, that are poor, and that go away (C50, C64)."""

import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.flow.running import AGENT, entries, run, transcripts
from tests.screen.terminal import CTRL_Z, PAUSE, Terminal, terminal
from tests.screen.test_interrupt import running

MARK = f"49.{os.getpid()}"
WAITS = Call("shell", {"command": f"sleep {MARK}"})


def dead(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state = Path(f"/proc/{pid}/stat")
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM], ids=["hup", "term"])
def test_c50_a_signal_ends_it_within_a_second_with_children_and_transcript(number, work):
    with (
        FakeServer([Reply("Waiting now.", calls=(WAITS,))]) as server,
        terminal("--yolo", server=server) as seen,
    ):
        seen.say("go")
        seen.until("running shell")
        seen.child.kill(number)
        assert dead(seen.pid, 1.5)
        seen.pump(0.2)
        assert "Traceback" not in seen.text
        assert seen.ended() == 128 + number
    assert running(MARK) == []
    kept = entries(transcripts(work)[0])
    assert [entry["role"] for entry in kept if entry["type"] == "message"] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("busy", "ignoring"), [(True, True), (False, False)], ids=["in a turn, nohup", "idle"]
)
def test_c50_a_closed_terminal_ends_it_within_a_second(busy, ignoring, work):
    command = ["/usr/bin/env", *(["--ignore-signal=HUP"] if ignoring else []), str(AGENT), "--yolo"]
    with FakeServer([Reply("Waiting now.", calls=(WAITS,))]) as server:
        env = {"OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": server.openai_url}
        seen = Terminal(env=env, command=command)
        seen.until("% ·")
        if busy:
            seen.say("go")
            seen.until("running shell")
        seen.child.ptyproc.fileobj.close()
        seen.child.ptyproc.closed = seen.child.closed = True
        assert dead(seen.pid, 1.5)
    assert running(MARK) == []


def test_ctrl_z_stops_it_and_fg_draws_it_again():
    command = ["/bin/bash", "--norc", "-i"]
    with (
        FakeServer([Reply("back again")]) as server,
        terminal(server=server, command=command, ready=False, env={"PS1": "shell$ "}) as seen,
    ):
        seen.until("shell$")
        seen.say(str(AGENT))
        seen.until("% ·")
        seen.send("draft", CTRL_Z)
        seen.until("Stopped")
        seen.say("fg")
        seen.until("› draft", 5)
        seen.send("\r")
        seen.until("back again")


def test_it_uses_no_processor_while_idle():
    with FakeServer([]) as server, terminal(server=server) as seen:
        seen.pump(1.5)
        before = ticks(seen.pid)
        seen.pump(2)
        assert ticks(seen.pid) - before <= 2


def ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def test_c64_piped_text_is_one_prompt_without_escape_codes():
    with FakeServer([Reply("plain **answer**")]) as server:
        ran = run(server=server, stdin="hello\n")
    assert (ran.code, ran.out) == (0, "plain **answer**\n")
    assert "\x1b" not in ran.out + ran.err


def test_c64_piped_output_answers_without_escape_codes(work):
    with (
        FakeServer([Reply("piped")]) as server,
        terminal(server=server, ready=False, command=["/bin/sh", "-c", f"{AGENT} say it | cat"]) as seen,
    ):
        seen.until("piped")
        assert seen.ended() == 0
    assert b"\x1b" not in seen.raw


def test_c64_an_empty_input_is_told_and_ends_at_once():
    ran = run(stdin="")
    assert ran.code == 42
    assert "Traceback" not in ran.err


def test_c64_a_dumb_terminal_gets_no_escape_codes_and_its_questions():
    call = Call("shell", {"command": "echo from-the-tool"})
    script = [Reply("Let me **see**.", calls=(call,)), Reply("It says so.")]
    with FakeServer(script) as server, terminal(server=server, ready=False, env={"TERM": "dumb"}) as seen:
        seen.until(">")
        seen.send("look\n")
        seen.until("Allow shell?")
        seen.pump(PAUSE)
        seen.send("y\n")
        seen.until("It says so.")
        assert "from-the-tool" in seen.text
        seen.send("/status\n")
        seen.until("permission mode")
        seen.send("\x04")
        assert seen.ended() == 0
    assert b"\x1b" not in seen.raw


def test_a_session_that_cannot_be_opened_is_told_in_one_line():
    with terminal("-r", "nosuch", ready=False) as seen:
        code = seen.ended()
        assert code == 42
        assert "agent: " in seen.text
        assert "Traceback" not in seen.text


def test_the_terminal_is_given_back_as_it_was():
    leader, follower = pty.openpty()
    before = subprocess.run(["stty", "-a"], stdin=follower, capture_output=True, text=True, check=True).stdout
    process = subprocess.Popen(
        [str(AGENT)], stdin=follower, stdout=follower, stderr=follower, start_new_session=True
    )
    time.sleep(1.5)
    os.write(leader, b"\x04")
    process.wait(5)
    after = subprocess.run(["stty", "-a"], stdin=follower, capture_output=True, text=True, check=True).stdout
    out = os.read(leader, 100_000)
    assert after == before
    assert out.rstrip().endswith(b"\x1b[?2004l") or b"\x1b[?2004l" in out
    os.close(leader)
    os.close(follower)
