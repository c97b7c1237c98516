"""Chat Completions answers as real servers stream them, through the SDK over HTTP."""

import asyncio
import json

import pytest

from agent_cli.core.errors import BadRequest, ConnectionFailed, Overflow, Overloaded, RateLimited, StreamCut
from agent_cli.core.events import CallDelta, TextDelta, ThinkingDelta
from agent_cli.core.messages import Text, Thinking, ToolCall
from agent_cli.core.models import StopReason
from agent_cli.core.usage import Usage
from agent_cli.providers.openai_wire import body
from tests.build import assistant, call, result, user
from tests.unit.providers.raw import (
    KEY,
    OPENAI,
    ask_openai,
    collect,
    completion,
    cut,
    ok,
    openai,
    request,
    serving,
    sse,
)


def delta(finish=None, **fields):
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def piece(index=None, given=None, name=None, arguments="-"):
    function = {}
    if name is not None:
        function["name"] = name
    if arguments != "-":
        function["arguments"] = arguments
    made = {"function": function}
    if index is not None:
        made["index"] = index
    if given is not None:
        made["id"] = given
    return made


def calls(*pieces):
    return delta(tool_calls=list(pieces))


END = delta("tool_calls")
A, B = ("read_file", {"path": "a"}), ("grep", {"pattern": "b"})
TEXT_A, TEXT_B = '{"path": "a"}', '{"pattern": "b"}'

QUIRKS = {
    "plain": ([calls(piece(0, "c1", "read_file", "")), calls(piece(0, arguments='{"path"')), calls(piece(0, arguments=': "a"}'))], [A]),
    "no index": ([calls(piece(None, "c1", "read_file", TEXT_A)), calls(piece(None, "c2", "grep", TEXT_B))], [A, B]),
    "no index, pieces without id": ([calls(piece(None, "c1", "read_file", "")), calls(piece(arguments='{"path"')), calls(piece(arguments=': "a"}'))], [A]),
    "index always 0, ids differ": ([calls(piece(0, "c1", "read_file", TEXT_A)), calls(piece(0, "c2", "grep", TEXT_B))], [A, B]),
    "index always 0, ids differ, same tool": ([calls(piece(0, "c1", "read_file", TEXT_A)), calls(piece(0, "c2", "read_file", '{"path": "z"}'))], [A, ("read_file", {"path": "z"})]),
    "index always 0, interleaved by id": ([calls(piece(0, "c1", "read_file", '{"path"')), calls(piece(0, "c2", "grep", '{"pattern"')), calls(piece(0, "c1", None, ': "a"}')), calls(piece(0, "c2", None, ': "b"}'))], [A, B]),
    "index always 0, no ids": ([calls(piece(0, None, "read_file", TEXT_A)), calls(piece(0, None, "grep", TEXT_B))], [A, B]),
    "first index 1": ([calls(piece(1, "c1", "read_file", TEXT_A)), calls(piece(2, "c2", "grep", TEXT_B))], [A, B]),
    "id in every chunk": ([calls(piece(0, "c1", "read_file", '{"path"')), calls(piece(0, "c1", None, ': "a"}'))], [A]),
    "id and name in every chunk": ([calls(piece(0, "c1", "read_file", '{"path"')), calls(piece(0, "c1", "read_file", ': "a"}'))], [A]),
    "no ids at all": ([calls(piece(0, None, "read_file", TEXT_A), piece(1, None, "grep", TEXT_B))], [A, B]),
    "neither index nor id, one chunk": ([calls(piece(None, None, "read_file", TEXT_A), piece(None, None, "grep", TEXT_B))], [A, B]),
    "neither index nor id, two chunks": ([calls(piece(None, None, "read_file", TEXT_A)), calls(piece(None, None, "read_file", TEXT_A))], [A, A]),
    "both ids the same": ([calls(piece(0, "c1", "read_file", TEXT_A), piece(1, "c1", "grep", TEXT_B))], [A, B]),
    "same id and index, other tool": ([calls(piece(0, "c1", "read_file", TEXT_A)), calls(piece(0, "c1", "grep", TEXT_B))], [A, B]),
    "same id and index, arguments begin again": ([calls(piece(0, "c1", "read_file", TEXT_A)), calls(piece(0, "c1", None, '{"path": "z"}'))], [A, ("read_file", {"path": "z"})]),
    "arguments null": ([calls(piece(0, "c1", "list_files", None))], [("list_files", {})]),
    "arguments empty": ([calls(piece(0, "c1", "list_files", ""))], [("list_files", {})]),
    "no arguments field, two calls": ([calls(piece(0, None, "list_files")), calls(piece(0, None, "todo"))], [("list_files", {}), ("todo", {})]),
    "arguments an object": ([calls(piece(0, "c1", "read_file", {"path": "a"}))], [A]),
    "name first, arguments later": ([calls(piece(0, "c1")), calls(piece(0, None, "read_file")), calls(piece(0, None, None, TEXT_A))], [A]),
    "cumulative": ([calls(piece(0, "c1", "read_file", '{"path"')), calls(piece(0, "c1", "read_file", '{"path": "a')), calls(piece(0, "c1", "read_file", TEXT_A)), calls(piece(0, "c1", "read_file", TEXT_A))], [A]),
    "repeated whole": ([calls(piece(0, "c1", "read_file", TEXT_A)), calls(piece(0, "c1", "read_file", TEXT_A))], [A]),
    "repeated whole, no ids": ([calls(piece(0, None, "read_file", TEXT_A)), calls(piece(0, None, "read_file", TEXT_A))], [A]),
    "same tool again, no ids": ([calls(piece(0, None, "read_file", TEXT_A)), calls(piece(0, None, "read_file", '{"path": "z"}'))], [A, ("read_file", {"path": "z"})]),
    "nested object that looks cumulative": ([calls(piece(0, "c1", "f", '{"a":')), calls(piece(0, None, None, '{"a":1}}'))], [("f", {"a": {"a": 1}})]),
    "a phantom entry": ([calls(piece(0, "c1", "read_file", TEXT_A)), calls(piece(1, "", "", ""))], [A]),
    "id changes in every chunk": ([calls(piece(0, "c1", "read_file", '{"path"')), calls(piece(0, "c2", None, ': "a"}'))], [A]),
}  # fmt: skip


@pytest.mark.parametrize("name", QUIRKS)
def test_c27_calls_are_put_together_however_they_are_streamed(name):
    chunks, wanted = QUIRKS[name]
    done = completion(ask_openai(ok(sse(*chunks, END))))
    made = [part for part in done.parts if isinstance(part, ToolCall)]
    assert [(one.name, json.loads(one.arguments)) for one in made] == wanted
    assert done.stop == StopReason.TOOL_USE
    ids = [one.id for one in made]
    assert all(ids)
    assert len(set(ids)) == len(ids)


def test_c26_an_id_used_earlier_in_the_conversation_is_replaced():
    history = (user("go"), assistant(call("call_0", path="x")), result("call_0"))
    made = completion(
        ask_openai(ok(sse(calls(piece(0, "call_0", "read_file", TEXT_A)), END)), asked=request(*history))
    )
    again = completion(
        ask_openai(ok(sse(calls(piece(0, "call_0", "read_file", TEXT_A)), END)), asked=request(*history))
    )
    (part,) = made.parts
    assert part.id not in ("", "call_0")
    assert made == again


def test_halved_arguments_are_kept_as_written():
    done = completion(ask_openai(ok(sse(calls(piece(0, "c1", "read_file", '{"path": "a')), END))))
    assert done.parts[0].arguments == '{"path": "a'


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_c30_reasoning_comes_first_and_remembers_its_field(field):
    body = sse(delta(**{field: "Let me "}), delta(**{field: "see."}), delta(content="Hi"), delta("stop"))
    events = ask_openai(ok(body))
    assert completion(events).parts == (Thinking("Let me see.", wire=f"openai:{field}"), Text("Hi"))
    assert [event.text for event in events if isinstance(event, ThinkingDelta)] == ["Let me ", "see."]


def test_reasoning_sent_in_both_fields_is_taken_once():
    done = completion(
        ask_openai(ok(sse(delta(reasoning_content="x", reasoning="x"), delta("stop", content="y"))))
    )
    assert done.parts == (Thinking("x", wire="openai:reasoning_content"), Text("y"))


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", StopReason.END_TURN),
        ("length", StopReason.MAX_TOKENS),
        ("content_filter", StopReason.REFUSAL),
        ("tool_calls", StopReason.END_TURN),
        ("eos", StopReason.END_TURN),
        ("model_context_window_exceeded", StopReason.CONTEXT_WINDOW),
        ("error", StopReason.ERROR),
        (None, StopReason.END_TURN),
    ],
)
def test_k10_finish_reasons(finish, stop):
    done = completion(ask_openai(ok(sse(delta(content="hi"), delta(finish)))))
    assert (done.parts, done.stop) == ((Text("hi"),), stop)


@pytest.mark.parametrize("finish", ["stop", None, "tool_calls"])
def test_calls_mean_tool_use_whatever_the_finish_reason(finish):
    done = completion(ask_openai(ok(sse(calls(piece(0, "c", "f", "{}")), delta(finish)))))
    assert done.stop == StopReason.TOOL_USE


def test_a_refusal_is_text_with_its_stop_reason():
    done = completion(ask_openai(ok(sse(delta(refusal="I cannot."), delta("stop")))))
    assert (done.parts, done.stop) == ((Text("I cannot."),), StopReason.REFUSAL)


USAGE = {"prompt_tokens": 30, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 20}}
WANTED = Usage(input=30, output=5, cache_read=20)


@pytest.mark.parametrize(
    ("chunks", "usage"),
    [
        ([delta("stop", content="x"), {"choices": [], "usage": USAGE}], WANTED),
        ([{**delta("stop", content="x"), "usage": USAGE}], WANTED),
        ([{"choices": [{"delta": {"content": "x"}, "finish_reason": "stop", "usage": USAGE}]}], WANTED),
        ([{**delta(content="x"), "usage": None}, delta("stop")], None),
        ([delta("stop", content="x")], None),
        (
            [
                delta("stop", content="x"),
                {
                    "choices": [],
                    "usage": {"prompt_tokens": 3, "completion_tokens": None, "prompt_tokens_details": None},
                },
            ],
            Usage(input=3),
        ),
    ],
    ids=["last", "with the last choice", "inside the last choice", "null", "never", "half empty"],
)
def test_usage_wherever_a_server_puts_it(chunks, usage):
    assert completion(ask_openai(ok(sse(*chunks)))).usage == usage


def test_empty_choices_unknown_fields_comments_and_rubbish_lines_are_passed_over():
    body = b": keep-alive\n\ndata: not json\n\nid: 7\nretry: 10\n" + sse(
        {"choices": []},
        {"x": 1},
        {"choices": None},
        {"choices": [{"delta": None}]},
        delta(content="a\u2028b", strange={"x": 1}),
        delta("stop"),
    )
    assert completion(ask_openai(ok(body))).parts == (Text("a\u2028b"),)


def test_a_server_that_ignores_stream_and_answers_whole():
    message = {"role": "assistant", "content": "hi", "tool_calls": [piece(None, "c", "read_file", TEXT_A)]}
    body = json.dumps(
        {"choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": USAGE}
    ).encode()
    done = completion(ask_openai(ok(body, "application/json")))
    assert done.parts == (Text("hi"), ToolCall("c", "read_file", TEXT_A))
    assert done.usage == WANTED


def test_events_are_passed_on_as_they_come():
    events = ask_openai(ok(sse(delta(content="a"), delta(content="b"), calls(piece(0, "c", "f", "{}")), END)))
    assert events[:3] == [TextDelta("a"), TextDelta("b"), CallDelta(0, "f", 2)]


CUTS = {
    "nothing": b"",
    "some text": sse(delta(content="Hel"), done=False),
    "half a call": sse(delta(content="x"), calls(piece(0, "c", "f", '{"a"')), done=False),
    "a whole call": sse(calls(piece(0, "c", "f", "{}")), done=False),
}


@pytest.mark.parametrize("wrap", [cut, ok], ids=["connection cut", "ended without a mark"])
@pytest.mark.parametrize("name", CUTS)
def test_c34_a_stream_that_ends_early_is_a_cut_and_never_half_an_answer(name, wrap):
    with pytest.raises(StreamCut) as caught:
        ask_openai(wrap(CUTS[name]))
    assert "HTTP" not in str(caught.value)
    assert caught.value.retryable


def test_a_connection_lost_after_the_finish_reason_costs_nothing():
    assert completion(ask_openai(cut(sse(delta("stop", content="all"), done=False)))).parts == (Text("all"),)


def test_c34_a_silent_stream_is_cut_with_the_time_named():
    async def go():
        async with serving(cut(sse(delta(content="a"), done=False)), silent=True) as server:
            await collect(openai(server, idle_timeout=0.2))

    with pytest.raises(StreamCut, match=r"sent nothing for 0\.2 seconds"):
        asyncio.run(go())


def test_c34_a_server_that_never_answers_is_no_connection():
    async def go():
        async with serving(b"", silent=True) as server:
            await collect(openai(server, idle_timeout=0.2))

    with pytest.raises(ConnectionFailed, match=r"sent nothing for 0\.2 seconds"):
        asyncio.run(go())


def test_a_closed_port_names_the_address():
    async def go():
        async with serving(b"") as server:
            pass
        await collect(openai(server))

    with pytest.raises(ConnectionFailed, match=r"127\.0\.0\.1"):
        asyncio.run(go())


def test_a_server_that_hangs_up_without_a_word():
    with pytest.raises(ConnectionFailed, match="closed the connection"):
        ask_openai(b"")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "slow down", "code": "rate_limit_exceeded"}, RateLimited),
        ({"message": "Provider returned error", "code": 502, "metadata": {"raw": '{"error": {"message": "This model\'s maximum context length is 10 tokens. However, you requested about 20 tokens"}}'}}, Overflow),
        ({"message": "overloaded", "code": 503}, Overloaded),
        ("The number of tokens to keep from the initial prompt is greater than the context length", Overflow),
    ],
)  # fmt: skip
def test_errors_inside_a_stream_are_recognised(error, kind):
    if kind is Overflow and isinstance(error, dict):
        error["code"] = 400
    with pytest.raises(kind):
        ask_openai(ok(sse(delta(content="x"), {"error": error})))


def test_an_error_that_comes_with_status_200():
    body = {
        "error": "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with 4096."
    }
    with pytest.raises(Overflow):
        ask_openai(ok(json.dumps(body).encode(), "application/json"))


def test_a_web_page_means_a_wrong_base_url():
    with pytest.raises(BadRequest, match="base URL"):
        ask_openai(ok(b"<html>hello</html>", "text/html"))


def test_a_base_url_without_scheme_is_explained():
    async def go():
        async with serving(b"") as server:
            await collect(openai(server, base_url="localhost:1/v1"))

    with pytest.raises(BadRequest, match="base URL"):
        asyncio.run(go())


def test_a_cancelled_stream_closes_its_connection_at_once():
    async def go():
        async with serving(cut(sse(delta(content="a"), done=False)), silent=True) as server:
            provider = openai(server)
            started = asyncio.Event()

            async def read():
                async for _ in provider.stream(request()):
                    started.set()

            task = asyncio.create_task(read())
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.wait_for(server.closed.wait(), 2)
            await provider.aclose()

    asyncio.run(go())


def test_a_stream_left_early_closes_its_connection():
    async def go():
        async with serving(
            cut(sse(delta(content="a"), delta(content="b"), done=False)), silent=True
        ) as server:
            provider = openai(server)
            stream = provider.stream(request())
            await anext(stream)
            await stream.aclose()
            await asyncio.wait_for(server.closed.wait(), 2)
            await provider.aclose()

    asyncio.run(go())


def test_models_are_listed():
    async def go():
        body = json.dumps({"object": "list", "data": [{"id": "a", "object": "model"}, {"id": "b"}]}).encode()
        async with serving(ok(body, "application/json")) as server:
            provider = openai(server)
            try:
                return await provider.list_models(), server.heads
            finally:
                await provider.aclose()

    models, heads = asyncio.run(go())
    assert models == ["a", "b"]
    assert "GET /v1/models" in heads[0]
    assert f"Bearer {KEY}" in heads[0]


def test_a_key_with_strange_characters_is_named_as_the_cause():
    from agent_cli.core.errors import AuthFailed

    with pytest.raises(AuthFailed, match="OPENAI_API_KEY"):
        ask_openai(b"", api_key="sk-ключ")


def test_the_body_arrives_as_it_was_made():
    async def go():
        async with serving(ok(sse(delta("stop", content="x")))) as server:
            await collect(openai(server))
            return server.bodies[0]

    assert asyncio.run(go()) == body(OPENAI, request(), official=False)
