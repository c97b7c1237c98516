"""Every rule of the Chat Completions table refuses in the service's words, and accepts the request put right."""

from typing import Any

import pytest

from agent_cli.providers.fakes import openai_rules
from tests.unit.providers.fakes.asking import post, said

HI = {"role": "user", "content": "hi"}
DONE = {"role": "tool", "tool_call_id": "call_1", "content": "done"}
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}


def chat(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {"model": "scripted", "messages": list(messages) or [HI], **fields}


def calls(*ids: str, arguments: str = "{}", **fields: Any) -> dict[str, Any]:
    made = [
        {"id": name, "type": "function", "function": {"name": "look", "arguments": arguments}} for name in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": made, **fields}


def tool(name: Any = "look", parameters: Any = SCHEMA) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != name}


LONG = "c" * 41
EXAMPLES = [
    # rule, what is refused, the words, the request put right
    ("model", without(chat(), "model"), "you must provide a model parameter", chat()),
    ("unknown fields", chat(max_token=5), "Unknown parameter: 'max_token'.", chat(max_tokens=5)),
    ("token limits", chat(max_tokens=5, max_completion_tokens=5), "at the same time is not supported", chat(max_tokens=5)),
    ("token limits", chat(max_tokens=0), "Expected a value >= 1, but got 0", chat(max_tokens=1)),
    ("token limits", chat(max_tokens="9"), "expected an integer, but got a string", chat(max_tokens=9)),
    (
        "stream options",
        chat(stream_options={"include_usage": True}),
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        chat(),
    ),
    ("tools", chat(tools={}), "Invalid type for 'tools'", chat(tools=[tool()])),
    ("tools", chat(tools=[]), "Invalid 'tools': empty array.", chat()),
    ("tools", chat(tools=[{"name": "look"}]), "Missing required parameter: 'tools[0].function'.", chat(tools=[tool()])),
    ("tools", chat(tools=[{**tool(), "type": "custom"}]), "Invalid value: 'custom'.", chat(tools=[tool()])),
    ("tools", chat(tools=[tool(None)]), "Missing required parameter: 'tools[0].function.name'.", chat(tools=[tool()])),
    ("tools", chat(tools=[tool("look.at")]), "the pattern '^[a-zA-Z0-9_-]+$'", chat(tools=[tool("look_at")])),
    ("tools", chat(tools=[tool("n" * 65)]), "maximum length 64, but got a string with length 65", chat(tools=[tool("n" * 64)])),
    ("tool schemas", chat(tools=[tool(parameters={"type": "array"})]), "'type: \"object\"', got 'type: \"array\"'", chat(tools=[tool()])),
    ("tool schemas", chat(tools=[tool(parameters=[])]), "got 'type: \"None\"'", chat(tools=[tool()])),
    (
        "tool schemas",
        chat(tools=[tool(parameters={"type": "object"})]),
        "Invalid schema for function 'look': In context=(), object schema missing properties.",
        chat(tools=[{"type": "function", "function": {"name": "look"}}]),
    ),
    (
        "tool schemas",
        chat(tools=[tool(parameters={"type": "object", "properties": {"paths": {"type": "array"}}})]),
        "In context=('properties', 'paths'), array schema missing items.",
        chat(tools=[tool(parameters={"type": "object", "properties": {"paths": {"type": "array", "items": {}}}})]),
    ),
    ("tool choice", chat(tool_choice="none"), "'tool_choice' is only allowed when 'tools' are specified", chat(tools=[tool()], tool_choice="none")),
    ("messages", without(chat(), "messages"), "Missing required parameter: 'messages'.", chat()),
    ("messages", {**chat(), "messages": []}, "Invalid 'messages': empty array.", chat()),
    ("messages", {**chat(), "messages": "hi"}, "Invalid type for 'messages'", chat()),
    ("messages", chat("hi"), "Invalid type for 'messages[0]'", chat()),
    ("roles", chat({"content": "hi"}), "Missing required parameter: 'messages[0].role'.", chat()),
    (
        "roles",
        chat(HI, {"role": "robot", "content": "hi"}),
        "Invalid value: 'robot'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
        chat(HI, {"role": "developer", "content": "hi"}),
    ),
    ("unknown message fields", chat({**HI, "id": "m1"}), "Unknown parameter: 'messages[0].id'.", chat({**HI, "name": "eve"})),
    ("content", chat({"role": "user", "content": None}), "Invalid value for 'content': expected a string, got null.", chat(HI)),
    ("content", chat({"role": "user", "content": 5}), "Invalid type for 'messages[0].content'", chat({"role": "user", "content": ""})),
    (
        "content",
        chat({"role": "user", "content": []}),
        "Invalid 'messages[0].content': empty array.",
        chat({"role": "user", "content": [{"type": "text", "text": "hi"}]}),
    ),
    ("content", chat({"role": "user", "content": ["hi"]}), "Invalid type for 'messages[0].content[0]'", chat()),
    ("content", chat({"role": "user", "content": [{"type": "text"}]}), "Missing required parameter: 'messages[0].content[0].text'.", chat()),
    (
        "content",
        chat(HI, calls("call_1"), {**DONE, "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}),
        "Invalid value: 'image_url'.",
        chat(HI, calls("call_1"), DONE, {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}),
    ),
    ("content", chat(HI, calls("call_1"), {**DONE, "content": None}), "expected a string, got null", chat(HI, calls("call_1"), DONE)),
    (
        "says nothing",
        chat(HI, {"role": "assistant", "content": None}),
        "Invalid value for 'content': expected a string, got null.",
        chat(HI, {"role": "assistant", "content": ""}),
    ),
    ("tool calls", chat(HI, {**calls(), "content": "x"}), "Invalid 'messages[1].tool_calls': empty array.", chat(HI, {"role": "assistant", "content": "x"})),
    ("tool calls", chat(HI, {**calls(), "tool_calls": {"id": "call_1"}}), "Invalid type for 'messages[1].tool_calls'", chat(HI, calls("call_1"), DONE)),
    ("tool calls", chat(HI, {**calls(), "tool_calls": ["look"]}), "Invalid type for 'messages[1].tool_calls[0]'", chat(HI, calls("call_1"), DONE)),
    (
        "tool calls",
        chat(HI, calls(LONG), {**DONE, "tool_call_id": LONG}),
        "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
        chat(HI, calls(LONG[:40]), {**DONE, "tool_call_id": LONG[:40]}),
    ),
    ("tool calls", chat(HI, calls(""), {**DONE, "tool_call_id": ""}), "empty string", chat(HI, calls("call_1"), DONE)),
    (
        "tool calls",
        chat(HI, {**calls(), "tool_calls": [{"type": "function", "function": {"name": "look", "arguments": "{}"}}]}),
        "Missing required parameter: 'messages[1].tool_calls[0].id'.",
        chat(HI, calls("call_1"), DONE),
    ),
    (
        "tool calls",
        chat(HI, {**calls(), "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "look"}}]}),
        "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'.",
        chat(HI, calls("call_1"), DONE),
    ),
    (
        "tool calls",
        chat(HI, {**calls(), "tool_calls": [{"id": "call_1", "type": "function", "function": {}}]}),
        "Missing required parameter: 'messages[1].tool_calls[0].function.name'.",
        chat(HI, calls("call_1"), DONE),
    ),
    (
        "tool calls",
        chat(HI, {**calls(), "tool_calls": [{"id": "call_1", "function": {"name": "look", "arguments": "{}"}}]}),
        "Invalid value: 'None'. Supported values are: 'function'.",
        chat(HI, calls("call_1"), DONE),
    ),
    ("arguments", chat(HI, calls("call_1", arguments='{"path'), DONE), "Failed to parse tool call arguments as JSON", chat(HI, calls("call_1"), DONE)),
    ("arguments", chat(HI, calls("call_1", arguments="[]"), DONE), "not an object", chat(HI, calls("call_1"), DONE)),
    ("arguments", chat(HI, calls("call_1", arguments=""), DONE), "Failed to parse tool call arguments as JSON", chat(HI, calls("call_1"), DONE)),
    (
        "repeated ids",
        chat(HI, calls("call_1", "call_1"), DONE),
        "Duplicate value for 'tool_call_id' of 'call_1', in messages[1].",
        chat(HI, calls("call_1", "call_2"), DONE, {**DONE, "tool_call_id": "call_2"}),
    ),
    (
        "answers",
        chat(HI, calls("call_1"), HI),
        ("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        "The following tool_call_ids did not have response messages: call_1"),
        chat(HI, calls("call_1"), DONE, HI),
    ),
    ("answers", chat(HI, calls("call_1")), "did not have response messages: call_1", chat(HI, calls("call_1"), DONE)),
    (
        "answers",
        chat(HI, calls("call_1", "call_2"), DONE, HI, {**DONE, "tool_call_id": "call_2"}),
        "did not have response messages: call_2",
        chat(HI, calls("call_1", "call_2"), {**DONE, "tool_call_id": "call_2"}, DONE, HI),
    ),
    (
        "answers",
        chat(HI, DONE),
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        chat(HI, calls("call_1"), DONE),
    ),
    ("answers", chat(HI, calls("call_1"), DONE, {**DONE, "tool_call_id": "call_9"}), "must be a response to a preceeding message", chat(HI, calls("call_1"), DONE)),
    (
        "answers",
        chat(HI, calls("call_1"), DONE, DONE),
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'call_1', in messages[2] and messages[3].",
        chat(HI, calls("call_1"), DONE, calls("call_1"), DONE),
    ),
    ("answers", chat(HI, calls("call_1"), without(DONE, "tool_call_id")), "Missing required parameter: 'messages[2].tool_call_id'.", chat(HI, calls("call_1"), DONE)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "bad", "words", "good"), EXAMPLES, ids=[f"{n}-{row[0]}" for n, row in enumerate(EXAMPLES)]
)
def test_refused_in_the_services_words_and_accepted_when_put_right(rule, bad, words, good):
    status, answer, server = post("openai", bad)
    assert (status, answer["error"]["type"]) == (400, "invalid_request_error")
    assert words in said(answer)
    assert set(answer["error"]) == {"message", "type", "param", "code"}
    assert [request.error for request in server.refused] == [said(answer)]
    status, answer, server = post("openai", good)
    assert (status, server.refused) == (200, [])


def test_every_rule_has_an_example():
    elsewhere = {"key", "reasoning"}
    assert {rule.name for rule in openai_rules.RULES} == {row[0] for row in EXAMPLES} | elsewhere


def test_every_rule_names_its_source():
    assert all(rule.source for rule in openai_rules.RULES)


def test_consecutive_user_messages_are_accepted():
    assert post("openai", chat({"role": "system", "content": "be brief"}, HI, HI, HI))[0] == 200


def test_wrong_and_missing_key_get_401():
    status, answer, _ = post("openai", chat(), {"authorization": "Bearer nonsense"})
    assert (status, answer["error"]["code"]) == (401, "invalid_api_key")
    assert "Incorrect API key provided: nons***" in said(answer)
    status, answer, server = post("openai", chat(), {})
    assert (status, "You didn't provide an API key." in said(answer), len(server.refused)) == (401, True, 1)


def test_an_unknown_model_gets_404():
    status, answer, _ = post("openai", chat(model="gpt-9"))
    assert (status, answer["error"]["code"]) == (404, "model_not_found")
    assert said(answer) == "The model `gpt-9` does not exist or you do not have access to it."
    assert post("openai", chat(model="gpt-9"), models=("scripted", "gpt-9"))[0] == 200


@pytest.mark.parametrize("raw", [b"{", b'{"model": NaN}', b'{"model": "\\ud800"}', b"\xff"])
def test_a_body_that_is_not_json_is_refused(raw):
    status, answer, server = post("openai", raw)
    assert (status, len(server.refused)) == (400, 1)
    assert "could not parse the JSON body" in said(answer)


@pytest.mark.parametrize(
    "reasoning", [{}, {"reasoning_content": ""}, {"reasoning_content": None}, {"reasoning_content": " "}]
)
def test_c30_reasoning_must_come_back_with_calls_where_the_server_asks_for_it(reasoning):
    body = chat(HI, calls("call_1", **reasoning), DONE)
    status, answer, _ = post("openai", body, require_reasoning=True)
    assert (status, said(answer)) == (
        400,
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
    )
    assert post("openai", body)[0] == 200
    assert (
        post("openai", chat(HI, calls("call_1", reasoning_content="so"), DONE), require_reasoning=True)[0]
        == 200
    )
    assert (
        post("openai", chat(HI, {"role": "assistant", "content": "x"}, HI), require_reasoning=True)[0] == 200
    )


def test_input_over_the_window_is_refused_with_both_numbers():
    body = chat({"role": "user", "content": "word " * 2_000})
    status, answer, server = post("openai", body, window=1_000)
    used = server.requests[0].input_tokens
    assert used > 1_000
    assert (status, answer["error"]["code"]) == (400, "context_length_exceeded")
    assert said(answer) == (
        f"This model's maximum context length is 1000 tokens. However, your messages resulted in {used} tokens. "
        "Please reduce the length of the messages."
    )
    assert len(server.refused) == 1
    assert post("openai", body, window=used)[0] == 200


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_input_and_output_budget_over_the_window_are_refused(name):
    window = post("openai", chat())[2].requests[0].input_tokens + 100
    status, answer, _ = post("openai", chat(**{name: 101}), window=window)
    assert (status, answer["error"]["code"]) == (400, "context_length_exceeded")
    assert (
        f"you requested {window + 1} tokens ({window - 100} in the messages, 101 in the completion)"
        in said(answer)
    )
    assert post("openai", chat(**{name: 100}), window=window)[0] == 200
