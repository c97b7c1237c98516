"""Counting in o200k tokens, and what that is in a model's own (C11, C38, C39, C41)."""

import math
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from agent_cli.core.messages import Image, Message, Part, Text, Thinking
from agent_cli.core.models import ToolSpec
from agent_cli.tokens.estimate import conservative, conservative_message, readable
from agent_cli.tokens.ranks import encoding

IMAGE_TOKENS = 1_600
"""An image costs this flat, whatever its bytes (C41): the upper end of what Claude bills for one."""
MESSAGE_OVERHEAD = 4
CALL_OVERHEAD = 8
"""What roles and brackets cost on the wire, besides the text."""
LEARNING_RATE = 0.2
LEAST_RATIO, MOST_RATIO = 0.5, 3.0
LEAST_SAMPLE = 500
"""Requests below this many tokens say nothing about the ratio: their overhead is most of them."""

_CHUNK = 16_384
# Places where the encoding always has a boundary, so that the counts of both sides add up: after a letter or digit
# before blank space, after anything before a blank or tab, and after a line end before a line that is not empty
# (a slash may still belong to the signs before the line end).
_SEAM = re.compile(r"(?<=[^\W_])(?=\s)|(?<=\S)(?=[ \t])|(?<=\n)(?=[^\s/]|[ \t]+\S)")


class Counter:
    """Counts for one model. `ratio` is its own tokens per o200k token, learned from reported usage."""

    def __init__(self, ratio: float = 1.0) -> None:
        self._ratio = ratio
        self._learned = False

    @property
    def ratio(self) -> float:
        """Own tokens per o200k token."""
        return self._ratio

    @property
    def exact(self) -> bool:
        """Whether the tokenizer is at work; False where it cannot be loaded and characters are counted."""
        return encoding() is not None

    def text(self, text: str) -> int:
        """The o200k tokens of a text. Special tokens are plain text (C38); never raises."""
        return _text(text)

    def message(self, message: Message) -> int:
        """The o200k tokens of a message; the same content is counted once."""
        return _parts(message.parts) if self.exact else _estimated(message)

    def messages(self, messages: Iterable[Message]) -> int:
        """The o200k tokens of several messages."""
        return sum(map(self.message, messages))

    def spec(self, spec: ToolSpec) -> int:
        """The o200k tokens of a tool definition as it is sent."""
        return CALL_OVERHEAD + _text(_definition(spec))

    def fixed(self, system: tuple[str, ...], tools: tuple[ToolSpec, ...]) -> int:
        """The o200k tokens of what every request carries; the same content is counted once."""
        return _texts((*system, *map(_definition, tools))) + CALL_OVERHEAD * len(tools)

    def learn(self, estimated: int, reported: int) -> None:
        """Takes a request's reported input against our own o200k count of it into the ratio (C11).

        The first believable report is adopted at once, later ones by a moving average. Less than half of our
        count is no tokenizer's doing: the server has cut the input or counts something else, so it is ignored.
        """
        if estimated < LEAST_SAMPLE or reported < LEAST_RATIO * estimated:
            return
        seen = reported / estimated
        adopt = not self._learned and seen <= MOST_RATIO
        moved = seen if adopt else self._ratio + LEARNING_RATE * (seen - self._ratio)
        self._ratio = min(max(moved, LEAST_RATIO), MOST_RATIO)
        self._learned = self._learned or adopt

    def own(self, tokens: int) -> int:
        """The model's own tokens for so many o200k tokens, rounded up."""
        # 10 × 1.1 is a hair above 11 in binary and must not become 12.
        return math.ceil(tokens * self._ratio - 1e-9)


# Keyed by content, not by identity: views are built anew for each request, from the same parts.
@lru_cache(maxsize=8192)
def _parts(parts: tuple[Part, ...]) -> int:
    return MESSAGE_OVERHEAD + sum(map(_part, parts))


@lru_cache(maxsize=8192)
def _estimated(message: Message) -> int:
    return MESSAGE_OVERHEAD + conservative_message(message) + sum(map(_unread, message.parts))


def _unread(part: Part) -> int:
    """What a part costs beside the strings a model reads."""
    match part:
        case Image():
            return IMAGE_TOKENS
        case Text():
            return 0
        case Thinking(text, signature, data):
            return 0 if text else _sealed(signature + data)
        case _:
            return CALL_OVERHEAD


@lru_cache(maxsize=16)
def _texts(texts: tuple[str, ...]) -> int:
    return sum(map(_text, texts))


def _part(part: Part) -> int:
    return _unread(part) + sum(map(_text, readable(part)))


def _sealed(blob: str) -> int:
    """Tokens of reasoning that only its provider can read: base64 of about four bytes a token."""
    return len(blob) * 3 // 16


def _definition(spec: ToolSpec) -> str:
    return f"{spec.name}\n{spec.description}\n{msgspec.json.encode(spec.schema).decode()}"


def _text(text: str) -> int:
    known = encoding()
    if known is None:
        return conservative(text)
    return sum(len(known.encode_ordinary(chunk)) for chunk in _chunks(text))


def _chunks(text: str) -> Iterator[str]:
    """Cuts a long text where the count stays exact; a run of 16,384 characters without such a place is cut
    anyway, since the tokenizer's time grows faster than the run."""
    start = 0
    while len(text) - start > 2 * _CHUNK:
        seam = _SEAM.search(text, start + _CHUNK, start + 2 * _CHUNK)
        end = seam.start() if seam else start + 2 * _CHUNK
        yield text[start:end]
        start = end
    yield text[start:]
