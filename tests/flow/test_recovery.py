"""Refusals that are cured without losing anything: a smaller window than thought, thinking the provider rejects."""

import json

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Fault, Reply
from tests.flow.running import WIRES, entries, run, transcripts


@pytest.mark.parametrize("wire", WIRES)
def test_c11_a_smaller_window_that_an_error_names_is_used_at_once_and_remembered(wire, work):
    with FakeServer(lambda request: Reply("fine"), window=8_192) as server:
        first = run("-p", "hello", "--output-format", "json", server=server, wire=wire)
        assert (first.code, first.result["result"], first.result["compactions"]) == (0, "fine", 0)
        assert [request.status for request in server.requests] == [400, 200]
        assert "hello" in json.dumps(server.requests[-1].body["messages"])
        again = run("-c", "-p", "and again", server=server, wire=wire)
        assert (again.code, again.out) == (0, "fine\n")
        assert [request.status for request in server.requests] == [400, 200, 200]
        assert server.requests[-1].body.get("max_tokens") == 2_048
        info = run("-c", "-p", "/context info", server=server, wire=wire)
    assert "8,192" in info.out
    assert [line["tokens"] for line in entries(transcripts(work)[0]) if line["type"] == "limit"] == [8_192]


REFUSED_THINKING = {
    "openai": "'messages.2' : property 'reasoning_content' is unsupported",
    "anthropic": "messages.1.content.0: Invalid `signature` in `thinking` block",
}


@pytest.mark.parametrize("wire", WIRES)
def test_c31_thinking_that_is_refused_is_left_out_once_and_for_all(wire, work):
    def script(request):
        if "the old thought" in json.dumps(request.body):
            return Fault(400, REFUSED_THINKING[wire])
        if not request.results:
            return Reply("looking", thinking="the old thought", calls=(Call("list_files", {}),))
        return Reply("done")

    with FakeServer(script) as server:
        done = run("-p", "go", server=server, wire=wire)
        assert (done.code, done.out) == (0, "done\n")
        assert [request.status for request in server.requests] == [200, 400, 200]
        before, after = (json.dumps(request.body["messages"]) for request in server.requests[1:])
        assert "the old thought" in before
        assert "looking" in after
        run("-c", "-p", "more", server=server, wire=wire)
        assert [request.status for request in server.requests[3:]] == [200, 400, 200]
        assert server.refused == []
    assert "thinking" in done.err


@pytest.mark.parametrize("wire", WIRES)
def test_c31_a_refusal_that_leaving_out_thinking_does_not_cure_ends_the_turn(wire):
    with FakeServer(lambda request: Fault(400, REFUSED_THINKING[wire])) as server:
        done = run("-p", "go", server=server, wire=wire)
        assert len(server.requests) == 1
    assert done.code == 1
    assert REFUSED_THINKING[wire][:20] in done.err


@pytest.mark.parametrize("wire", WIRES)
def test_g7_an_overflow_that_one_compaction_does_not_cure_ends_the_turn(wire, work):
    def script(request):
        if not request.tools:
            return Reply("## State\nSmall talk.")
        return Fault.overflow(wire) if script.refusing else Reply("fine " * 300)

    script.refusing = False
    with FakeServer(script) as server:
        for _ in range(4):
            run("-p", "small", *(["-c"] if transcripts(work) else []), server=server, wire=wire)
        asked, script.refusing = len(server.requests), True
        done = run("-c", "-p", "big", server=server, wire=wire)
        assert [request.purpose for request in server.requests[asked:]] == ["step", "summary", "step"]
        assert (done.code, done.out) == (1, "")
        assert "too long" in done.err
        script.refusing = False
        assert run("-c", "-p", "small", server=server, wire=wire).code == 0


@pytest.mark.parametrize(("wire", "count"), [("openai", 1_300), ("anthropic", 700)])
def test_c11_a_lone_message_that_fits_the_smaller_window_is_sent(wire, count, work):
    message = " ".join(f"w{number}" for number in range(count))
    with FakeServer(lambda request: Reply("fine"), window=8_192) as server:
        done = run("-p", message, server=server, wire=wire)
        assert (done.code, done.out) == (0, "fine\n")
        assert f"w{count - 1}" in json.dumps(server.requests[-1].body["messages"])
