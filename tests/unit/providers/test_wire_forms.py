"""What is sent: our messages in both wire forms, as the server receives them."""

import json
import re
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from agent_cli.core.models import ToolSpec
from agent_cli.providers import anthropic_wire, openai_wire
from tests.build import assistant, call, result, user
from tests.unit.providers.raw import CLAUDE, OPENAI, request

TOOLS = (ToolSpec("a", "A.", {"type": "object"}), ToolSpec("b", "B.", {"type": "object"}))
SEALED = Thinking(" hm\n", signature="S==", wire="anthropic")
PIXEL = Image("image/png", "iVBOR")


def to_openai(*messages, official=False, **fields):
    return openai_wire.body(OPENAI, request(*messages, **fields), official=official)


def to_claude(*messages, **fields):
    return anthropic_wire.body(CLAUDE, request(*messages, **fields))


def tool_message(*parts):
    return Message("m", "t", "tool", parts)


def test_openai_body():
    body = to_openai(user("hi"), tools=TOOLS, system=("One.", "", "Two."))
    assert body["messages"] == [
        {"role": "system", "content": "One.\n\nTwo."},
        {"role": "user", "content": "hi"},
    ]
    assert body["max_tokens"] == 1000
    assert body["stream_options"] == {"include_usage": True}
    assert [tool["function"]["name"] for tool in body["tools"]] == ["a", "b"]
    assert "tool_choice" not in body
    assert "max_completion_tokens" in to_openai(official=True)


def test_a_request_without_tool_use_still_sends_the_tools():
    assert to_openai(tools=TOOLS, use_tools=False)["tool_choice"] == "none"
    body = to_claude(tools=TOOLS, use_tools=False)
    assert (body["tool_choice"], len(body["tools"])) == ({"type": "none"}, 2)


def test_openai_calls_and_results():
    body = to_openai(user("go"), assistant("Reading.", call("c1", path="x")), result("c1", "text"))
    assert body["messages"][2:] == [
        {
            "role": "assistant",
            "content": "Reading.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "read_file", "arguments": '{"path": "x"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "text"},
    ]


def test_anthropic_joins_results_in_one_user_message_results_first():
    body = to_claude(
        user("go"),
        assistant(call("c1"), call("c2")),
        result("c1"),
        result("c2", "bad", is_error=True),
        user("also"),
        user("this"),
    )
    roles = [message["role"] for message in body["messages"]]
    assert roles == ["user", "assistant", "user"]
    kinds = [(block["type"], block.get("is_error")) for block in body["messages"][2]["content"]]
    assert kinds == [("tool_result", None), ("tool_result", True), ("text", None), ("text", None)]


def test_anthropic_results_come_first_even_when_a_note_was_added_before_them():
    body = to_claude(user("go"), assistant(call("c1")), user("note", origin="hook"), result("c1"))
    assert [block["type"] for block in body["messages"][2]["content"]] == ["tool_result", "text"]


def test_anthropic_breakpoints_are_four_and_never_on_thinking():
    body = to_claude(
        user("one"),
        assistant("x", call("c1")),
        result("c1"),
        assistant("answer", SEALED),
        user("two"),
        tools=TOOLS,
        system=("A", "B"),
    )
    assert [("cache_control" in block) for block in body["system"]] == [False, True]
    assert [("cache_control" in tool) for tool in body["tools"]] == [False, True]
    marked = [[("cache_control" in block) for block in message["content"]] for message in body["messages"]]
    assert marked == [[False], [False, False], [False], [True, False], [True]]


def test_each_request_extends_the_bytes_of_the_one_before():
    history = [
        user("one"),
        assistant("x", call("bad id!")),
        result("bad id!", ""),
        assistant("y"),
        user("two"),
    ]
    for size in range(1, len(history)):
        for form in (
            openai_wire.messages(request(*history[:size]), reasoning=True),
            anthropic_wire.messages(request(*history[:size])),
        ):
            longer = (
                openai_wire.messages(request(*history), reasoning=True)
                if form[0]["role"] == "system"
                else anthropic_wire.messages(request(*history))
            )
            assert json.dumps(longer).startswith(json.dumps(form)[:-1])


def test_c31_sealed_thinking_goes_back_byte_for_byte():
    hidden = Thinking(data="opaque", wire="anthropic")
    content = to_claude(user("go"), assistant(SEALED, hidden, "x", call("c")), result("c"))["messages"][1][
        "content"
    ]
    assert content[:2] == [
        {"type": "thinking", "thinking": " hm\n", "signature": "S=="},
        {"type": "redacted_thinking", "data": "opaque"},
    ]


def test_c32_foreign_and_unsealed_thinking_is_dropped():
    foreign = Thinking("deep", wire="openai:reasoning_content")
    content = to_claude(user("go"), assistant(foreign, Thinking("x", wire="anthropic"), "hi"))["messages"][1][
        "content"
    ]
    assert [block["type"] for block in content] == ["text"]
    assert "hm" not in json.dumps(to_openai(user("go"), assistant(SEALED, "hi"))["messages"])


def test_c30_reasoning_goes_back_in_its_field_and_calls_without_it_get_a_note():
    thought = Thinking("deep", wire="openai:reasoning_content")
    history = (
        user("go"),
        assistant(call("c0")),
        result("c0"),
        assistant(thought, "x", call("c")),
        result("c"),
    )
    sent = to_openai(*history)["messages"]
    assert sent[4]["reasoning_content"] == "deep"
    assert sent[2]["reasoning_content"].strip()
    assert "reasoning_content" not in json.dumps(to_openai(*history, official=True))


@pytest.mark.parametrize("blank", ["", "\n", "   "])
def test_c29_blank_text_is_never_sent(blank):
    history = (
        user(blank),
        assistant(blank, call("c")),
        result("c", blank),
        assistant(blank),
        user("next"),
        assistant(blank),
        user(blank),
    )
    for message in to_openai(*history)["messages"]:
        assert message["content"] is None or message["content"].strip()
    for message in to_claude(*history)["messages"]:
        assert message["content"]
        for block in message["content"]:
            assert block.get("text", "x").strip()
            assert block.get("content", "x").strip()
    roles = [message["role"] for message in to_claude(*history)["messages"]]
    assert all(one != two for one, two in pairwise(roles))


def test_c29_an_assistant_with_only_foreign_thinking_keeps_its_turn():
    only = assistant(Thinking("x", wire="other"))
    assert to_claude(user("a"), only, user("b"))["messages"][1]["content"][0]["text"].strip()
    assert to_openai(user("a"), only, user("b"))["messages"][2]["content"].strip()


def test_images():
    with_image = Message("m", "t", "user", (Text("look"), PIXEL))
    (sent,) = to_openai(with_image)["messages"][1:]
    assert sent["content"][1] == {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBOR"}}
    (sent,) = to_claude(with_image)["messages"]
    assert sent["content"][1]["source"] == {"type": "base64", "media_type": "image/png", "data": "iVBOR"}


def test_images_of_tools():
    history = (
        user("go"),
        assistant(call("c1"), call("c2")),
        tool_message(ToolResult("c1", "an image"), PIXEL),
        result("c2"),
    )
    roles = [message["role"] for message in to_openai(*history)["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "tool", "user"]
    blocks = to_claude(*history)["messages"][2]["content"]
    assert [block["type"] for block in blocks[0]["content"]] == ["text", "image"]


@pytest.mark.parametrize(
    "written", ['{"path": "a', "[1]", "null", "NaN", '{"a": NaN}', '"x"', '{"a": "\\ud800"}']
)
def test_arguments_that_are_no_object_are_sent_as_one_that_shows_them(written):
    history = (user("go"), assistant(ToolCall("c", "f", written)), result("c"))
    block = to_claude(*history)["messages"][1]["content"][0]
    assert block["input"] == {"_raw": written}
    assert json.loads(to_openai(*history)["messages"][2]["tool_calls"][0]["function"]["arguments"]) == {
        "_raw": written
    }


def test_arguments_keep_the_models_own_bytes():
    written = '{ "b":1,"a" : "ü" }'
    sent = to_openai(user("go"), assistant(ToolCall("c", "f", written)), result("c"))
    assert sent["messages"][2]["tool_calls"][0]["function"]["arguments"] == written


def test_lone_surrogates_do_not_stop_a_request():
    history = (user("a\ud800b"), assistant("\udfff", call("c")), result("c", "\ud83d"))
    json.dumps([to_claude(*history), to_openai(*history)], ensure_ascii=False).encode()


def test_c32_tool_names_and_ids_of_other_wires():
    history = (user("go"), assistant(ToolCall("call|fc_9:1", "mcp.server/tool", "{}")), result("call|fc_9:1"))
    block = to_claude(*history)["messages"][1]["content"][0]
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", block["id"])
    assert block["name"] == "mcp_server_tool"
    assert to_claude(*history)["messages"][2]["content"][0]["tool_use_id"] == block["id"]


@given(st.lists(st.text(max_size=80), min_size=1, max_size=8))
def test_c32_ids_are_portable_unique_and_match_their_results(ids):
    history = [user("go")]
    for given_id in ids:
        history += [assistant(ToolCall(given_id, "f", "{}")), tool_message(ToolResult(given_id, "ok"))]
    sent = to_openai(*history)["messages"][2:]
    calls = [message["tool_calls"][0]["id"] for message in sent[::2]]
    assert calls == [message["tool_call_id"] for message in sent[1::2]]
    assert len(set(calls)) == len(calls)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", one) for one in calls)
    assert to_openai(*history)["messages"][2:] == sent


@pytest.mark.parametrize(
    ("name", "official", "tools", "effort"),
    [
        ("gpt-5.6-terra", True, TOOLS, "none"),
        ("gpt-6", True, TOOLS, "none"),
        ("gpt-5.6", True, (), None),
        ("gpt-5.6", False, TOOLS, None),
        ("gpt-5.4", True, TOOLS, None),
        ("gpt-60", True, TOOLS, None),
    ],
)
def test_models_that_refuse_tools_with_an_effort_get_none_at_openai_itself(name, official, tools, effort):
    model = msgspec.structs.replace(OPENAI, name=name)
    body = openai_wire.body(model, request(user("hi"), tools=tools), official=official)
    assert body.get("reasoning_effort") == effort
