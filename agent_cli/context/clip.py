"""Shortening text to a number of tokens, in sight of the reader and never inside a character."""

import unicodedata
from collections.abc import Callable

from agent_cli import prompts

Count = Callable[[str], int]
"""Tokens (o200k) of a text."""

LEAST_CHARS_PER_TOKEN = 0.2
"""A character is five tokens at the very most, so a text shorter than a fifth of its limit needs no counting."""
MOST_CHARS_PER_TOKEN = 12
"""Text longer than this per token of its limit is taken to be over it without counting all of it."""


def fits(text: str, limit: int, count: Count) -> bool:
    """Whether the text has at most `limit` tokens; huge texts are not counted through."""
    if len(text) <= limit * LEAST_CHARS_PER_TOKEN:
        return True
    return len(text) <= limit * MOST_CHARS_PER_TOKEN and count(text) <= limit


def head(text: str, limit: int, count: Count) -> str:
    """The longest beginning found that has at most `limit` tokens."""
    length = min(len(text), max(0, limit) * MOST_CHARS_PER_TOKEN)
    while length > 0:
        piece = text[:length]
        tokens = count(piece)
        if tokens <= limit:
            return piece[: _boundary(text, length)]
        length = min(length - 1, length * limit // tokens)
    return ""


def tail(text: str, limit: int, count: Count) -> str:
    """The longest end found that has at most `limit` tokens."""
    length = min(len(text), max(0, limit) * MOST_CHARS_PER_TOKEN)
    while length > 0:
        piece = text[-length:]
        tokens = count(piece)
        if tokens <= limit:
            start = len(text) - length
            while start < len(text) and _joins(text, start):
                start += 1
            return text[start:]
        length = min(length - 1, length * limit // tokens)
    return ""


def middle(text: str, limit: int, count: Count) -> str:
    """The text itself, or its two ends with a line between them that says how much is missing."""
    if fits(text, limit, count):
        return text
    half = max(0, limit - 20) // 2
    return ends(text, half, half, count)


def ends(text: str, first: int, last: int, count: Count, note: str = "") -> str:
    """The first and the last tokens of the text, with `note` or the size of the gap between them."""
    start = head(text, first, count)
    end = tail(text[len(start) :], last, count)
    left_out = text[len(start) : len(text) - len(end)]
    if not left_out:
        return text
    gap = note or prompts.fill("context_clipped", size=size_of(left_out))
    return f"{start}\n{gap}\n{end}"


def size_of(text: str) -> str:
    """The size in words: lines where there are several, and characters."""
    lines = text.count("\n") + 1
    characters = f"{len(text):,} characters"
    return characters if lines == 1 else f"{lines:,} lines, {characters}"


def _boundary(text: str, index: int) -> int:
    """The nearest index at or before `index` that does not part a character from its marks."""
    while 0 < index < len(text) and _joins(text, index):
        index -= 1
    return index


def _joins(text: str, index: int) -> bool:
    """Whether the code point at `index` belongs to the one before it."""
    joiner = "\u200d"
    return (
        unicodedata.combining(text[index]) != 0
        or text[index] in (joiner, "\ufe0f")
        or (index > 0 and text[index - 1] == joiner)
    )
