"""Permission rules as users write them: `Tool` or `Tool(pattern)`."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from agent_cli.core.errors import UsageError
from agent_cli.core.tools import Access, ReadPath, RunCommand, WritePath
from agent_cli.permissions import path_globs, shell_words
from agent_cli.settings.nearest import did_you_mean

SHELL = "shell"
_FORM = re.compile(r"(?P<tool>[\w.:-]+)\s*(?:\((?P<pattern>.*)\))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rule:
    """A tool, and what of it; without a pattern all of it."""

    tool: str
    pattern: str | None = None

    def __str__(self) -> str:
        return self.tool if self.pattern is None else f"{self.tool}({self.pattern})"

    def allows(self, access: Access, root: Path) -> bool:
        """Whether the pattern covers exactly this access; a rule without a pattern covers every one."""
        if self.pattern is None:
            return True
        match access:
            case RunCommand(command):
                return shell_words.allows(self.pattern, command)
            case ReadPath(path) | WritePath(path):
                return path_globs.allows(self.pattern, path, root)
            case _:
                assert_never(access)

    def forbids(self, access: Access, root: Path) -> bool:
        """Whether the pattern touches this access in any way."""
        if self.pattern is None:
            return True
        match access:
            case RunCommand(command):
                return shell_words.forbids(self.pattern, command)
            case ReadPath(path) | WritePath(path):
                return path_globs.forbids(self.pattern, path, root)
            case _:
                assert_never(access)


def parse_rules(text: str, known: Collection[str] = ()) -> tuple[Rule, ...]:
    """Reads comma-separated rules; a comma inside parentheses belongs to the pattern. `known` are the tools' names;
    without them any name will do. Raises UsageError: a rule is malformed or names no known tool."""
    return tuple(_rule(part, known) for part in _split(text) if part)


def _rule(text: str, known: Collection[str]) -> Rule:
    found = _FORM.fullmatch(text)
    if found is None:
        raise UsageError(
            f"{text!r} is no permission rule. Write Tool or Tool(pattern), for instance shell(git status)."
        )
    rule = Rule(found["tool"], found["pattern"] if found["pattern"] is None else found["pattern"].strip())
    if known and rule.tool not in known:
        near = did_you_mean(rule.tool.lower(), known)
        raise UsageError(f"The rule {text!r} names no tool.{near} Tools: {', '.join(sorted(known))}.")
    if rule.pattern is not None:
        _check_pattern(rule, rule.pattern)
    return rule


def _check_pattern(rule: Rule, pattern: str) -> None:
    if not pattern:
        raise UsageError(f"The rule {rule} has an empty pattern. Write {rule.tool} alone for all of it.")
    if rule.tool == SHELL and not shell_words.is_pattern(pattern):
        raise UsageError(
            f"The rule {rule} can never match: a shell pattern is plain words and wildcards, "
            "without operators, quotes, $, backslashes or redirects. Allow each command by a rule of its own."
        )
    try:
        path_globs.compiled(pattern, Path("/"), wide=False)
    except re.error as error:
        raise UsageError(f"The rule {rule} has a wrong [...] in its pattern: {error}.") from error


def _split(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for index, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and not depth:
            yield text[start:index].strip()
            start = index + 1
    if depth:
        raise UsageError(f"The parentheses in {text!r} do not match.")
    yield text[start:].strip()
