"""A part of a file as the model reads it: numbered lines within a budget of bytes (C05)."""

import re

from agent_cli.core.tools import ToolFailure
from agent_cli.workspace.decode import Decoded, split_lines

MAX_BYTES = 20_000
"""Budget of one answer in bytes of UTF-8; about 6,000 tokens of code."""
MAX_LINES = 2_000
_LONE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def page(content: Decoded, offset: int = 1, limit: int = MAX_LINES, column: int = 1) -> str:
    """Returns numbered lines (`12→text`) from line `offset` on, with a note of the real size and how to read on where
    something is left out. `column` is the first character to show of the first line, for lines longer than the budget.

    Raises ToolFailure: the file has no such line or column.
    """
    lines = split_lines(_LONE.sub(REPLACEMENT, content.text))
    if not lines:
        return "[the file is empty]"
    _check_start(lines, offset, column)
    shown: list[str] = []
    room = MAX_BYTES
    for number in range(offset, min(len(lines), offset + limit - 1) + 1):
        start = column if number == offset else 1
        line = f"{number}→{lines[number - 1][start - 1 :]}"
        room -= len(line.encode()) + 1
        if room < 0:
            break
        shown.append(line)
    if not shown:
        return _slice(lines, offset, column)
    return "\n".join([*shown, *_notes(content, lines, offset, offset + len(shown) - 1)])


def _check_start(lines: list[str], offset: int, column: int) -> None:
    if not 1 <= offset <= len(lines):
        raise ToolFailure(f"There is no line {offset}: the file has {len(lines):,} lines, counted from 1.")
    if not 1 <= column <= max(1, len(lines[offset - 1])):
        raise ToolFailure(
            f"There is no column {column}: line {offset} has {len(lines[offset - 1]):,} characters."
        )


def _slice(lines: list[str], offset: int, column: int) -> str:
    line = lines[offset - 1]
    rest = line[column - 1 : column - 1 + MAX_BYTES]
    piece = rest.encode()[: MAX_BYTES - 100].decode("utf-8", "ignore")
    end = column + len(piece) - 1
    further = f"offset={offset} column={end + 1}"
    if offset < len(lines):
        further += f", or with the next line: offset={offset + 1}"
    note = f"[characters {column}-{end} of {len(line):,} in line {offset} of {len(lines):,}; go on with {further}]"
    return f"{offset}→{piece}\n{note}"


def _notes(content: Decoded, lines: list[str], first: int, last: int) -> list[str]:
    notes: list[str] = []
    if last < len(lines):
        notes.append(
            f"[lines {first}-{last} of {len(lines):,}; {_size(content)}. Go on with offset={last + 1}]"
        )
    elif first > 1:
        notes.append(f"[end of the file, {len(lines):,} lines]")
    if content.stray_bytes:
        notes.append(
            f"[{content.stray_bytes:,} bytes are not UTF-8, shown as {REPLACEMENT}; edit_file keeps them]"
        )
    if content.encoding != "utf-8":
        notes.append(f"[encoded as {content.encoding}; edits keep that]")
    return notes


def _size(content: Decoded) -> str:
    size = len(content.encode(content.text))
    return f"{size:,} bytes" if size < 10_000 else f"{size // 1000:,} KB"
