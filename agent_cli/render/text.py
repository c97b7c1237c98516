"""Text from outside, made safe to show: a terminal must not obey it and a person must not be misled by it (C63)."""

import re
import unicodedata

_SEQUENCE = re.compile(
    r"\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: titles, links
    r"|\x1b[PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_NOT_PLAIN = re.compile(r"[^\x20-\x7e\n]")
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
_HIDDEN = ("C", "Z", "Mn")


def clean(text: str) -> str:
    """Returns the text without control sequences, direction marks and characters without width; newlines stay."""
    text = text.replace("\r\n", "\n").expandtabs(4)
    return _UNWANTED.sub("", _SEQUENCE.sub("", text))


def visible(text: str) -> str:
    """Returns the text with every character that could hide or reorder something spelled out: `<U+202E>`.

    For what a person is asked to allow: nothing is left out, ordinary letters of all scripts stay (C63).
    """
    return _NOT_PLAIN.sub(_spelled, text.replace("\t", "    "))


def _spelled(match: re.Match[str]) -> str:
    char = match[0]
    category = unicodedata.category(char)
    hidden = category.startswith(_HIDDEN) and not unicodedata.combining(char)
    return f"<U+{ord(char):04X}>" if hidden or char in _BLANK_LETTERS else char


def one_line(text: str) -> str:
    """Returns the cleaned text in one line, runs of blanks as one."""
    return " ".join(clean(text).split())
