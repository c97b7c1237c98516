"""Messages of a conversation: immutable, each a role and its parts."""

from typing import Literal

import msgspec

Role = Literal["user", "assistant", "tool"]
Origin = Literal["", "loop", "hook", "shell", "summary", "ack"]


class Text(msgspec.Struct, frozen=True, tag="text", omit_defaults=True):
    """Plain text."""

    text: str


class Thinking(msgspec.Struct, frozen=True, tag="thinking", omit_defaults=True):
    """A model's reasoning, sent back byte for byte to the wire it came from, or not at all.

    `wire` names where it came from (`anthropic`, `openai:reasoning_content`, ...); `signature` is the
    provider's seal over `text`; `data` holds an encrypted or redacted block.
    """

    text: str = ""
    signature: str = ""
    data: str = ""
    wire: str = ""


class ToolCall(msgspec.Struct, frozen=True, tag="tool_call"):
    """A model's request to run a tool; `arguments` is the JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


class ToolResult(msgspec.Struct, frozen=True, tag="tool_result"):
    """What a tool answered to the call `call_id`, as the model reads it."""

    call_id: str
    content: str
    is_error: bool = False


class Image(msgspec.Struct, frozen=True, tag="image"):
    """An image; `data` is base64 text."""

    media_type: str
    data: str


Part = Text | Thinking | ToolCall | ToolResult | Image


class Message(msgspec.Struct, frozen=True, tag="message", omit_defaults=True):
    """One entry of the conversation. A `tool` message holds the result of one call.

    `origin` is empty for what the user typed, what the model said and what a tool answered; otherwise it
    names who wrote the message in their stead.
    """

    id: str
    ts: str
    role: Role
    parts: tuple[Part, ...]
    origin: Origin = ""

    @property
    def text(self) -> str:
        """The text parts joined by newlines."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tool calls, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The tool results, in order."""
        return tuple(part for part in self.parts if isinstance(part, ToolResult))

    @property
    def typed(self) -> bool:
        """Whether a user wrote this message."""
        return self.role == "user" and not self.origin
