"""Exit codes (design, section 1)."""

import json
import signal
import time

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Fault, Reply
from tests.flow.running import FAST, WIRES, entries, run, start, transcripts


def test_0_with_an_answer():
    with FakeServer([Reply("yes")]) as server:
        assert run("-p", "hi", server=server).code == 0


def test_1_with_an_empty_answer_asked_for_twice():
    with FakeServer([Reply(""), Reply("")]) as server:
        done = run("-p", "hi", server=server)
        assert len(server.requests) == 2
    assert done.code == 1
    assert "empty" in done.err


def test_0_when_the_second_try_after_an_empty_answer_speaks():
    with FakeServer([Reply(""), Reply("here")]) as server:
        done = run("-p", "hi", server=server)
    assert (done.code, done.out) == (0, "here\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--no-such-option",),
        ("-p", "x", "--output-format", "xml"),
        ("-p", "x", "--context-mode", "phase9"),
        ("-p", "x", "--permission-mode", "maybe"),
        ("-p", "x", "--max-turns", "0"),
        ("-p", "x", "--set", "context.keeep=1"),
        ("-p", "x", "-C", "/no/such/folder"),
        ("-p", "x", "--allowed-tools", "shel(ls)"),
        ("-p", "x", "--provider", "nobody"),
        ("-p", "/compres"),
        ("sessions", "lst"),
    ],
)
def test_2_when_the_command_line_is_wrong(arguments):
    done = run(*arguments)
    assert done.code == 2
    assert done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    "arguments", [("-p", ""), ("-p", "  "), ("-p",), ("-r", "nosuch", "-p", "x"), ("-c", "-p", "x")]
)
def test_42_without_a_prompt_or_a_session(arguments):
    done = run(*arguments)
    assert done.code == 42
    assert done.err
    assert "Traceback" not in done.err


def test_53_at_the_step_limit_and_the_session_goes_on(work):
    def script(request):
        return Reply("finished") if "go on" in request.last_text else Reply(calls=(Call("list_files", {}),))

    with FakeServer(script) as server:
        done = run("-p", "loop", "--max-turns", "3", "--output-format", "json", server=server)
        assert (done.code, done.result["subtype"], done.result["num_steps"]) == (53, "max_turns", 3)
        assert len(server.requests) == 3
        again = run("-c", "-p", "go on", server=server)
        assert (again.code, again.out, server.refused) == (0, "finished\n", [])


def test_1_when_the_model_declines():
    with FakeServer([Reply("I will not.", stop="content_filter")]) as server:
        done = run("-p", "x", "--output-format", "json", server=server)
    assert (done.code, done.result["subtype"], done.result["is_error"]) == (1, "error", True)


@pytest.mark.parametrize("wire", WIRES)
def test_1_with_a_wrong_key_and_what_to_do(wire):
    with FakeServer([Reply("x")], api_key="another") as server:
        done = run("-p", "x", server=server, wire=wire)
    assert done.code == 1
    assert "key" in done.err.lower()


def test_json_ends_with_a_result_also_when_nothing_could_start():
    done = run("-r", "nosuch", "-p", "x", "--output-format", "stream-json")
    assert done.code == 42
    assert done.result["type"] == "result"
    assert done.result["is_error"]
    assert "nosuch" in done.result["error"]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("when", ["tool", "stream"])
def test_130_when_interrupted_and_the_next_turn_works(wire, when, work):
    def script(request):
        if "hi" in request.last_text:
            return Reply("hello again")
        if when == "tool":
            return Reply(
                "Waiting.",
                calls=(Call("shell", {"command": "touch started; sleep 300.7"}), Call("list_files", {})),
            )
        return Reply("word " * 400, pace=0.05)

    with FakeServer(script) as server:
        process = start(
            "-p", "wait", "--yolo", "--output-format", "stream-json", server=server, wire=wire, cwd=work
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if when == "tool" and (work / "started").exists():
                break
            if when == "stream" and server.requests:
                time.sleep(1)
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        assert process.returncode == 130
        assert json.loads(out.splitlines()[-1])["subtype"] == "interrupted"
        said = [line for line in entries(transcripts(work)[0]) if line["type"] == "message"]
        assert said[1]["role"] == "assistant"
        assert entries(transcripts(work)[0])[-1]["type"] == "interrupt"
        again = run("-c", "-p", "hi", server=server, wire=wire)
        assert (again.code, again.out, server.refused) == (0, "hello again\n", [])


def test_a_server_that_stays_down_ends_clearly(work):
    with FakeServer(lambda request: Fault(500, "broken")) as server:
        done = run("-p", "x", *FAST, server=server)
        assert len(server.requests) == 5
    assert done.code == 1
    assert "5" in done.err
    assert "Traceback" not in done.err
