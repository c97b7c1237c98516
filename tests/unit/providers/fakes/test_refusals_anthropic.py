"""Every rule of the Messages table refuses in the service's words, and accepts the request put right."""

from typing import Any

import pytest

from agent_cli.providers.fakes import FakeServer, Reply, anthropic_rules
from agent_cli.providers.fakes.anthropic_answer import seal
from tests.unit.providers.fakes.asking import KEYS, ask, post, said

HI = {"role": "user", "content": "hi"}
OK = {"role": "assistant", "content": "ok"}
TOOLS = [{"name": "look", "input_schema": {"type": "object"}}]
MARK = {"type": "ephemeral"}
THOUGHT = {"type": "thinking", "thinking": "so", "signature": seal("so")}


def ask_for(*messages: Any, **fields: Any) -> dict[str, Any]:
    return {
        "model": "scripted",
        "max_tokens": 50,
        "tools": TOOLS,
        "messages": list(messages) or [HI],
        **fields,
    }


def text(words: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **fields}


def use(call_id: Any = "toolu_1", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": {}, **fields}


def result(name: Any = "toolu_1", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": "done", **fields}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def without(body: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in body.items() if key != name}


def tool(**fields: Any) -> list[dict[str, Any]]:
    return [{**TOOLS[0], **fields}]


CALLED = ask_for(HI, assistant(use()), user(result()))
EXAMPLES = [
    # rule, what is refused, the words, the request put right
    ("required", without(ask_for(), "max_tokens"), "max_tokens: Field required", ask_for()),
    ("required", without(ask_for(), "model"), "model: Field required", ask_for()),
    ("required", without(ask_for(), "messages"), "messages: Field required", ask_for()),
    ("max tokens", ask_for(max_tokens=0), "max_tokens: Input should be greater than or equal to 1", ask_for(max_tokens=1)),
    ("max tokens", ask_for(max_tokens="5"), "max_tokens: Input should be a valid integer", ask_for(max_tokens=5)),
    ("unknown fields", ask_for(stream_options={}), "stream_options: Extra inputs are not permitted", ask_for(stream=False)),
    ("system", ask_for(system=""), "system: text content blocks must be non-empty", ask_for(system="be brief")),
    ("system", ask_for(system=[text(" \n")]), "system: text content blocks must contain non-whitespace text", ask_for(system=[text("x")])),
    ("system", ask_for(system=[use()]), "system.0.type: Input should be 'text'", ask_for(system=[text("x")])),
    ("system", ask_for(system=5), "system: Input should be a valid list", ask_for()),
    ("tools", ask_for(tools={}), "tools: Input should be a valid list", ask_for()),
    ("tools", ask_for(tools=["look"]), "tools.0: Input should be a valid dictionary", ask_for()),
    ("tools", ask_for(tools=[{"name": "look"}]), "tools.0.custom.input_schema: Field required", ask_for()),
    ("tools", ask_for(tools=tool(parameters={})), "tools.0.custom.parameters: Extra inputs are not permitted", ask_for(tools=tool(description="x"))),
    ("tools", ask_for(tools=tool(name="a.b")), "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", ask_for(tools=tool(name="a_b"))),
    ("tools", ask_for(tools=tool(input_schema=[])), "tools.0.custom.input_schema: Input should be a valid dictionary", ask_for()),
    ("tools", ask_for(tools=tool(input_schema={})), "tools.0.custom.input_schema.type: Field required", ask_for()),
    ("tools", ask_for(tools=tool(input_schema={"type": "array"})), "tools.0.custom.input_schema.type: Input should be 'object'", ask_for()),
    ("tools", ask_for(tools=TOOLS * 2), "tools: Tool names must be unique.", ask_for(tools=[*TOOLS, *tool(name="see")])),
    ("tool choice", without(ask_for(tool_choice={"type": "none"}), "tools"), "may only be specified while providing tools", ask_for(tool_choice={"type": "none"})),
    ("messages", {**ask_for(), "messages": []}, "messages: at least one message is required", ask_for()),
    ("messages", {**ask_for(), "messages": "hi"}, "messages: Input should be a valid list", ask_for()),
    ("messages", ask_for("hi"), "messages.0: Input should be a valid dictionary", ask_for()),
    ("messages", ask_for({"content": "hi"}), "messages.0.role: Field required", ask_for()),
    ("messages", ask_for({**HI, "name": "eve"}), "messages.0.name: Extra inputs are not permitted", ask_for()),
    ("messages", ask_for({**HI, "content": None}), "messages.0.content: Input should be a valid list", ask_for()),
    ("roles", ask_for(HI, {"role": "system", "content": "x"}), 'messages: Unexpected role "system".', ask_for(system="x")),
    ("roles", ask_for(HI, {"role": "tool", "content": "x"}), "messages.1.role: Input should be 'user' or 'assistant'", CALLED),
    ("first is user", ask_for(OK, HI), 'messages: first message must use the "user" role', ask_for(HI, OK, HI)),
    ("empty content", ask_for({**HI, "content": ""}), "messages.0: all messages must have non-empty content", ask_for()),
    ("empty content", ask_for(HI, assistant(), HI), "messages.1: all messages must have non-empty content", ask_for(HI, assistant())),
    ("block shapes", ask_for(user({"type": "video"})), "messages.0.content.0: Input tag 'video' found using 'type'", ask_for(user(text("x")))),
    ("block shapes", ask_for(user("x")), "messages.0.content.0: Input tag 'None' found", ask_for(user(text("x")))),
    ("block shapes", ask_for(user({"type": "text"})), "messages.0.content.0.text.text: Field required", ask_for(user(text("x")))),
    ("block shapes", ask_for(user(text("x", id="m1"))), "messages.0.content.0.text.id: Extra inputs are not permitted", ask_for(user(text("x")))),
    (
        "block shapes",
        ask_for(HI, assistant({**THOUGHT, "cache_control": MARK}, text("x")), HI),
        "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
        ask_for(HI, assistant(THOUGHT, text("x", cache_control=MARK)), HI),
    ),
    ("block shapes", ask_for(user(use())), "`tool_use` blocks can only be in `assistant` messages", CALLED),
    ("block shapes", ask_for(HI, assistant(result())), "`tool_result` blocks can only be in `user` messages", CALLED),
    ("blank text", ask_for(user(text(""))), "messages: text content blocks must be non-empty", ask_for(user(text("x")))),
    ("blank text", ask_for(user(text("", cache_control=MARK))), "cache_control cannot be set for empty text blocks", ask_for(user(text("x", cache_control=MARK)))),
    ("blank text", ask_for({**HI, "content": " \n"}), "messages: text content blocks must contain non-whitespace text", ask_for()),
    ("blank text", ask_for(user(text(5))), "messages.0.content.0.text.text: Input should be a valid string", ask_for()),
    (
        "blank text",
        ask_for(HI, assistant(use()), user(result(content=[text("")]))),
        "messages: text content blocks must be non-empty",
        ask_for(HI, assistant(use()), user(result(content=[text("x")]))),
    ),
    (
        "trailing whitespace",
        ask_for(HI, {**OK, "content": "The answer is "}),
        "messages: final assistant content cannot end with trailing whitespace",
        ask_for(HI, {**OK, "content": "The answer is "}, HI),
    ),
    (
        "calls",
        ask_for(HI, assistant(use("call:1")), user(result("call:1"))),
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        ask_for(HI, assistant(use("call-1")), user(result("call-1"))),
    ),
    ("calls", ask_for(HI, assistant(use(input="{}")), user(result())), "messages.1.content.0.tool_use.input: Input should be a valid dictionary", CALLED),
    ("calls", ask_for(HI, assistant(use(name="")), user(result())), "messages.1.content.0.tool_use.name: String should have", CALLED),
    ("results", ask_for(HI, assistant(use()), user(result("a b"))), "messages.2.content.0.tool_result.tool_use_id: String should match", CALLED),
    ("results", ask_for(HI, assistant(use()), user(result(content=5))), "messages.2.content.0.tool_result.content: Input should be", ask_for(HI, assistant(use()), user(result(content="")))),
    ("results", ask_for(HI, assistant(use()), user(result(is_error="no"))), "messages.2.content.0.tool_result.is_error: Input should be", ask_for(HI, assistant(use()), user(result(is_error=True)))),
    ("repeated ids", ask_for(HI, assistant(use(), use()), user(result())), "messages.1.content.1: `tool_use` ids must be unique", CALLED),
    (
        "repeated ids",
        ask_for(HI, assistant(use()), user(result()), assistant(use()), user(result())),
        "messages.3.content.0: `tool_use` ids must be unique",
        ask_for(HI, assistant(use()), user(result()), assistant(use("toolu_2")), user(result("toolu_2"))),
    ),
    (
        "unexpected results",
        ask_for(HI, OK, user(result())),
        ("messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` "
        "block must have a corresponding `tool_use` block in the previous message."),
        CALLED,
    ),
    (
        "doubled results",
        ask_for(HI, assistant(use()), user(result(), result())),
        "each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1",
        CALLED,
    ),
    (
        "missing results",
        ask_for(HI, assistant(use(), use("toolu_2")), user(result())),
        ("messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_2. Each `tool_use` "
        "block must have a corresponding `tool_result` block in the next message."),
        ask_for(HI, assistant(use(), use("toolu_2")), user(result("toolu_2"), result())),
    ),
    ("missing results", ask_for(HI, assistant(use())), "without `tool_result` blocks immediately after: toolu_1", CALLED),
    (
        "missing results",
        ask_for(HI, assistant(use()), user(text("first this"), result())),
        "without `tool_result` blocks immediately after: toolu_1",
        ask_for(HI, assistant(use()), user(result(), text("then this"))),
    ),
    (
        "thinking changed",
        ask_for(HI, assistant({**THOUGHT, "thinking": "s"}, text("x")), HI),
        "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
        ask_for(HI, assistant(THOUGHT, text("x")), HI),
    ),
    (
        "thinking changed",
        ask_for(HI, assistant({**THOUGHT, "thinking": "s"}, text("x")), HI, OK, HI),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        ask_for(HI, assistant(text("x")), HI, OK, HI),
    ),
    (
        "ends with thinking",
        ask_for(HI, assistant(text("x"), THOUGHT), HI),
        "messages.1: The final block in an assistant message cannot be `thinking`.",
        ask_for(HI, assistant(THOUGHT, text("x")), HI),
    ),
    (
        "starts with thinking",
        ask_for(HI, assistant(use()), user(result()), max_tokens=2000, thinking={"type": "enabled", "budget_tokens": 1024}),
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
        ask_for(HI, assistant(THOUGHT, use()), user(result()), max_tokens=2000, thinking={"type": "enabled", "budget_tokens": 1024}),
    ),
    ("tools for calls", without(CALLED, "tools"), "Requests which have `tool_use` or `tool_result` blocks in `messages` must define `tools`.", CALLED),
    (
        "cache marks",
        ask_for(user(*(text(str(n), cache_control=MARK) for n in range(3))), system=[text("x", cache_control=MARK)], tools=tool(cache_control=MARK)),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
        ask_for(user(*(text(str(n), cache_control=MARK) for n in range(2))), system=[text("x", cache_control=MARK)], tools=tool(cache_control=MARK)),
    ),
    ("thinking budget", ask_for(max_tokens=2000, thinking={"type": "enabled"}), "thinking.enabled.budget_tokens: Field required", ask_for(thinking={"type": "disabled"})),
    (
        "thinking budget",
        ask_for(max_tokens=2000, thinking={"type": "enabled", "budget_tokens": 1023}),
        "greater than or equal to 1024",
        ask_for(max_tokens=2000, thinking={"type": "enabled", "budget_tokens": 1024}),
    ),
    (
        "thinking budget",
        ask_for(max_tokens=1024, thinking={"type": "enabled", "budget_tokens": 1024}),
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
        ask_for(max_tokens=1025, thinking={"type": "enabled", "budget_tokens": 1024}),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "bad", "words", "good"), EXAMPLES, ids=[f"{n}-{row[0]}" for n, row in enumerate(EXAMPLES)]
)
def test_refused_in_the_services_words_and_accepted_when_put_right(rule, bad, words, good):
    status, answer, server = post("anthropic", bad)
    assert (status, answer["type"], answer["error"]["type"]) == (400, "error", "invalid_request_error")
    assert words in said(answer)
    assert [request.error for request in server.refused] == [said(answer)]
    status, answer, server = post("anthropic", good)
    assert (status, server.refused) == (200, [])


def test_every_rule_has_an_example():
    elsewhere = {"key", "version", "model"}
    assert {rule.name for rule in anthropic_rules.RULES} == {row[0] for row in EXAMPLES} | elsewhere


def test_every_rule_names_its_source():
    assert all(rule.source for rule in anthropic_rules.RULES)


def test_consecutive_user_messages_and_plain_results_are_accepted():
    assert post("anthropic", ask_for(HI, HI, OK, OK, HI))[0] == 200
    assert post("anthropic", ask_for(HI, assistant(use()), user(without(result(), "content"))))[0] == 200


def test_wrong_and_missing_key_get_401():
    version = {"anthropic-version": "2023-06-01"}
    status, answer, _ = post("anthropic", ask_for(), {**version, "x-api-key": "nonsense"})
    assert (status, answer["error"]["type"], said(answer)) == (
        401,
        "authentication_error",
        "invalid x-api-key",
    )
    status, answer, server = post("anthropic", ask_for(), version)
    assert (status, said(answer), len(server.refused)) == (401, "x-api-key header is required", 1)
    assert post("anthropic", ask_for(), {**version, "authorization": "Bearer test-key"})[0] == 200


def test_the_version_header_is_required():
    status, answer, _ = post("anthropic", ask_for(), {"x-api-key": "test-key"})
    assert (status, said(answer)) == (400, "anthropic-version: header is required")


def test_an_unknown_model_gets_404():
    status, answer, _ = post("anthropic", ask_for(model="claude-9"))
    assert (status, answer["error"]) == (404, {"type": "not_found_error", "message": "model: claude-9"})


@pytest.mark.parametrize("raw", [b"{", b'{"model": NaN}', b'{"model": "\\ud800"}', b"\xff"])
def test_a_body_that_is_not_json_is_refused(raw):
    status, answer, server = post("anthropic", raw)
    assert (status, len(server.refused)) == (400, 1)
    assert "The request body is not valid JSON" in said(answer)


def test_input_over_the_window_is_refused_with_both_numbers():
    body = ask_for({"role": "user", "content": "word " * 2_000})
    status, answer, server = post("anthropic", body, window=1_000)
    used = server.requests[0].input_tokens
    assert used > 1_000
    assert (status, said(answer)) == (400, f"prompt is too long: {used} tokens > 1000 maximum")
    assert post("anthropic", body, window=used + 50)[0] == 200


def test_input_and_output_budget_over_the_window_are_refused():
    window = post("anthropic", ask_for())[2].requests[0].input_tokens + 50
    status, answer, _ = post("anthropic", ask_for(max_tokens=51), window=window)
    assert status == 400
    assert said(answer) == (
        f"input length and `max_tokens` exceed context limit: {window - 50} + 51 > {window}, decrease input length or "
        "`max_tokens` and try again"
    )
    assert post("anthropic", ask_for(max_tokens=50), window=window)[0] == 200


def test_counting_tokens_follows_the_same_rules_and_needs_no_max_tokens():
    with FakeServer([Reply("x")]) as server:
        body = without(ask_for(), "max_tokens")
        status, answer = ask(server, "POST", "/v1/messages/count_tokens", body, KEYS["anthropic"])
        assert (status, server.refused, server.requests) == (200, [], [])
        ask(server, "POST", "/v1/messages", ask_for(), KEYS["anthropic"])
        assert answer == {"input_tokens": server.requests[0].input_tokens}
        status, answer = ask(
            server, "POST", "/v1/messages/count_tokens", without(body, "model"), KEYS["anthropic"]
        )
        assert (status, said(answer), len(server.refused)) == (400, "model: Field required", 1)
