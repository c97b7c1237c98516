"""Both providers against strict local servers: what is sent is accepted, what comes back is understood."""

import asyncio

import pytest

from agent_cli.core import errors
from agent_cli.core.events import Finished, Restarted
from agent_cli.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from agent_cli.core.models import ModelSpec, StopReason, ToolSpec
from agent_cli.providers.anthropic import Anthropic
from agent_cli.providers.fakes import Call, Cut, FakeServer, Fault, Reply
from agent_cli.providers.fakes.anthropic_answer import seal
from agent_cli.providers.openai_chat import OpenAIChat
from agent_cli.providers.retry import Retrying
from agent_cli.settings.schema import RetrySettings
from tests.build import FakeClock, assistant, call, result, user
from tests.unit.providers.raw import request

READ = ToolSpec(
    "read_file",
    "Reads.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
PIXEL = Image(
    "image/png",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
)


def provider(server, wire):
    model = ModelSpec(wire, "scripted", 32_768, "test")
    if wire == "openai":
        return OpenAIChat(model, api_key="test-key", base_url=server.openai_url)
    return Anthropic(model, api_key="test-key", base_url=server.anthropic_url)


def ask(server, wire, *asked, clock=None):
    """The events of each request, sent one after another over one connection."""

    async def go():
        made = provider(server, wire)
        if clock is not None:
            made = Retrying(made, RetrySettings(), clock)
        try:
            return [[event async for event in made.stream(one)] for one in asked]
        finally:
            await made.aclose()

    return asyncio.run(go())


def history(wire):
    own = Thinking("hm", signature=seal("hm"), wire="anthropic")
    foreign = Thinking("deep", wire="openai:reasoning_content")
    return (
        user("  "),
        user("go"),
        assistant(
            own,
            foreign,
            "",
            ToolCall("call|fc_9:1", "mcp.x/read", '{"path": "a'),
            ToolCall("", "read_file", ""),
        ),
        Message("m", "t", "tool", (ToolResult("call|fc_9:1", " \n"), PIXEL)),
        Message("m", "t", "tool", (ToolResult("", "", True),)),
        assistant(foreign),
        Message("m", "t", "user", (Text(""), Text("look"), PIXEL)),
        user("and this", origin="loop"),
        assistant("\n", call("c2", path="b")),
        result("c2"),
        user("next"),
    )


WIRES = ["openai", "anthropic"]


@pytest.mark.parametrize("wire", WIRES)
def test_c29_c31_c32_the_worst_history_is_accepted(wire):
    with FakeServer([Reply("fine")]) as server:
        (events,) = ask(server, wire, request(*history(wire), tools=(READ,)))
    assert server.refused == []
    assert events[-1].completion.parts == (Text("fine"),)


@pytest.mark.parametrize("wire", WIRES)
def test_a_turn_with_thinking_and_calls_goes_there_and_back(wire):
    calls = (Call("read_file", {"path": "a"}), Call("read_file", {"path": "b"}))
    with FakeServer(
        [Reply("Reading.", calls=calls, thinking="hm"), Reply("done")], require_reasoning=True
    ) as server:
        (first,) = ask(server, wire, request(user("go"), tools=(READ,)))
        done = first[-1].completion
        assert done.stop == StopReason.TOOL_USE
        results = [result(part.id) for part in done.parts if isinstance(part, ToolCall)]
        (second,) = ask(server, wire, request(user("go"), assistant(*done.parts), *results, tools=(READ,)))
    assert server.refused == []
    assert second[-1].completion.parts == (Text("done"),)
    assert any(isinstance(part, Thinking) for part in done.parts)
    assert done.usage == server.requests[0].usage


@pytest.mark.parametrize("wire", WIRES)
def test_the_second_request_reads_the_cache(wire):
    system = "You are careful. " * 1200
    first = (user("go"), assistant("Reading."), user("go on"))
    longer = (*first, assistant("ok"), user("again"))
    with FakeServer(lambda seen: Reply("ok")) as server:
        events = ask(
            server,
            wire,
            *(request(*messages, system=(system,), tools=(READ,)) for messages in (first, longer)),
        )
    usage = events[1][-1].completion.usage
    assert usage.cache_read > 0.9 * events[0][-1].completion.usage.input
    assert usage.input == server.requests[1].usage.input


@pytest.mark.parametrize("wire", WIRES)
def test_too_long_an_input_names_the_sizes(wire):
    with FakeServer([], window=2000) as server, pytest.raises(errors.Overflow) as caught:
        ask(server, wire, request(user("word " * 4000)))
    assert caught.value.limit == 2000
    assert caught.value.used > 2000


@pytest.mark.parametrize("wire", WIRES)
def test_a_broken_history_is_recognised(wire):
    with FakeServer([]) as server, pytest.raises(errors.MalformedHistory):
        ask(server, wire, request(user("go"), assistant(call("c1", path="a")), user("well?"), tools=(READ,)))


@pytest.mark.parametrize("wire", WIRES)
def test_429_529_500_and_a_cut_stream_are_survived(wire):
    script = [
        Fault(429, "slow down", headers={"retry-after": "2"}),
        Fault(529, "Overloaded"),
        Fault(500, "boom"),
        Cut(Reply("a long answer that is cut somewhere in its middle")),
        Reply("made it"),
    ]
    clock = FakeClock()
    with FakeServer(script) as server:
        (events,) = ask(server, wire, request(), clock=clock)
    assert [event.attempt for event in events if isinstance(event, Restarted)] == [2, 3, 4, 5]
    assert clock.slept[0] == 2.0
    assert isinstance(events[-1], Finished)
    assert events[-1].completion.parts == (Text("made it"),)


@pytest.mark.parametrize("wire", WIRES)
def test_a_wrong_key(wire):
    with FakeServer([], api_key="another") as server, pytest.raises(errors.AuthFailed):
        ask(server, wire, request())


@pytest.mark.parametrize("wire", WIRES)
def test_models_are_listed(wire):
    async def go(server):
        made = provider(server, wire)
        try:
            return await made.list_models()
        finally:
            await made.aclose()

    with FakeServer([], models=("one", "two")) as server:
        assert asyncio.run(go(server)) == ["one", "two"]


@pytest.mark.parametrize("wire", WIRES)
def test_warming_in_a_thread_is_safe_beside_a_call(wire):
    async def go(server):
        made = provider(server, wire)
        try:
            _, events = await asyncio.gather(asyncio.to_thread(made.warm), collect(made))
            return events
        finally:
            await made.aclose()

    async def collect(made):
        return [event async for event in made.stream(request())]

    with FakeServer([Reply("hi")]) as server:
        assert isinstance(asyncio.run(go(server))[-1], Finished)
