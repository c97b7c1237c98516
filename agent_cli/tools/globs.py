"""Matching relative paths against glob patterns, in time linear in the path."""

import re
from fnmatch import fnmatchcase
from itertools import product

from agent_cli.core.tools import ToolFailure

MAX_ALTERNATIVES = 200
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


class Glob:
    """`*` and `?` stay within a name, `**` spans folders, `{a,b}` are alternatives. A pattern without `/` matches
    names at any depth, one with `/` the path from the base.

    Raises ToolFailure: the pattern is empty or has too many alternatives.
    """

    def __init__(self, pattern: str) -> None:
        pattern = pattern.strip().removeprefix("./")
        if not pattern.strip("/"):
            raise ToolFailure("The pattern is empty. Examples: *.py, src/**/*.ts, {README,CHANGES}*")
        if "/" not in pattern:
            pattern = f"**/{pattern}"
        if pattern.endswith("/"):
            pattern += "**"
        self._alternatives = [expanded.split("/") for expanded in _expanded(pattern)]

    def matches(self, path: str) -> bool:
        """Whether the path, relative and with `/`, matches."""
        names = path.split("/")
        return any(_matches(names, parts) for parts in self._alternatives)


def _expanded(pattern: str) -> list[str]:
    pieces = _BRACES.split(pattern)
    choices = [piece.split(",") if i % 2 else [piece] for i, piece in enumerate(pieces)]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MAX_ALTERNATIVES:
        raise ToolFailure(f"The pattern has {count:,} alternatives; {MAX_ALTERNATIVES} are allowed.")
    return ["".join(chosen) for chosen in product(*choices)]


def _matches(names: list[str], parts: list[str]) -> bool:
    """Follows all places in the pattern at once, so that several `**` cost no backtracking."""
    places = _after_spans({0}, parts)
    for name in names:
        stay = {i for i in places if i < len(parts) and parts[i] == "**"}
        step = {i + 1 for i in places if i < len(parts) and parts[i] != "**" and fnmatchcase(name, parts[i])}
        places = _after_spans(stay | step, parts)
    return len(parts) in places


def _after_spans(places: set[int], parts: list[str]) -> set[int]:
    reached = set(places)
    for place, part in enumerate(parts):
        if part == "**" and place in reached:
            reached.add(place + 1)
    return reached
