"""Short ways to write messages in tests."""

import itertools
import json
from datetime import UTC, datetime, timedelta

from agent_cli.core.messages import Message, Part, Text, ToolCall, ToolResult

_numbers = itertools.count(1)


def _id() -> str:
    return f"m{next(_numbers)}"


def user(text: str, **fields) -> Message:
    return Message(
        id=fields.pop("id", None) or _id(),
        ts="2026-12-01T00:00:00Z",
        role="user",
        parts=(Text(text),),
        **fields,
    )


def assistant(*parts: Part | str, **fields) -> Message:
    made = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return Message(
        id=fields.pop("id", None) or _id(), ts="2026-12-01T00:00:00Z", role="assistant", parts=made, **fields
    )


def call(id: str, name: str = "read_file", **arguments) -> ToolCall:
    return ToolCall(id, name, json.dumps(arguments))


def result(call_id: str, content: str = "ok", *, is_error: bool = False, **fields) -> Message:
    part = ToolResult(call_id, content, is_error)
    return Message(
        id=fields.pop("id", None) or _id(), ts="2026-12-01T00:00:00Z", role="tool", parts=(part,), **fields
    )


class FakeClock:
    """A clock that only moves when told, or when someone sleeps on it."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.slept: list[float] = []

    def now(self) -> datetime:
        return datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.seconds += seconds
