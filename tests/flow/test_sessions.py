"""Sessions: continue, resume, fork, lock, crash (section 10 of the cases)."""

import os
import signal
import time

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.flow.running import WIRES, entries, run, start, transcripts


def echo(request):
    said = [message.text for message in request.messages if message.role == "user"]
    return Reply(f"heard {len(said)}")


@pytest.mark.parametrize("wire", WIRES)
def test_continue_extends_the_same_request(wire, work):
    with FakeServer(echo) as server:
        run("-p", "first", server=server, wire=wire)
        done = run("-c", "-p", "second", server=server, wire=wire)
        first, second = (request.body["messages"] for request in server.requests)
    assert done.out == "heard 2\n"
    assert len(transcripts(work)) == 1
    plain = [_without_cache_marks(message) for message in second]
    assert plain[: len(first)] == [_without_cache_marks(message) for message in first]


def _without_cache_marks(message):
    if isinstance(message["content"], str):
        return message
    return {
        **message,
        "content": [{k: v for k, v in block.items() if k != "cache_control"} for block in message["content"]],
    }


def test_resume_by_the_beginning_of_an_id_and_fork(work):
    with FakeServer(echo) as server:
        one = run("-p", "one", "--output-format", "json", server=server).result["session_id"]
        run("-p", "other", server=server)
        resumed = run("-r", one[:6], "-p", "two", "--output-format", "json", server=server).result
        assert (resumed["session_id"], resumed["result"]) == (one, "heard 2")
        before = transcripts(work)
        forked = run(
            "-r", one, "--fork-session", "-p", "three", "--output-format", "json", server=server
        ).result
    assert forked["session_id"] != one
    assert forked["result"] == "heard 3"
    (new,) = set(transcripts(work)) - set(before)
    assert entries(new)[0]["parent"] == one


def test_no_session_keeps_nothing(work):
    with FakeServer(echo) as server:
        assert run("-p", "x", "--no-session", server=server).code == 0
    assert list(work.iterdir()) == []


def test_sessions_list_show_rm(work):
    with FakeServer(echo) as server:
        first = run("-p", "count the files", "--output-format", "json", server=server).result["session_id"]
        run("-p", "another", server=server)
    listed = run("sessions", "list")
    assert first in listed.out
    assert "count the files" in listed.out
    shown = run("sessions", "show", first)
    assert "count the files" in shown.out
    assert "heard 1" in shown.out
    assert run("sessions", "rm", first).code == 0
    assert first not in run("sessions", "list").out
    assert len(transcripts(work)) == 1
    assert run("sessions", "show", "nosuch").code == 42


def test_c70_second_opener_is_told_and_can_fork(work):
    def script(request):
        return (
            Reply(calls=(Call("shell", {"command": "touch started; sleep 20"}),))
            if "wait" in request.last_text
            else Reply("ok")
        )

    with FakeServer(script) as server:
        holder = start("-p", "wait", "--yolo", server=server, cwd=work)
        while not (work / "started").exists():
            time.sleep(0.05)
        second = run("-c", "-p", "me too", server=server)
        assert second.code == 1
        assert str(holder.pid) in second.err
        assert "--fork-session" in second.err
        assert run("-c", "--fork-session", "-p", "me too", server=server).code == 0
        holder.send_signal(signal.SIGKILL)
        holder.communicate()
        assert run("-c", "-p", "now", server=server).code == 0
        assert server.refused == []


@pytest.mark.parametrize("wire", WIRES)
def test_c24_killed_in_a_tool_the_next_request_is_valid(wire, work):
    def script(request):
        if "go on" in request.last_text:
            return Reply("on again")
        calls = (
            Call("list_files", {}),
            Call("shell", {"command": "touch started; sleep 30"}),
            Call("list_files", {}),
        )
        return Reply("Three things.", calls=calls)

    with FakeServer(script) as server:
        process = start("-p", "work", "--yolo", server=server, wire=wire, cwd=work, start_new_session=True)
        while not (work / "started").exists():
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        done = run("-c", "-p", "go on", server=server, wire=wire)
        assert (done.code, done.out, server.refused) == (0, "on again\n", [])


def test_c68_a_torn_last_line_is_mended(work):
    with FakeServer(echo) as server:
        run("-p", "first", server=server)
        (path,) = transcripts(work)
        whole = path.read_bytes()
        path.write_bytes(whole[:-7])
        run("-c", "-p", "second", server=server)
        done = run("-c", "-p", "third", server=server)
    assert done.out == "heard 3\n"
    assert all(entries(path))


def test_transcripts_go_to_the_git_root_and_never_into_home(work, home):
    (work / ".git").mkdir()
    (work / "sub").mkdir()
    with FakeServer(echo) as server:
        run("-p", "x", server=server, cwd=work / "sub")
        assert len(transcripts(work)) == 1
        run("-p", "x", server=server, cwd=home)
    assert not (home / "transcripts").exists()
    assert list((home / "agent" / "state").rglob("*.jsonl"))


def test_nothing_is_created_by_a_run_that_never_starts(work):
    run("-p", "")
    run("sessions", "list")
    run("config", "show")
    assert list(work.iterdir()) == []
