"""Counting in o200k tokens, and what that is in a model's own (C11, C38, C39, C41)."""

import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from math import ceil
from typing import assert_never

import msgspec

from agent_cli.core.messages import Image, Message, Part, Text, Thinking, ToolCall, ToolResult
from agent_cli.core.models import ToolSpec
from agent_cli.tokens.estimate import conservative
from agent_cli.tokens.ranks import encoding

IMAGE_TOKENS = 1_600
"""An image costs this flat, whatever its bytes (C41): the upper end of what Claude bills for one."""
MESSAGE_OVERHEAD = 4
CALL_OVERHEAD = 8
"""What roles, ids and brackets cost on the wire, besides the text."""
LEARNING_RATE = 0.2
LEAST_RATIO, MOST_RATIO = 0.5, 3.0
LEAST_SAMPLE = 500
"""Requests below this many tokens say nothing about the ratio: their overhead is most of them."""
_PIECE = 50_000
_CACHED = 20_000
_SAFE_CUT = re.compile(r"\n(?=[A-Za-z])")

_log = logging.getLogger("agent_cli")


class Counter:
    """Counts for one model. `ratio` is its own tokens per o200k token, learned from reported usage."""

    def __init__(self, ratio: float = 1.0) -> None:
        self._ratio = ratio
        self._learned = False
        self._count: Callable[[str], int] | None = None
        self._exact = True
        self._messages: OrderedDict[int, tuple[Message, int]] = OrderedDict()
        self._fixed: tuple[tuple[tuple[str, ...], tuple[ToolSpec, ...]], int] | None = None

    @property
    def ratio(self) -> float:
        """Own tokens per o200k token."""
        return self._ratio

    @property
    def exact(self) -> bool:
        """Whether the tokenizer is at work; False once it could not be loaded and characters are counted."""
        return self._exact

    def text(self, text: str) -> int:
        """O200k tokens of a text. Special tokens are plain text (C38); never raises."""
        count = self._counter()
        return sum(map(count, _pieces(text)))

    def message(self, message: Message) -> int:
        """O200k tokens of a message; the same object is counted once."""
        known = self._messages.get(id(message))
        if known is not None and known[0] is message:
            return known[1]
        tokens = MESSAGE_OVERHEAD + sum(self._part(part) for part in message.parts)
        self._messages[id(message)] = (message, tokens)
        if len(self._messages) > _CACHED:
            self._messages.popitem(last=False)
        return tokens

    def messages(self, messages: Iterable[Message]) -> int:
        """O200k tokens of several messages."""
        return sum(map(self.message, messages))

    def spec(self, spec: ToolSpec) -> int:
        """O200k tokens of a tool definition as it is sent."""
        return (
            CALL_OVERHEAD + self.text(spec.name) + self.text(spec.description) + self.text(_json(spec.schema))
        )

    def fixed(self, system: tuple[str, ...], tools: tuple[ToolSpec, ...]) -> int:
        """O200k tokens of what every request carries; the last one asked for is remembered."""
        key = (system, tools)
        if self._fixed is None or self._fixed[0] != key:
            self._fixed = (key, sum(map(self.text, system)) + sum(map(self.spec, tools)))
        return self._fixed[1]

    def learn(self, estimated: int, reported: int) -> None:
        """Takes a request's reported input against our own o200k count of it into the ratio (C11)."""
        if estimated < LEAST_SAMPLE or reported <= 0:
            return
        seen = min(max(reported / estimated, LEAST_RATIO), MOST_RATIO)
        rate = LEARNING_RATE if self._learned else 1.0
        self._learned = True
        self._ratio += rate * (seen - self._ratio)

    def own(self, tokens: int) -> int:
        """The model's own tokens for so many o200k tokens, rounded up."""
        return ceil(tokens * self._ratio)

    def _part(self, part: Part) -> int:
        match part:
            case Text(text):
                return self.text(text)
            case Thinking(text, signature, data):
                return self.text(text) + self.text(signature) + self.text(data)
            case ToolCall(id, name, arguments):
                return CALL_OVERHEAD + self.text(id) + self.text(name) + self.text(arguments)
            case ToolResult(call_id, content):
                return CALL_OVERHEAD + self.text(call_id) + self.text(content)
            case Image():
                return IMAGE_TOKENS
            case _:
                assert_never(part)

    def _counter(self) -> Callable[[str], int]:
        if self._count is None:
            self._count = self._load()
        return self._count

    def _load(self) -> Callable[[str], int]:
        try:
            encode = encoding().encode_ordinary
        except (ImportError, ValueError, OSError) as error:
            _log.warning("counting tokens from characters: %s", error)
            self._exact = False
            return conservative
        return lambda piece: len(encode(piece))


def _pieces(text: str) -> Iterator[str]:
    """Cuts a long text where the encoding cuts it too, at a line end before a letter; a run of 50,000 characters
    without one is cut anyway, since the tokenizer is slow on such runs."""
    start = 0
    while len(text) - start > _PIECE:
        cut = _SAFE_CUT.search(text, start + _PIECE // 2, start + _PIECE)
        end = cut.end() if cut else start + _PIECE
        yield text[start:end]
        start = end
    yield text[start:]


def _json(schema: dict[str, object]) -> str:
    return msgspec.json.encode(schema).decode()
