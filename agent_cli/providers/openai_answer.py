"""One Chat Completions answer out of its stream's chunks."""

import json
from collections.abc import Iterator
from typing import Any

from agent_cli.core.events import ProviderEvent, TextDelta, ThinkingDelta
from agent_cli.core.messages import Message, Part, Text, Thinking
from agent_cli.core.models import Completion, StopReason
from agent_cli.core.usage import Usage
from agent_cli.providers.classify import Asked, classify
from agent_cli.providers.openai_wire import WIRE
from agent_cli.providers.portable import FreshIds, whole
from agent_cli.providers.sse import ServerEvent
from agent_cli.providers.tool_calls import CallAssembly

_REASONING_FIELDS = ("reasoning_content", "reasoning")
_STOPS = {
    "length": StopReason.MAX_TOKENS,
    "max_tokens": StopReason.MAX_TOKENS,
    "content_filter": StopReason.REFUSAL,
    "model_context_window_exceeded": StopReason.CONTEXT_WINDOW,
    "error": StopReason.ERROR,
}
"""Every other reason ends the turn, or asks for tools when there are calls: servers say `stop` for both."""

Dict = dict[str, Any]


class OpenAIAnswer:
    """Puts the answer together; knows that servers send usage late, with the last choice, or never."""

    def __init__(self, history: tuple[Message, ...], asked: Asked) -> None:
        self._ids = FreshIds(history)
        self._asked = asked
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._reasoning_field = ""
        self._refused = False
        self._calls = CallAssembly()
        self._finish: str | None = None
        self._usage: Usage | None = None
        self.ended = False

    @property
    def complete(self) -> bool:
        """A finish reason came, or the `[DONE]` mark."""
        return self.ended or self._finish is not None

    def feed(self, event: ServerEvent) -> Iterator[ProviderEvent]:
        """Takes one event. Raises ProviderError: it reports a failure."""
        if event.data.startswith("[DONE]"):
            self.ended = True
            return
        chunk = _object(event.data)
        if event.name == "error" or (chunk.get("error") and not chunk.get("choices")):
            raise classify(None, event.data, asked=self._asked)
        self._count(chunk.get("usage"))
        choices = chunk.get("choices")
        for choice in choices[:1] if isinstance(choices, list) else ():
            if isinstance(choice, dict):
                yield from self._choice(choice)

    def completion(self, request_id: str) -> Completion:
        """The whole answer: thinking, text, calls."""
        parts: list[Part] = []
        if self._thoughts:
            parts.append(Thinking("".join(self._thoughts), wire=WIRE + self._reasoning_field))
        if self._text:
            parts.append(Text("".join(self._text)))
        calls = self._calls.calls(self._ids)
        parts += calls
        ended = StopReason.TOOL_USE if calls else StopReason.END_TURN
        stop = StopReason.REFUSAL if self._refused else _STOPS.get(self._finish or "", ended)
        return Completion(tuple(parts), stop, self._usage, request_id)

    def _choice(self, choice: Dict) -> Iterator[ProviderEvent]:
        # Servers that ignore `stream` answer with a whole message.
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            yield from self._delta(delta)
        self._count(choice.get("usage"))
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish

    def _delta(self, delta: Dict) -> Iterator[ProviderEvent]:
        field = next((name for name in _REASONING_FIELDS if _words(delta.get(name))), "")
        if field:
            self._reasoning_field = self._reasoning_field or field
            self._thoughts.append(_words(delta[field]))
            yield ThinkingDelta(self._thoughts[-1])
        refusal = _words(delta.get("refusal"))
        self._refused = self._refused or bool(refusal)
        for text in (_words(delta.get("content")), refusal):
            if text:
                self._text.append(text)
                yield TextDelta(text)
        yield from self._calls.feed(delta.get("tool_calls"))

    def _count(self, usage: object) -> None:
        if not isinstance(usage, dict) or "prompt_tokens" not in usage:
            return
        details = usage.get("prompt_tokens_details")
        details = details if isinstance(details, dict) else {}
        self._usage = Usage(
            input=whole([usage["prompt_tokens"]]),
            output=whole([usage.get("completion_tokens")]),
            cache_read=whole([details.get("cached_tokens"), usage.get("prompt_cache_hit_tokens")]),
            cache_write=whole([details.get("cache_write_tokens")]),
        )


def _object(data: str) -> Dict:
    """The event's JSON object; a line that is none tells nothing."""
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _words(value: object) -> str:
    """Text of a field: a string, or a list of text blocks (Mistral)."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    texts = [item.get("text") for item in value if isinstance(item, dict) and item.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))
