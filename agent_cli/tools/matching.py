"""Finding the text to replace and putting the new one in its place, byte-exact outside it (C51, C54)."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from difflib import SequenceMatcher

from agent_cli.workspace.decode import Decoded, line_ends

MAX_NAMED = 20
"""Matches that a refusal names by line."""
_LINE_END = re.compile(r"\r\n|\r")
_WINDOWS_END = re.compile(r"\r\n")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Match:
    """A place in the file's text, in characters; `line` counts from 1."""

    start: int
    end: int
    line: int


class Text:
    """A file's text in which every line end also counts as `\\n`, so that what the model read can be found."""

    def __init__(self, content: Decoded) -> None:
        self.content = content
        self.plain = _LINE_END.sub("\n", content.text)
        # Positions of the line ends that are two characters in the file, counted in `plain`.
        self._double = [
            match.start() - before for before, match in enumerate(_WINDOWS_END.finditer(content.text))
        ]

    def find(self, old: str, limit: int = MAX_NAMED) -> list[Match]:
        """All places of `old`, overlapping ones too, at most `limit`."""
        return self._find(old, 1, limit)

    def find_apart(self, old: str) -> list[Match]:
        """All places of `old` from left to right that do not overlap."""
        return self._find(old, len(unix(old)), None)

    def replace(self, matches: list[Match], new: str) -> str:
        """The file's text with `new` at the matches (from left to right, apart), in the line ends around each."""
        text = self.content.text
        pieces: list[str] = []
        position = 0
        for match in matches:
            pieces += [text[position : match.start], self._restyled(match, new)]
            position = match.end
        return "".join([*pieces, text[position:]])

    def _find(self, old: str, step: int, limit: int | None) -> list[Match]:
        wanted = unix(old)
        found: list[Match] = []
        line, counted = 1, 0
        start = self.plain.find(wanted)
        while start >= 0 and (limit is None or len(found) < limit):
            line += self.plain.count("\n", counted, start)
            counted = start
            found.append(Match(self._real(start), self._real(start + len(wanted)), line))
            start = self.plain.find(wanted, start + step)
        return found

    def _real(self, position: int) -> int:
        return position + bisect_left(self._double, position)

    def _restyled(self, match: Match, new: str) -> str:
        """`new` with the line ends of what it replaces; lines that stay keep theirs even where the ends are mixed."""
        replaced = self.content.text[match.start : match.end]
        ends = set(line_ends(replaced))
        new = _WINDOWS_END.sub("\n", new)
        if len(ends) <= 1:
            return new.replace("\n", ends.pop() if ends else self._end_near(match))
        return _merged(_LINE.findall(replaced), _LINE.findall(new), self._end_near(match))

    def _end_near(self, match: Match) -> str:
        """The line end of the line the match lies in, else of the file."""
        text = self.content.text
        following = re.compile(r"\r\n|\n|\r").search(text, match.end)
        if following:
            return following[0]
        before = line_ends(text[max(0, match.start - 10_000) : match.start])
        return before[-1] if before else self.content.newline


def unix(text: str) -> str:
    """The text with every line end as `\\n`."""
    return _LINE_END.sub("\n", text)


def _merged(old: list[str], new: list[str], end: str) -> str:
    """The new lines, each that also stands in the old ones with the old bytes, the others ending in `end`."""
    matcher = SequenceMatcher(None, [unix(line) for line in old], new, autojunk=False)
    pieces: list[str] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            pieces += old[i1:i2]
        elif tag == "replace" and i2 - i1 == j2 - j1:
            pieces += [_ended(line, before) for line, before in zip(new[j1:j2], old[i1:i2], strict=True)]
        else:
            pieces += [line.replace("\n", end) for line in new[j1:j2]]
    return "".join(pieces)


def _ended(line: str, before: str) -> str:
    """A changed line with the line end of the line it replaces."""
    end = line_ends(before)
    return line.replace("\n", end[-1]) if end else line
