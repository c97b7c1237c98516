"""What the Messages API refuses, each with the words it uses. Rules about the message list are next door."""

import re
from collections.abc import Iterator
from typing import Any

from agent_cli.providers.fakes import anthropic_history as history
from agent_cli.providers.fakes.refusals import Received, Refusal, Rule

Dict = dict[str, Any]

_FIELDS = frozenset((
    "max_tokens", "messages", "model", "cache_control", "container", "diagnostics", "inference_geo",
    "metadata", "output_config", "service_tier", "speed", "stop_sequences", "stream", "system",
    "temperature", "thinking", "tool_choice", "tools", "top_k", "top_p", "user_profile_id", "workspace_id",
))  # fmt: skip
_TOOL_FIELDS = frozenset((
    "type", "name", "description", "input_schema", "cache_control", "allowed_callers", "defer_loading",
    "eager_input_streaming", "input_examples", "strict",
))  # fmt: skip
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_MARKS = 4


def _key(received: Received) -> Iterator[Refusal]:
    bearer = received.headers.get("authorization", "").removeprefix("Bearer").strip()
    key = received.headers.get("x-api-key") or bearer
    if not key:
        yield Refusal("x-api-key header is required", status=401)
    elif key != received.house.api_key:
        yield Refusal("invalid x-api-key", status=401)


def _version(received: Received) -> Iterator[Refusal]:
    if not received.headers.get("anthropic-version"):
        yield Refusal("anthropic-version: header is required")


def _required(received: Received) -> Iterator[Refusal]:
    for name in ("model", "max_tokens", "messages"):
        if received.body.get(name) is None:
            yield Refusal(f"{name}: Field required")


def _required_to_count(received: Received) -> Iterator[Refusal]:
    for name in ("model", "messages"):
        if received.body.get(name) is None:
            yield Refusal(f"{name}: Field required")


def _unknown_fields(received: Received) -> Iterator[Refusal]:
    for name in received.body:
        if name not in _FIELDS:
            yield history.unexpected(name)


def _model(received: Received) -> Iterator[Refusal]:
    model = received.body["model"]
    if model not in received.house.models:
        yield Refusal(f"model: {model}", status=404)


def _max_tokens(received: Received) -> Iterator[Refusal]:
    value = received.body["max_tokens"]
    if not isinstance(value, int) or isinstance(value, bool):
        yield Refusal("max_tokens: Input should be a valid integer")
    elif value < 1:
        yield Refusal("max_tokens: Input should be greater than or equal to 1")


def _system(received: Received) -> Iterator[Refusal]:
    system = received.body.get("system")
    if system is None:
        return
    if not isinstance(system, str | list):
        yield Refusal("system: Input should be a valid list")
        return
    blocks = [{"type": "text", "text": system}] if isinstance(system, str) else system
    for at, block in enumerate(blocks):
        if not isinstance(block, dict) or block.get("type") != "text":
            yield Refusal(f"system.{at}.type: Input should be 'text'")
        else:
            yield from history.text_block("system", f"system.{at}", block)


def _tools(received: Received) -> Iterator[Refusal]:
    tools = received.body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list):
        yield Refusal("tools: Input should be a valid list")
        return
    for at, tool in enumerate(tools):
        if not isinstance(tool, dict):
            yield Refusal(f"tools.{at}: Input should be a valid dictionary")
        else:
            yield from _tool(f"tools.{at}.custom", tool)
    names = [tool["name"] for tool in tools]
    if len(set(names)) < len(names):
        yield Refusal("tools: Tool names must be unique.")


def _tool(where: str, tool: Dict) -> Iterator[Refusal]:
    for name in ("name", "input_schema"):
        if name not in tool:
            yield Refusal(f"{where}.{name}: Field required")
    for name in tool:
        if name not in _TOOL_FIELDS:
            yield history.unexpected(f"{where}.{name}")
    if not isinstance(tool["name"], str) or not _TOOL_NAME.fullmatch(tool["name"]):
        yield Refusal(f"{where}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
    schema = tool["input_schema"]
    if not isinstance(schema, dict):
        yield Refusal(f"{where}.input_schema: Input should be a valid dictionary")
    elif "type" not in schema:
        yield Refusal(f"{where}.input_schema.type: Field required")
    elif schema["type"] != "object":
        yield Refusal(f"{where}.input_schema.type: Input should be 'object'")


def _tool_choice(received: Received) -> Iterator[Refusal]:
    if received.body.get("tool_choice") is not None and not received.body.get("tools"):
        yield Refusal("tool_choice: tool_choice may only be specified while providing tools.")


def _tools_for_calls(received: Received) -> Iterator[Refusal]:
    used = any(block["type"] in ("tool_use", "tool_result") for _, _, block in history.blocks(received))
    if used and not received.body.get("tools"):
        yield Refusal(
            "Requests which have `tool_use` or `tool_result` blocks in `messages` must define `tools`."
        )


def _marks(received: Received) -> Iterator[Refusal]:
    body = received.body
    system = body.get("system")
    blocks = [*(body.get("tools") or ()), *(system if isinstance(system, list) else ())]
    blocks += [block for _, _, block in history.blocks(received)]
    inner = [part for block in blocks for part in history.inner(block)]
    found = sum(block.get("cache_control") is not None for block in [body, *blocks, *inner])
    if found > _MARKS:
        yield Refusal(f"A maximum of {_MARKS} blocks with cache_control may be provided. Found {found}.")


def _thinking_budget(received: Received) -> Iterator[Refusal]:
    thinking = received.body.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") != "enabled":
        return
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int):
        yield Refusal("thinking.enabled.budget_tokens: Field required")
    elif budget < 1024:
        yield Refusal("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
    elif received.body["max_tokens"] <= budget:
        yield Refusal("`max_tokens` must be greater than `thinking.budget_tokens`.")


KEY_RULES = (
    Rule("key", "docs.claude.com/en/api/errors", _key),
    Rule("version", "docs.claude.com/en/api/versioning", _version),
)

_SHARED = (
    Rule("unknown fields", "error text 'Extra inputs are not permitted'; fields of the API reference", _unknown_fields),
    Rule("model", "docs.claude.com/en/api/errors; 404 not_found_error", _model),
    Rule("system", "error text 'system: text content blocks must be non-empty'", _system),
    Rule("tools", "docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use", _tools),
    Rule("tool choice", "error text 'tool_choice may only be specified while providing tools'", _tool_choice),
    *history.RULES,
    Rule("tools for calls", "error text 'Requests which have `tool_use` ...' (BerriAI/litellm)", _tools_for_calls),
    Rule("cache marks", "docs.claude.com/en/docs/build-with-claude/prompt-caching", _marks),
)  # fmt: skip

RULES = (
    *KEY_RULES,
    Rule("required", "error text 'Field required'; docs.claude.com/en/api/messages", _required),
    Rule("max tokens", "docs.claude.com/en/api/messages", _max_tokens),
    *_SHARED,
    Rule("thinking budget", "docs.claude.com/en/docs/build-with-claude/extended-thinking", _thinking_budget),
)

COUNT_RULES = (
    *KEY_RULES,
    Rule("required to count", "docs.claude.com/en/api/messages-count-tokens", _required_to_count),
    *_SHARED,
)


def over_window(body: Dict, used: int, window: int) -> Refusal | None:
    """Returns the refusal of a request of `used` tokens that does not fit the window (docs: context windows)."""
    asked = body["max_tokens"]
    if used > window:
        return Refusal(f"prompt is too long: {used} tokens > {window} maximum")
    if used + asked > window:
        return Refusal(
            f"input length and `max_tokens` exceed context limit: {used} + {asked} > {window}, decrease input length "
            "or `max_tokens` and try again"
        )
    return None
