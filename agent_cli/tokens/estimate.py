"""Estimates of token counts from characters alone."""

import math
import re
from collections.abc import Iterable
from typing import assert_never

from agent_cli.core.messages import Image, Message, Part, Text, Thinking, ToolCall, ToolResult

_HAN = re.compile(
    r"[\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_ENCODED = re.compile(r"[A-Za-z0-9+/=_-]{120,}")
_SHARES = (
    (re.compile(r"[\x80-\u058f]"), 0.5),  # accented Latin, Greek, Cyrillic, Armenian
    (re.compile(r"[\u0590-\u1fff]"), 1.0),  # Hebrew, Arabic, the scripts of India and Southeast Asia
    (re.compile(r"[\u2000-\U0010ffff]"), 1.5),  # symbols, East Asian scripts, emoji
)


def readable(part: Part) -> tuple[str, ...]:
    """The strings of a part that a model reads: text, call ids, names and arguments, result ids and contents."""
    match part:
        case Text(text) | Thinking(text):
            return (text,)
        case ToolCall(id, name, arguments):
            return (id, name, arguments)
        case ToolResult(call_id, content):
            return (call_id, content)
        case Image():
            return ()
        case _:
            assert_never(part)


def by_characters(messages: Iterable[Message]) -> int:
    """A third of a token per character that a model reads (K1)."""
    return sum(len(text) for message in messages for part in message.parts for text in readable(part)) // 3


def mixed_script(text: str) -> int:
    """One token per Han character, a quarter per other character, rounded up (J2)."""
    han = len(_HAN.findall(text))
    return han + -(-(len(text) - han) // 4)


def conservative(text: str) -> int:
    """Tokens of a text, rather too many than too few, for when no tokenizer is at hand: the mixed-script count (J2)
    and what it falls short of."""
    han = len(_HAN.findall(text))
    return mixed_script(text) + math.ceil(_shortfall(text, 1 / 4) - 3 / 4 * han)


def conservative_message(message: Message) -> int:
    """The same of a message without its images: a third per character (K1) and what that falls short of."""
    texts = (text for part in message.parts for text in readable(part))
    return by_characters((message,)) + math.ceil(sum(_shortfall(text, 1 / 3) for text in texts))


def _shortfall(text: str, counted: float) -> float:
    """What a count of `counted` tokens per character lacks: a third per ASCII character, a half to one and a half
    per other, and one per character of long unbroken runs such as base64 (C41)."""
    runs = sum(map(len, _ENCODED.findall(text)))
    counts = [(len(script.findall(text)), share) for script, share in _SHARES]
    plain = len(text) - runs - sum(count for count, _ in counts)
    by_script = sum(count * (share - counted) for count, share in counts)
    return runs * (1 - counted) + plain * (1 / 3 - counted) + by_script
