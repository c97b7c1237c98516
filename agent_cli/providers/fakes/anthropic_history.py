"""What the Messages API refuses in a message list, each with the words it uses."""

import re
from collections.abc import Iterator
from typing import Any

from agent_cli.providers.fakes.anthropic_answer import seal
from agent_cli.providers.fakes.refusals import Received, Refusal, Rule

Dict = dict[str, Any]

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_FIELDS: dict[str, set[str]] = {
    "text": {"type", "text", "cache_control", "citations"},
    "image": {"type", "source", "cache_control", "transformations"},
    "tool_use": {"type", "id", "name", "input", "cache_control", "caller", "toolset_name"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "document": {"type", "source", "cache_control", "citations", "context", "title"},
    "search_result": {"type", "source", "title", "content", "cache_control", "citations"},
}
_REQUIRED = {
    "text": ("text",),
    "image": ("source",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id",),
    "thinking": ("signature", "thinking"),
    "redacted_thinking": ("data",),
    "document": ("source",),
    "search_result": ("source", "title", "content"),
}
_ROLE_OF = {
    "tool_use": "assistant",
    "thinking": "assistant",
    "redacted_thinking": "assistant",
    "tool_result": "user",
}
_THINKING = ("thinking", "redacted_thinking")


def unexpected(where: str) -> Refusal:
    """The refusal of a field that does not exist."""
    return Refusal(f"{where}: Extra inputs are not permitted")


def text_block(area: str, where: str, block: Dict) -> Iterator[Refusal]:
    """Refuses a blank text block; `area` is what the service names first."""
    text = block.get("text")
    if not isinstance(text, str):
        yield Refusal(f"{where}.text: Input should be a valid string")
    elif not text and block.get("cache_control") is not None:
        yield Refusal(f"{where}.text: cache_control cannot be set for empty text blocks")
    elif not text:
        yield Refusal(f"{area}: text content blocks must be non-empty")
    elif not text.strip():
        yield Refusal(f"{area}: text content blocks must contain non-whitespace text")


def content_of(message: Dict) -> list[Dict]:
    """Returns a message's blocks; plain text is one block."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def blocks(received: Received) -> Iterator[tuple[str, Dict, Dict]]:
    """Yields each block with its place and its message."""
    for number, message in enumerate(received.body["messages"]):
        for at, block in enumerate(content_of(message)):
            yield f"messages.{number}.content.{at}", message, block


def inner(block: Dict) -> list[Dict]:
    """Returns the blocks inside a tool result."""
    content = block.get("content")
    if block.get("type") != "tool_result" or not isinstance(content, list):
        return []
    return [part for part in content if isinstance(part, dict)]


def _messages(received: Received) -> Iterator[Refusal]:
    messages = received.body["messages"]
    if not isinstance(messages, list):
        yield Refusal("messages: Input should be a valid list")
    elif not messages:
        yield Refusal("messages: at least one message is required")
    else:
        for at, message in enumerate(messages):
            yield from _message(f"messages.{at}", message)


def _message(where: str, message: object) -> Iterator[Refusal]:
    if not isinstance(message, dict):
        yield Refusal(f"{where}: Input should be a valid dictionary")
        return
    for name in ("role", "content"):
        if name not in message:
            yield Refusal(f"{where}.{name}: Field required")
    for name in message:
        if name not in ("role", "content"):
            yield unexpected(f"{where}.{name}")
    if not isinstance(message["content"], str | list):
        yield Refusal(f"{where}.content: Input should be a valid list")


def _roles(received: Received) -> Iterator[Refusal]:
    for at, message in enumerate(received.body["messages"]):
        if message["role"] == "system":
            yield Refusal(
                'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not '
                '"system" as an input message role.'
            )
        elif message["role"] not in ("user", "assistant"):
            yield Refusal(f"messages.{at}.role: Input should be 'user' or 'assistant'")


def _first_is_user(received: Received) -> Iterator[Refusal]:
    if received.body["messages"][0]["role"] != "user":
        yield Refusal('messages: first message must use the "user" role')


def _empty_content(received: Received) -> Iterator[Refusal]:
    messages = received.body["messages"]
    for at, message in enumerate(messages):
        optional = message["role"] == "assistant" and at == len(messages) - 1
        if not message["content"] and not optional:
            yield Refusal(
                f"messages.{at}: all messages must have non-empty content except for the optional final assistant "
                "message"
            )


def _block_shapes(received: Received) -> Iterator[Refusal]:
    for where, message, block in blocks(received):
        if message["content"]:
            yield from _shape(where, message["role"], block)


def _shape(where: str, role: str, block: object) -> Iterator[Refusal]:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(block, dict) or kind not in _FIELDS:
        expected = ", ".join(f"'{name}'" for name in _FIELDS)
        yield Refusal(
            f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {expected}"
        )
        return
    for name in _REQUIRED[kind]:
        if name not in block:
            yield Refusal(f"{where}.{kind}.{name}: Field required")
    for name in block:
        if name not in _FIELDS[kind]:
            yield unexpected(f"{where}.{kind}.{name}")
    if _ROLE_OF.get(kind, role) != role:
        yield Refusal(f"{where}: `{kind}` blocks can only be in `{_ROLE_OF[kind]}` messages")


def _blank_text(received: Received) -> Iterator[Refusal]:
    for where, message, block in blocks(received):
        if block["type"] == "text" and message["content"]:
            yield from text_block("messages", f"{where}.text", block)
        for at, part in enumerate(inner(block)):
            if part.get("type") == "text":
                yield from text_block("messages", f"{where}.tool_result.content.{at}.text", part)


def _last_is_stripped(received: Received) -> Iterator[Refusal]:
    last = received.body["messages"][-1]
    content = content_of(last)
    if last["role"] != "assistant" or not content or content[-1]["type"] != "text":
        return
    text = content[-1]["text"]
    if text != text.rstrip():
        yield Refusal("messages: final assistant content cannot end with trailing whitespace")


def _calls(received: Received) -> Iterator[Refusal]:
    for where, _, block in blocks(received):
        if block["type"] != "tool_use":
            continue
        if not isinstance(block["id"], str) or not _ID.fullmatch(block["id"]):
            yield Refusal(f"{where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if not isinstance(block["name"], str) or not 0 < len(block["name"]) <= 200:
            yield Refusal(f"{where}.tool_use.name: String should have at least 1 character")
        if not isinstance(block["input"], dict):
            yield Refusal(f"{where}.tool_use.input: Input should be a valid dictionary")


def _results(received: Received) -> Iterator[Refusal]:
    for where, _, block in blocks(received):
        if block["type"] != "tool_result":
            continue
        if not isinstance(block["tool_use_id"], str) or not _ID.fullmatch(block["tool_use_id"]):
            yield Refusal(f"{where}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'")
        if not isinstance(block.get("content", ""), str | list):
            yield Refusal(f"{where}.tool_result.content: Input should be a valid list")
        if not isinstance(block.get("is_error", False), bool):
            yield Refusal(f"{where}.tool_result.is_error: Input should be a valid boolean")


def _repeated_ids(received: Received) -> Iterator[Refusal]:
    seen: set[str] = set()
    for where, _, block in blocks(received):
        if block["type"] == "tool_use" and block["id"] in seen:
            yield Refusal(f"{where}: `tool_use` ids must be unique")
        elif block["type"] == "tool_use":
            seen.add(block["id"])


def _unexpected_results(received: Received) -> Iterator[Refusal]:
    calls: set[str] = set()
    for number, message in enumerate(received.body["messages"]):
        for at, block in enumerate(content_of(message)):
            if block["type"] == "tool_result" and block["tool_use_id"] not in calls:
                yield Refusal(
                    f"messages.{number}.content.{at}: unexpected `tool_use_id` found in `tool_result` blocks: "
                    f"{block['tool_use_id']}. Each `tool_result` block must have a corresponding `tool_use` block in "
                    "the previous message."
                )
        calls = set(_ids(message, "tool_use", "id"))


def _doubled_results(received: Received) -> Iterator[Refusal]:
    for number, message in enumerate(received.body["messages"]):
        answered = _ids(message, "tool_result", "tool_use_id")
        doubled = next((name for at, name in enumerate(answered) if name in answered[:at]), None)
        if doubled:
            yield Refusal(
                f"messages.{number}.content: each tool_use must have a single result. Found multiple `tool_result` "
                f"blocks with id: {doubled}"
            )


def _missing_results(received: Received) -> Iterator[Refusal]:
    """Results count only at the very beginning of the next message."""
    messages = received.body["messages"]
    for number, message in enumerate(messages):
        following = content_of(messages[number + 1]) if number + 1 < len(messages) else []
        first_other = next(
            (at for at, block in enumerate(following) if block["type"] != "tool_result"), len(following)
        )
        answered = {block["tool_use_id"] for block in following[:first_other]}
        unanswered = [name for name in _ids(message, "tool_use", "id") if name not in answered]
        if unanswered:
            yield Refusal(
                f"messages.{number}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(unanswered)}. Each `tool_use` block must have a corresponding `tool_result` block in the "
                "next message."
            )


def _ids(message: Dict, kind: str, field: str) -> list[str]:
    return [block[field] for block in content_of(message) if block["type"] == kind]


def _thinking_changed(received: Received) -> Iterator[Refusal]:
    latest = next((m for m in reversed(received.body["messages"]) if m["role"] == "assistant"), None)
    for where, message, block in blocks(received):
        if block["type"] != "thinking" or block["signature"] == seal(block["thinking"]):
            continue
        if message is latest and block["signature"]:
            yield Refusal(
                f"{where}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
                "These blocks must remain as they were in the original response."
            )
        else:
            yield Refusal(f"{where}: Invalid `signature` in `thinking` block")


def _ends_with_thinking(received: Received) -> Iterator[Refusal]:
    for number, message in enumerate(received.body["messages"]):
        content = content_of(message)
        if content and content[-1]["type"] in _THINKING:
            yield Refusal(
                f"messages.{number}: The final block in an assistant message cannot be `{content[-1]['type']}`."
            )


def _starts_with_thinking(received: Received) -> Iterator[Refusal]:
    thinking = received.body.get("thinking")
    messages = received.body["messages"]
    if not isinstance(thinking, dict) or thinking.get("type") != "enabled" or len(messages) < 2:
        return
    number = len(messages) - 2
    content = content_of(messages[number])
    if _ids(messages[number], "tool_use", "id") and content[0]["type"] not in _THINKING:
        yield Refusal(
            f"messages.{number}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
            f"`{content[0]['type']}`. When `thinking` is enabled, a final `assistant` message must start with a "
            "thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
        )


_TOOL_USE_DOCS = "docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use"
_THINKING_DOCS = "docs.claude.com/en/docs/build-with-claude/extended-thinking"

RULES = (
    Rule(
        "messages",
        "docs.claude.com/en/api/messages; error text 'at least one message is required'",
        _messages,
    ),
    Rule("roles", "error text 'Unexpected role \"system\"'; docs.claude.com/en/api/messages", _roles),
    Rule("first is user", "error text 'first message must use the \"user\" role'", _first_is_user),
    Rule("empty content", "error text 'all messages must have non-empty content'", _empty_content),
    Rule(
        "block shapes", "error texts 'Input tag ... found', 'Extra inputs are not permitted'", _block_shapes
    ),
    Rule("blank text", "anthropics/claude-code#23440 and #62379", _blank_text),
    Rule(
        "trailing whitespace", "error text 'final assistant content cannot end with ...'", _last_is_stripped
    ),
    Rule("calls", "anthropics/claude-code#6696; error text 'String should match pattern'", _calls),
    Rule("results", _TOOL_USE_DOCS, _results),
    Rule("repeated ids", "error text '`tool_use` ids must be unique'", _repeated_ids),
    Rule("unexpected results", "error text 'unexpected `tool_use_id` found'", _unexpected_results),
    Rule("doubled results", "error text 'each tool_use must have a single result'", _doubled_results),
    Rule("missing results", f"{_TOOL_USE_DOCS}: results come first", _missing_results),
    Rule("thinking changed", "anthropics/claude-code#63474", _thinking_changed),
    Rule("ends with thinking", "error text 'The final block in an assistant message'", _ends_with_thinking),
    Rule("starts with thinking", _THINKING_DOCS, _starts_with_thinking),
)
