"""What a script can answer. The same values serve both wires."""

import json
from typing import Any, Literal

import msgspec

from agent_cli.core.usage import Usage

Wire = Literal["openai", "anthropic"]


class Call(msgspec.Struct, frozen=True):
    """A tool call of the model. Arguments given as text are sent as they are, broken or not; `id` None: a fresh one."""

    name: str
    arguments: dict[str, Any] | str = {}
    id: str | None = None

    @property
    def json(self) -> str:
        """The arguments as the model writes them."""
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(self.arguments, ensure_ascii=False)


class Reply(msgspec.Struct, frozen=True):
    """A whole answer: thinking, then text, then calls.

    `stop` takes the words of either wire, None chooses by content. `usage` None counts for real. `chunk` is in
    characters a piece; `delay` (before the first byte) and `pace` (between pieces) are in seconds.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    stop: str | None = None
    usage: Usage | None = None
    chunk: int = 24
    delay: float = 0.0
    pace: float = 0.0


class Fault(msgspec.Struct, frozen=True):
    """An error response. Text becomes the message of the wire's own error shape; a dict is sent as it is."""

    status: int
    body: str | dict[str, Any] = ""
    headers: dict[str, str] = {}
    code: str | None = None
    """OpenAI's `code`."""

    @classmethod
    def overflow(cls, wire: Wire, *, limit: int = 32_768, used: int = 40_000) -> "Fault":
        """The refusal of an input that is too long, in the wire's own words; sizes are in tokens."""
        if wire == "anthropic":
            return cls(400, f"prompt is too long: {used} tokens > {limit} maximum")
        return cls(
            400,
            f"This model's maximum context length is {limit} tokens. However, your messages resulted in "
            f"{used} tokens. Please reduce the length of the messages.",
            code="context_length_exceeded",
        )


class Cut(msgspec.Struct, frozen=True):
    """The connection closes in mid-answer: after a share of the answer's bytes (its final marks do not count),
    or after a number of whole events. The last event is never sent."""

    reply: Reply
    after: float = 0.6
    after_events: int | None = None


class Raw(msgspec.Struct, frozen=True):
    """Bytes sent as an event stream just as they are; a number is a pause in seconds."""

    chunks: list[bytes | float]


Answer = Reply | Fault | Cut | Raw
