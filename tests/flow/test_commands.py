"""Slash commands and `agent doctor` through the installed program."""

import json

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Fault, Reply
from tests.flow.running import WIRES, run

READY = Reply(calls=(Call("ready", {}),))


def named(wire: str) -> tuple[str, str]:
    return ("-m", f"{wire}/scripted")


def doctor(*arguments, **options):
    done = run("doctor", *arguments, **options)
    checks = {}
    for line in done.out.splitlines():
        level, rest = line.split(maxsplit=1)
        checks[" ".join(rest[:12].split())] = (level, rest[12:].strip())
    return done, checks


@pytest.mark.parametrize("wire", WIRES)
def test_doctor_asks_the_model_to_call_a_tool(wire, work):
    with FakeServer([READY]) as server:
        done, checks = doctor(*named(wire), server=server, wire=wire)
        assert server.refused == []
    assert done.code == 0, done.out
    assert checks["call"][0] == "ok"
    assert "tokens in" in checks["call"][1]
    assert checks["tool calls"] == ("ok", "the model calls tools")
    assert "test-key" not in done.out + done.err
    assert list(work.iterdir()) == []


def test_doctor_says_when_a_model_does_not_call_tools():
    with FakeServer([Reply("Ready!")]) as server:
        done, checks = doctor(server=server)
    assert done.code == 0
    assert checks["model"][1].startswith("openai/scripted")
    assert checks["tool calls"][0] == "warn"


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault(401, "Incorrect API key provided"), "OPENAI_API_KEY"),
        (Fault(429, "Rate limit reached", {"retry-after": "60"}), "limits the rate"),
        (Fault(500, "oops"), "internal error"),
    ],
)
def test_doctor_fails_at_the_first_refusal_without_waiting_for_another_try(fault, told):
    with FakeServer([fault]) as server:
        done, checks = doctor(*named("openai"), server=server)
        assert len(server.requests) == 1
    assert done.code == 1
    assert checks["call"][0] == "fail"
    assert told in checks["call"][1]


def test_doctor_offline_asks_no_server():
    with FakeServer([]) as server:
        done, checks = doctor("--offline", server=server)
        named_model, _ = doctor("--offline", *named("openai"), server=server)
        assert (server.requests, server.lookups) == ([], [])
    assert (done.code, named_model.code) == (0, 0)
    assert "would be asked" in checks["model"][1]


def test_doctor_goes_on_to_say_what_it_can_when_the_setup_is_broken(home):
    unreachable = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "test-key"}
    done, checks = doctor(env=unreachable)
    assert (done.code, checks["model"][0]) == (1, "fail")
    assert "Could not reach" in checks["model"][1]
    config = home / "agent" / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("model = \n")
    done, checks = doctor()
    assert (done.code, checks["settings"][0]) == (1, "fail")
    assert "line 1" in checks["settings"][1]
    assert checks["tokenizer"][0] == "ok"


def test_doctor_without_an_account_warns_and_exits_0():
    done, checks = doctor()
    assert (done.code, done.err) == (0, "")
    assert (checks["keys"][0], checks["model"][0]) == ("warn", "warn")


def test_cost_and_status_of_a_session_that_goes_on(work):
    with FakeServer([Reply("one"), Reply("two")]) as server:
        run("-p", "first", server=server)
        run("-c", "-p", "second", server=server)
        billed = sum(request.usage.input for request in server.requests)
        cost = run("-c", "-p", "/cost", server=server)
        status = run("-c", "-p", "/status", server=server)
        assert len(server.requests) == 2
    assert cost.code == 0
    row = next(line for line in cost.out.splitlines() if line.startswith("input"))
    assert row.split()[1:] == ["0", f"{billed:,}"]
    assert "openai/scripted" in status.out
    (transcript,) = (work / "transcripts").glob("*.jsonl")
    assert str(transcript) in status.out


def test_what_needs_a_screen_is_answered_with_the_flag_to_use():
    known = run("-p", "list files", "--output-format", "json").result["session_id"]
    done = run("-p", "/resume")
    assert (done.code, done.out) == (1, "")
    assert f"-r {known} " in done.err
    assert "list files" in done.err


def test_a_command_answers_in_json_too():
    done = run("-p", "/permissions", "--output-format", "json", "--permission-mode", "plan")
    assert done.code == 0
    assert json.loads(done.out)["result"].startswith("Permission mode: plan")


def test_bad_words_are_told_and_nothing_is_asked_of_the_model():
    with FakeServer([]) as server:
        unknown = run("-p", "/stauts", server=server)
        wrong = run("-p", "/context inof", server=server)
        assert server.requests == []
    assert (unknown.code, wrong.code) == (2, 1)
    assert "Did you mean /status?" in unknown.err
    assert "Did you mean info?" in wrong.err


def test_debug_log_of_a_run_is_for_its_owner_alone(home):
    env = {"OPENAI_API_KEY": "sk-0123456789abcdef", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    done = run("-p", "/debug on", "-m", "openai/x", env=env)
    assert done.code == 0
    log = home / "agent" / "state" / "debug.log"
    assert str(log) in done.out
    assert log.stat().st_mode & 0o777 == 0o600
