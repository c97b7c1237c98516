"""Requests to a model, what a model can do, and why it stopped."""

from enum import StrEnum

import msgspec

from agent_cli.core.messages import Message, Part
from agent_cli.core.usage import Usage


class ModelSpec(msgspec.Struct, frozen=True):
    """A model as the engine needs to know it. `window` and `max_output` are tokens of its own tokenizer;
    `window_source` says where the window comes from, for `/context info`."""

    provider: str
    name: str
    window: int
    window_source: str
    max_output: int | None = None
    ratio: float = 1.0
    """Own tokens per o200k token before any usage is known (1.0 OpenAI, 1.2 others, 1.6 Claude)."""
    can_summarise: bool = True
    reports_cache: bool = True

    @property
    def id(self) -> str:
        """The name users type: `provider/name`."""
        return f"{self.provider}/{self.name}"


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool definition as sent to the model; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: dict[str, object]


class Request(msgspec.Struct, frozen=True):
    """One call of a model. `system` is a tuple of blocks, stable ones first; `max_output` is in tokens."""

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    max_output: int
    use_tools: bool = True
    """False: the tools are sent (the cached prefix needs them) but the model is told not to call one."""


class StopReason(StrEnum):
    """Why a model stopped (K10: every one is handled by the loop)."""

    END_TURN = "end_turn"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    CONTEXT_WINDOW = "context_window"
    """The window was full before the answer was complete: an overflow."""
    PAUSE = "pause"
    """The provider paused a long turn: send it back as it is to go on."""
    REFUSAL = "refusal"
    """The model or a filter declined; the text, if any, says so."""
    ERROR = "error"


class Completion(msgspec.Struct, frozen=True):
    """A finished answer: the parts of the assistant's message, why it ended and what it used.

    `usage` is None when the provider reported none.
    """

    parts: tuple[Part, ...]
    stop: StopReason
    usage: Usage | None = None
    request_id: str = ""
