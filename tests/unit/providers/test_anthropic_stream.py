"""Messages answers through the SDK over HTTP."""

import asyncio
import json

import pytest

from agent_cli.core.errors import BadRequest, Overloaded, RateLimited, ServerFailed, StreamCut
from agent_cli.core.events import CallDelta, TextDelta, ThinkingDelta
from agent_cli.core.messages import Text, Thinking, ToolCall
from agent_cli.core.models import StopReason
from agent_cli.core.usage import Usage
from tests.unit.providers.raw import (
    ask_claude,
    claude,
    collect,
    completion,
    cut,
    events,
    ok,
    request,
    serving,
)

START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "role": "assistant",
        "content": [],
        "usage": {
            "input_tokens": 10,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 7,
            "output_tokens": 1,
        },
    },
}


def block(index, start, *deltas):
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index, *pieces):
    return block(
        index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces)
    )


def tool(index, given, *pieces):
    start = {"type": "tool_use", "id": given, "name": "read_file", "input": {}}
    return block(index, start, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def end(reason="end_turn", **usage):
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 20, **usage}},
        {"type": "message_stop"},
    ]


def test_blocks_thinking_and_calls_byte_for_byte():
    thinking = block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": " Let me "},
        {"type": "thinking_delta", "thinking": "think\n"},
        {"type": "signature_delta", "signature": "Eq+/=="},
    )
    redacted = block(1, {"type": "redacted_thinking", "data": "opaque=="})
    body = events(
        START,
        {"type": "ping"},
        *thinking,
        *redacted,
        *text(2, "He", "llo"),
        *tool(3, "tu_1", '{"pa', 'th": "a"}'),
        *end("tool_use"),
    )
    got = ask_claude(ok(body, request_id="req_1"))
    done = completion(got)
    assert done.parts == (
        Thinking(" Let me think\n", signature="Eq+/==", wire="anthropic"),
        Thinking(data="opaque==", wire="anthropic"),
        Text("Hello"),
        ToolCall("tu_1", "read_file", '{"path": "a"}'),
    )
    assert done.stop == StopReason.TOOL_USE
    assert done.request_id == "req_1"
    assert [e.text for e in got if isinstance(e, TextDelta)] == ["He", "llo"]
    assert [e.text for e in got if isinstance(e, ThinkingDelta)] == [" Let me ", "think\n"]
    assert [e.size for e in got if isinstance(e, CallDelta)] == [0, 4, 13]


def test_usage_counts_cached_input_as_input_and_takes_the_last_figures():
    done = completion(ask_claude(ok(events(START, *text(0, "x"), *end(cache_read_input_tokens=120)))))
    assert done.usage == Usage(input=137, output=20, cache_read=120, cache_write=7)


def test_a_server_that_reports_no_usage():
    done = completion(ask_claude(ok(events({"type": "message_start", "message": {}}, *text(0, "x"), *end()))))
    assert done.usage is None


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", StopReason.END_TURN),
        ("stop_sequence", StopReason.STOP_SEQUENCE),
        ("max_tokens", StopReason.MAX_TOKENS),
        ("pause_turn", StopReason.PAUSE),
        ("refusal", StopReason.REFUSAL),
        ("model_context_window_exceeded", StopReason.CONTEXT_WINDOW),
        ("something_new", StopReason.END_TURN),
    ],
)
def test_k10_stop_reasons(reason, stop):
    assert completion(ask_claude(ok(events(START, *text(0, "x"), *end(reason))))).stop == stop


def test_calls_without_arguments_and_with_a_used_or_empty_id():
    done = completion(
        ask_claude(ok(events(START, *tool(0, "t"), *tool(1, "t", "{}"), *tool(2, "", ""), *end("tool_use"))))
    )
    assert [part.arguments for part in done.parts] == ["{}", "{}", "{}"]
    ids = [part.id for part in done.parts]
    assert len(set(ids)) == 3
    assert all(ids)


def test_input_that_comes_whole_with_the_start_of_the_block():
    start = {"type": "tool_use", "id": "t", "name": "read_file", "input": {"path": "a"}}
    done = completion(ask_claude(ok(events(START, *block(0, start), *end("tool_use")))))
    assert json.loads(done.parts[0].arguments) == {"path": "a"}


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        events(START),
        events(START, *text(0, "Hel")[:2]),
        events(START, *tool(0, "t", '{"pa')[:2]),
        events(START, *tool(0, "t", "{}")),
    ],
    ids=["nothing", "the start", "some text", "half a call", "a whole call"],
)
@pytest.mark.parametrize("wrap", [cut, ok], ids=["connection cut", "ended without a mark"])
def test_c34_a_stream_that_ends_early_is_a_cut(sent, wrap):
    with pytest.raises(StreamCut):
        ask_claude(wrap(sent))


def test_c34_a_silent_stream():
    async def go():
        async with serving(cut(events(START)), silent=True) as server:
            await collect(claude(server, idle_timeout=0.2))

    with pytest.raises(StreamCut, match="sent nothing"):
        asyncio.run(go())


@pytest.mark.parametrize(
    ("error_type", "kind"),
    [
        ("overloaded_error", Overloaded),
        ("rate_limit_error", RateLimited),
        ("api_error", ServerFailed),
        ("timeout_error", ServerFailed),
        ("invalid_request_error", BadRequest),
    ],
)
def test_errors_inside_a_stream(error_type, kind):
    error = {"type": "error", "error": {"type": error_type, "message": "Sorry"}}
    with pytest.raises(kind) as caught:
        ask_claude(ok(events(START, *text(0, "x"), error)))
    assert "HTTP" not in str(caught.value)


def test_models_are_listed_over_all_pages():
    pages = [
        {"data": [{"id": "a", "type": "model"}], "has_more": True, "last_id": "a", "first_id": "a"},
        {"data": [{"id": "b", "type": "model"}], "has_more": False, "last_id": "b", "first_id": "b"},
    ]

    async def go():
        async with serving(*(ok(json.dumps(page).encode(), "application/json") for page in pages)) as server:
            provider = claude(server)
            try:
                return await provider.list_models()
            finally:
                await provider.aclose()

    assert asyncio.run(go()) == ["a", "b"]


def test_the_request_holds_the_key_and_asks_for_a_stream():
    async def go():
        async with serving(ok(events(START, *text(0, "x"), *end()))) as server:
            await collect(claude(server), request())
            return server

    server = asyncio.run(go())
    assert "sk-secret-1234567890" in server.heads[0]
    assert "POST /v1/messages" in server.heads[0]
    assert server.bodies[0]["stream"] is True
