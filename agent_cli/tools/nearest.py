"""Why a text was not found, and what comes nearest, so that the next try can succeed (C54)."""

import difflib
import re
from dataclasses import dataclass

from agent_cli.tools.page import REPLACEMENT
from agent_cli.workspace.decode import split_lines

MAX_SHOWN = 12
"""Lines of the nearest region that are shown."""
MAX_LINE_CHARS = 200
MAX_COMPARED = 4_000
"""Different lines of the file that are compared by similarity."""
_PREFIX = re.compile(r"^\s*\d+(?:→|\t|\|| ?: ?)", re.MULTILINE)
_QUOTES = str.maketrans("‘’‚‛“”„‟–—\xa0", "''''\"\"\"\"-- ")


@dataclass(frozen=True, slots=True)
class _Region:
    start: int
    """Index of its first line."""
    exact: bool
    """Whether all its lines are the wanted ones but for white space."""


def explain(text: str, old: str) -> str:
    """Returns the likely cause and the nearest region with line numbers, tabs as ⇥ and outer spaces as ·; empty when
    nothing is near. `text` and `old` have `\\n` line ends."""
    lines = split_lines(text)
    wanted = split_lines(old)
    stripped = _PREFIX.sub("", old)
    if stripped != old and _all_prefixed(wanted) and _region(lines, split_lines(stripped)):
        cause = "old_text holds the line-number prefixes of read_file; leave them out."
        return _told(cause, lines, _region(lines, split_lines(stripped)), len(wanted))
    region = _region(lines, wanted)
    if region is None:
        return ""
    return _told(_cause(lines, wanted, region), lines, region, len(wanted))


def _all_prefixed(lines: list[str]) -> bool:
    return all(_PREFIX.match(line) for line in lines if line.strip())


def _region(lines: list[str], wanted: list[str]) -> _Region | None:
    """The window of as many lines as wanted that has most of them but for white space and quotes; else around the
    most similar line."""
    keys = [_key(line) for line in lines]
    sought = {_key(line) for line in wanted} - {""}
    size = max(1, len(wanted))
    if not keys or not sought:
        return None
    hits = [key in sought for key in keys]
    count = sum(hits[:size])
    best, best_count = 0, count
    for start in range(1, len(keys) - size + 1):
        count += hits[start + size - 1] - hits[start - 1]
        if count > best_count or (count == best_count and keys[start] == _key(wanted[0]) != keys[best]):
            best, best_count = start, count
    if best_count:
        window = keys[best : best + size]
        return _Region(best, window == [_key(line) for line in wanted])
    return _similar(keys, max(sought, key=len))


def _similar(keys: list[str], wanted: str) -> _Region | None:
    known = list(dict.fromkeys(key[:MAX_LINE_CHARS] for key in keys if key))[:MAX_COMPARED]
    inside = [key for key in known if wanted in key or (len(key) > 8 and key in wanted)]
    near = inside or difflib.get_close_matches(wanted[:MAX_LINE_CHARS], known, n=1)
    if not near:
        return None
    return _Region(next(i for i, key in enumerate(keys) if key[:MAX_LINE_CHARS] == near[0]), exact=False)


def _key(line: str) -> str:
    return "".join(line.translate(_QUOTES).split())


def _cause(lines: list[str], wanted: list[str], region: _Region) -> str:
    found = lines[region.start : region.start + len(wanted)]
    if any(REPLACEMENT in line for line in wanted):
        return f"old_text holds {REPLACEMENT}, which stands for bytes that are not UTF-8; match only text around it."
    if not region.exact:
        return "The nearest lines differ."
    if [line.translate(_QUOTES) for line in found] == [line.translate(_QUOTES) for line in wanted]:
        return "Only the quotes or dashes differ (curly against straight)."
    if _indent_chars(found) != _indent_chars(wanted):
        return "Only the white space differs: tabs against spaces."
    return "Only the white space differs."


def _indent_chars(lines: list[str]) -> set[str]:
    return {char for line in lines for char in line[: len(line) - len(line.lstrip())]}


def _told(cause: str, lines: list[str], region: _Region | None, size: int) -> str:
    if region is None:
        return cause
    end = min(len(lines), region.start + min(max(1, size), MAX_SHOWN))
    shown = "\n".join(f"{i + 1}→{_visible(lines[i])}" for i in range(region.start, end))
    return f"{cause} The file has (⇥ is a tab, · a space at the start or end of a line):\n{shown}"


def _visible(line: str) -> str:
    line = line[:MAX_LINE_CHARS]
    body = line.strip()
    start = line.index(body) if body else len(line)
    outer = str.maketrans({" ": "·"})
    shown = line[:start].translate(outer) + body + line[start + len(body) :].translate(outer)
    return shown.replace("\t", "⇥")
