"""Streamed Markdown cut into blocks that are final: each is printed once and never drawn again (C67)."""

import re
from dataclasses import dataclass

PIECE_LINES = 40
"""A code block is given out in pieces of this many lines, so that a long one does not wait for its end."""
_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")


@dataclass(frozen=True, slots=True)
class Prose:
    """Everything but fenced code: a paragraph, a heading, a list, a table."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Fenced code or a piece of it; `begins` is False for further pieces."""

    text: str
    language: str
    begins: bool


Block = Prose | Code


class Blocks:
    """Takes text as it comes and gives out what cannot change any more."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._rest = ""
        self._fence = ""
        self._language = ""
        self._begins = True
        self._gap = False

    @property
    def pending(self) -> str:
        """What is not final yet."""
        return "\n".join([*self._lines, self._rest])

    def feed(self, text: str) -> list[Block]:
        """Adds text and returns the blocks it completes."""
        *lines, self._rest = (self._rest + text).replace("\r\n", "\n").split("\n")
        return [block for line in lines for block in self._line(line)]

    def end(self) -> list[Block]:
        """The text is over: returns what is left."""
        blocks = self._line(self._rest) if self._rest else []
        blocks += self._code(last=True) if self._fence else self._prose()
        self._rest = ""
        return blocks

    def _line(self, line: str) -> list[Block]:
        if self._fence:
            return self._code_line(line)
        found = _FENCE.match(line)
        if found:
            blocks = self._prose()
            self._fence, self._language, self._begins = found[1], found[2], True
            return blocks
        if not line.strip():
            self._gap = bool(self._lines)
            return []
        blocks = self._prose() if self._gap and not self._goes_on(line) else []
        self._lines += ["", line] if self._gap and self._lines else [line]
        self._gap = False
        return blocks

    def _goes_on(self, line: str) -> bool:
        """A list may have blank lines inside: its numbers and indents only make sense together."""
        in_list = _ITEM.match(self._lines[0]) is not None
        return in_list and (line.startswith("  ") or _ITEM.match(line) is not None)

    def _code_line(self, line: str) -> list[Block]:
        bare = line.strip()
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
            return self._code(last=True)
        self._lines.append(line)
        return self._code(last=False) if len(self._lines) >= PIECE_LINES else []

    def _code(self, *, last: bool) -> list[Block]:
        blocks: list[Block] = []
        if self._lines or (last and self._begins):
            blocks.append(Code("\n".join(self._lines), self._language, self._begins))
        self._lines = []
        self._begins = False
        if last:
            self._fence = ""
        return blocks

    def _prose(self) -> list[Block]:
        lines, self._lines, self._gap = self._lines, [], False
        return [Prose("\n".join(lines))] if lines else []
