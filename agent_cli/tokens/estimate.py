"""Estimates of token counts from characters alone."""

import unicodedata
from collections.abc import Iterable
from functools import cache
from math import ceil

from agent_cli.core.messages import Image, Message, Part, Text, Thinking, ToolCall, ToolResult

CHARACTERS_PER_TOKEN = 3
"""Conservative for English and code (K1)."""


def by_characters(messages: Iterable[Message]) -> int:
    """Characters / 3, tool names, serialised arguments, result ids and contents included (K1)."""
    return sum(_characters(message) for message in messages) // CHARACTERS_PER_TOKEN


def mixed_script(text: str) -> int:
    """One token per Han character, a quarter per other character, rounded up (J2); blank text has none."""
    if not text.strip():
        return 0
    han = sum(1 for character in text if _is_han(character))
    return ceil(han + (len(text) - han) / 4)


def conservative(text: str) -> int:
    """A third of a token per ASCII character, one and a half per other: for when no tokenizer is at hand."""
    ascii_characters = sum(1 for character in text if character < "\x80")
    return ceil(ascii_characters / CHARACTERS_PER_TOKEN + (len(text) - ascii_characters) * 1.5)


def _characters(message: Message) -> int:
    return sum(_part(part) for part in message.parts)


def _part(part: Part) -> int:
    match part:
        case Text(text):
            return len(text)
        case Thinking(text, signature, data):
            return len(text) + len(signature) + len(data)
        case ToolCall(_, name, arguments):
            return len(name) + len(arguments)
        case ToolResult(call_id, content):
            return len(call_id) + len(content)
        case Image():
            return 0


@cache
def _is_han(character: str) -> bool:
    return character > "\u2e7f" and unicodedata.name(character, "").startswith("CJK")
