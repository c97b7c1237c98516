"""A request as a script sees it, the same for both wires."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from agent_cli.core.messages import ToolCall, ToolResult
from agent_cli.providers.fakes.replies import Wire

Dict = dict[str, Any]


class SeenMessage(msgspec.Struct, frozen=True):
    """A message: `role` is user, assistant or tool; a tool message holds one result."""

    role: str
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    results: tuple[ToolResult, ...] = ()


class Seen(msgspec.Struct, frozen=True):
    """An accepted request. `number` counts accepted requests from 1; `input_tokens` are o200k tokens."""

    number: int
    wire: Wire
    system: str
    messages: tuple[SeenMessage, ...]
    tools: tuple[str, ...]
    body: Dict
    input_tokens: int

    @property
    def stream(self) -> bool:
        """Whether a stream was asked for."""
        return bool(self.body.get("stream"))

    @property
    def last_text(self) -> str:
        """The text of the last user message."""
        return next((message.text for message in reversed(self.messages) if message.role == "user"), "")

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results since the last assistant message, in order."""
        found: list[ToolResult] = []
        for message in self.messages:
            found = [] if message.role == "assistant" else [*found, *message.results]
        return tuple(found)


def see(wire: Wire, body: Dict, *, number: int, input_tokens: int) -> Seen:
    """Returns the digest of a valid request body."""
    if wire == "openai":
        system = "\n\n".join(
            text_of(message["content"]) for message in body["messages"] if message["role"] in _SYSTEM
        )
        messages = tuple(_openai(message) for message in body["messages"] if message["role"] not in _SYSTEM)
        tools = tuple(tool["function"]["name"] for tool in body.get("tools") or ())
    else:
        system = text_of(body.get("system"))
        messages = tuple(made for message in body["messages"] for made in _anthropic(message))
        tools = tuple(tool["name"] for tool in body.get("tools") or ())
    return Seen(number, wire, system, messages, tools, body, input_tokens)


_SYSTEM = ("system", "developer")


def text_of(content: object) -> str:
    """Returns the text of a string, a list of text blocks, or nothing."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(block["text"] for block in content if block.get("type") == "text")


def _openai(message: Dict) -> SeenMessage:
    text = text_of(message.get("content"))
    if message["role"] == "tool":
        return SeenMessage("tool", results=(ToolResult(message["tool_call_id"], text),))
    calls = tuple(
        ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    )
    return SeenMessage(message["role"], text, calls)


def _anthropic(message: Dict) -> Iterator[SeenMessage]:
    content = message["content"]
    blocks: list[Dict] = [] if isinstance(content, str) else content
    results = [block for block in blocks if block["type"] == "tool_result"]
    for block in results:
        answer = ToolResult(
            block["tool_use_id"], text_of(block.get("content")), bool(block.get("is_error", False))
        )
        yield SeenMessage("tool", results=(answer,))
    if results and len(results) == len(blocks):
        return
    calls = tuple(
        ToolCall(block["id"], block["name"], json.dumps(block["input"], ensure_ascii=False))
        for block in blocks
        if block["type"] == "tool_use"
    )
    yield SeenMessage(message["role"], text_of(content), calls)
