"""What a script sees, and what becomes of it."""

import threading

import pytest

from agent_cli import prompts
from agent_cli.core.messages import ToolCall, ToolResult
from agent_cli.providers.fakes import FakeServer, Reply, SeenMessage
from tests.unit.providers.fakes.asking import KEYS, PATHS, ask, said

BODIES = {
    "openai": {
        "model": "scripted",
        "tools": [{"type": "function", "function": {"name": "look"}}],
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": [{"type": "text", "text": "find"}, {"type": "text", "text": "it"}]},
            {
                "role": "assistant",
                "content": "looking",
                "tool_calls": [
                    {"id": name, "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
                    for name in ("a", "b")
                ],
            },
            {"role": "tool", "tool_call_id": "a", "content": "one"},
            {"role": "tool", "tool_call_id": "b", "content": "two"},
            {"role": "user", "content": "and?"},
        ],
    },
    "anthropic": {
        "model": "scripted",
        "max_tokens": 9,
        "system": [{"type": "text", "text": "be brief"}],
        "tools": [{"name": "look", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "find"}, {"type": "text", "text": "it"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "looking"},
                    *(
                        {"type": "tool_use", "id": name, "name": "look", "input": {"at": 1}}
                        for name in ("a", "b")
                    ),
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "one"},
                    {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "two"}]},
                    {"type": "text", "text": "and?"},
                ],
            },
        ],
    },
}
both_wires = pytest.mark.parametrize("wire", ["openai", "anthropic"])


def send(server, wire, body=None):
    return ask(server, "POST", PATHS[wire], body or BODIES[wire], KEYS[wire])


@both_wires
def test_both_wires_look_the_same_to_a_script(wire):
    seen = []

    def script(request):
        seen.append(request)
        return Reply("ok")

    with FakeServer(script) as server:
        assert send(server, wire)[0] == 200
        send(server, wire)
    (request, second) = seen
    assert (request.number, second.number, request.wire, request.stream) == (1, 2, wire, False)
    assert (request.system, request.tools, request.last_text) == ("be brief", ("look",), "and?")
    answers = (ToolResult("a", "one"), ToolResult("b", "two"))
    assert request.results == answers
    assert request.messages == (
        SeenMessage("user", "find\nit"),
        SeenMessage(
            "assistant", "looking", (ToolCall("a", "look", '{"at": 1}'), ToolCall("b", "look", '{"at": 1}'))
        ),
        SeenMessage("tool", results=answers[:1]),
        SeenMessage("tool", results=answers[1:]),
        SeenMessage("user", "and?"),
    )
    assert request.body == BODIES[wire]
    assert request.input_tokens == server.requests[0].input_tokens


@both_wires
def test_results_before_the_last_assistant_message_are_old(wire):
    body = BODIES[wire]
    body = {
        **body,
        "messages": [
            *body["messages"],
            {"role": "assistant", "content": "found"},
            {"role": "user", "content": "good"},
        ],
    }
    results = []
    with FakeServer(lambda request: results.append(request.results) or Reply("ok")) as server:
        send(server, wire, body)
    assert results == [()]


@both_wires
def test_a_list_is_used_item_by_item_and_then_says_so(wire):
    with FakeServer([Reply("one"), Reply("two")]) as server:
        assert send(server, wire)[0] == 200
        assert send(server, wire)[0] == 200
        status, answer = send(server, wire)
    assert status == 500
    assert said(answer) == "The script is exhausted: it has 2 answers, this is call 3."
    assert server.refused == []
    assert [request.status for request in server.requests] == [200, 200, 500]


@both_wires
def test_refused_requests_do_not_use_up_the_script(wire):
    with FakeServer([Reply("one")]) as server:
        assert send(server, wire, {**BODIES[wire], "messages": []})[0] == 400
        assert send(server, wire)[0] == 200


def test_a_failing_script_gives_500_and_is_raised_at_the_end():
    def script(request):
        raise AssertionError("not what I expected")

    server = FakeServer(script)
    server.__enter__()
    status, answer = send(server, "openai")
    assert (status, said(answer)) == (500, "The script failed: AssertionError('not what I expected')")
    with pytest.raises(AssertionError, match="not what I expected"):
        server.__exit__(None, None, None)


def test_a_failing_script_is_noted_on_the_error_that_ends_the_block():
    def script(request):
        raise LookupError("lost")

    def block():
        with FakeServer(script) as server:
            send(server, "openai")
            raise ValueError("first")

    with pytest.raises(ValueError, match="first") as caught:
        block()
    assert any("lost" in note for note in caught.value.__notes__)


@both_wires
def test_recorded_requests_tell_what_was_asked(wire):
    with FakeServer([Reply("x")]) as server:
        send(server, wire)
    (request,) = server.requests
    assert (request.path, request.wire, request.body, request.status) == (
        PATHS[wire],
        wire,
        BODIES[wire],
        200,
    )
    assert (request.error, request.refused, request.aborted) == ("", False, False)
    assert request.headers.items() >= KEYS[wire].items()


@both_wires
def test_summary_requests_are_told_from_steps(wire):
    system = prompts.load("summary_system")
    if wire == "openai":
        summary = {
            "model": "scripted",
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": "x"}],
        }
    else:
        summary = {
            "model": "scripted",
            "max_tokens": 9,
            "system": system,
            "messages": [{"role": "user", "content": "x"}],
        }
    with FakeServer(lambda request: Reply("x")) as server:
        send(server, wire)
        send(server, wire, summary)
    assert [request.purpose for request in server.requests] == ["step", "summary"]


@both_wires
def test_ids_never_repeat_within_a_server_and_are_the_same_in_the_next_run(wire):
    def ids():
        with FakeServer(lambda request: Reply("x")) as server:
            return [send(server, wire)[1]["id"] for _ in range(3)]

    first = ids()
    assert len(set(first)) == 3
    assert ids() == first


def test_many_clients_at_once_are_each_counted_once():
    numbers = []
    with FakeServer(lambda request: numbers.append(request.number) or Reply("x")) as server:
        threads = [
            threading.Thread(target=send, args=(server, wire)) for wire in ("openai", "anthropic") * 10
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(numbers) == list(range(1, 21))
    assert len(server.requests) == 20
    assert all(request.status == 200 for request in server.requests)
