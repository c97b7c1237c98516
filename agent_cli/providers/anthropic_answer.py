"""One Messages answer out of its stream's events."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agent_cli.core.events import CallDelta, ProviderEvent, TextDelta, ThinkingDelta
from agent_cli.core.messages import Message, Part, Text, Thinking, ToolCall
from agent_cli.core.models import Completion, StopReason
from agent_cli.core.usage import Usage
from agent_cli.providers.anthropic_wire import WIRE
from agent_cli.providers.classify import Asked, classify
from agent_cli.providers.portable import FreshIds, whole
from agent_cli.providers.sse import ServerEvent

_STOPS = {
    "end_turn": StopReason.END_TURN,
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.CONTEXT_WINDOW,
    "pause_turn": StopReason.PAUSE,
    "refusal": StopReason.REFUSAL,
}

Dict = dict[str, Any]


@dataclass(slots=True)
class _Block:
    """A content block in the making: its start as sent, and the pieces of its deltas by field."""

    start: Dict
    pieces: dict[str, list[str]] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """The field's first value and all its pieces."""
        first = self.start.get(name)
        return (first if isinstance(first, str) else "") + "".join(self.pieces.get(name, ()))


_PIECES = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature", "input_json_delta": "partial_json"}  # fmt: skip


class AnthropicAnswer:
    """Puts the answer together, thinking blocks byte for byte (C31)."""

    def __init__(self, history: tuple[Message, ...], asked: Asked) -> None:
        self._ids = FreshIds(history)
        self._asked = asked
        self._blocks: dict[int, _Block] = {}
        self._stop: str | None = None
        self._usage: Dict = {}
        self.ended = False

    @property
    def complete(self) -> bool:
        """A stop reason came, or the end of the message."""
        return self.ended or self._stop is not None

    def feed(self, event: ServerEvent) -> Iterator[ProviderEvent]:
        """Takes one event. Raises ProviderError: it reports a failure."""
        data = _object(event.data)
        match data.get("type") or event.name:
            case "error":
                raise classify(None, event.data, asked=self._asked)
            case "message_start":
                message = _dict(data.get("message"))
                self._count(message.get("usage"))
            case "content_block_start":
                yield from self._start(data)
            case "content_block_delta":
                yield from self._delta(data)
            case "message_delta":
                self._count(data.get("usage"))
                stop = _dict(data.get("delta")).get("stop_reason")
                self._stop = stop if isinstance(stop, str) else self._stop
            case "message_stop":
                self.ended = True

    def completion(self, request_id: str) -> Completion:
        """The whole answer, blocks in the server's order."""
        made = (self._part(index, self._blocks[index]) for index in sorted(self._blocks))
        parts = tuple(part for part in made if part is not None)
        calls = any(isinstance(part, ToolCall) for part in parts)
        ended = StopReason.TOOL_USE if calls else StopReason.END_TURN
        stop = _STOPS.get(self._stop or "", ended)
        if calls and stop == StopReason.END_TURN:
            stop = StopReason.TOOL_USE
        return Completion(parts, stop, self._used(), request_id)

    def _start(self, data: Dict) -> Iterator[ProviderEvent]:
        index = whole([data.get("index")])
        block = self._blocks[index] = _Block(_dict(data.get("content_block")))
        if block.start.get("type") == "tool_use":
            yield CallDelta(index, block.text("name"), 0)
        elif block.text("text"):
            yield TextDelta(block.text("text"))

    def _delta(self, data: Dict) -> Iterator[ProviderEvent]:
        index, delta = whole([data.get("index")]), _dict(data.get("delta"))
        name = _PIECES.get(str(delta.get("type")), "")
        piece = delta.get(name)
        block = self._blocks.get(index)
        if block is None or not isinstance(piece, str) or not piece:
            return
        pieces = block.pieces.setdefault(name, [])
        pieces.append(piece)
        match name:
            case "text":
                yield TextDelta(piece)
            case "thinking":
                yield ThinkingDelta(piece)
            case "partial_json":
                yield CallDelta(index, block.text("name"), sum(map(len, pieces)))

    def _part(self, index: int, block: _Block) -> Part | None:
        match block.start.get("type"):
            case "text":
                return Text(block.text("text")) if block.text("text") else None
            case "thinking":
                return Thinking(block.text("thinking"), signature=block.text("signature"), wire=WIRE)
            case "redacted_thinking":
                return Thinking(data=block.text("data"), wire=WIRE)
            case "tool_use":
                arguments = block.text("partial_json").strip() or json.dumps(
                    _dict(block.start.get("input")), ensure_ascii=False
                )
                return ToolCall(self._ids.give(index, block.text("id")), block.text("name"), arguments)
        return None

    def _count(self, usage: object) -> None:
        """Counts are cumulative: a later one replaces an earlier one."""
        self._usage.update({name: value for name, value in _dict(usage).items() if value is not None})

    def _used(self) -> Usage | None:
        if "input_tokens" not in self._usage:
            return None
        read = whole([self._usage.get("cache_read_input_tokens")])
        write = whole([self._usage.get("cache_creation_input_tokens")])
        fresh = whole([self._usage["input_tokens"]])
        return Usage(fresh + read + write, whole([self._usage.get("output_tokens")]), read, write)


def _dict(value: object) -> Dict:
    return value if isinstance(value, dict) else {}


def _object(data: str) -> Dict:
    try:
        return _dict(json.loads(data))
    except ValueError:
        return {}
