"""Shell commands and the word patterns of rules: `git status`, `git *`, `npm run test:*`.

Allowing is strict: only a command of plain words can match (C59). Denying is wide: quotes, operators, wrappers and
paths do not get a command past a rule.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from agent_cli.permissions.escapes import escapes

_WORD = r"[A-Za-z0-9_@%+:,./=-]+"
_PLAIN = re.compile(rf"[ \t]*{_WORD}(?:[ \t]+{_WORD})*[ \t]*")
_PATTERN = re.compile(r"[A-Za-z0-9_@%+:,./=*?\[\]!-]+(?: +[A-Za-z0-9_@%+:,./=*?\[\]!-]+)*")
_QUOTES = re.compile(r"\\\n|[\"'\\]")
_OPERATORS = re.compile(r"[;&|()<>{}$`!\n\r]")
_EXPANSIONS = re.compile(r"[$`*?\[{~]")
_RUNNERS = frozenset(
    [
        "sh",
        "bash",
        "dash",
        "zsh",
        "ksh",
        "fish",
        "eval",
        "source",
        ".",
        "exec",
        "command",
        "builtin",
        "env",
        "xargs",
        "sudo",
        "doas",
        "su",
        "nohup",
        "nice",
        "time",
        "timeout",
        "setsid",
        "stdbuf",
        "ionice",
        "chroot",
        "busybox",
        "watch",
        "parallel",
    ]
)


def plain_words(command: str) -> tuple[str, ...] | None:
    """The words of a command that is nothing but ASCII words, else None: no operator, quote, `$`, backslash, newline,
    redirect, wildcard, tilde, brace, comment or leading assignment."""
    if not _PLAIN.fullmatch(command):
        return None
    words = tuple(command.split())
    return None if "=" in words[0] else words


def is_pattern(pattern: str) -> bool:
    """Whether a pattern can ever match: words with `*`, `?` or `[…]` in them."""
    return _PATTERN.fullmatch(pattern) is not None


def allows(pattern: str, command: str) -> bool:
    """Whether an allow rule covers the command: word for word, `*` as last word for any further words."""
    words = plain_words(command)
    wanted = pattern.split()
    if words is None or not _fits(wanted, words):
        return False
    named = {word for word, want in zip(words, wanted, strict=False) if word == want}
    return not any(escapes(words[0], word) for word in words[1:] if word not in named)


def forbids(pattern: str, command: str) -> bool:
    """Whether a deny or ask rule covers the command or any part of it: the pattern's words in their order, with or
    without others between and after them."""
    first, *others = [word for word in pattern.split() if word != "*"] or ["*"]
    return any(
        _named(first, words[start]) and _in_order(others, words[start + 1 :])
        for words, starts in _parts(command)
        for start in starts
    )


def hides(command: str) -> bool:
    """Whether what runs cannot be told from the words, so that a deny rule might be missed."""
    if plain_words(command) is not None:
        return False
    words = (word for words, _ in _parts(command) for word in words)
    return _EXPANSIONS.search(command) is not None or any(_name(word) in _RUNNERS for word in words)


def _fits(wanted: Sequence[str], words: Sequence[str]) -> bool:
    if wanted[-1] == "*":
        wanted = wanted[:-1]
        words = words[: len(wanted)] if len(words) >= len(wanted) else ()
    return len(words) == len(wanted) and all(map(fnmatchcase, words, wanted))


def _parts(command: str) -> Iterator[tuple[Sequence[str], range]]:
    """Runs of words, and the places in each where a program may be named."""
    words = plain_words(command)
    if words is not None:
        yield words, range(len(words) if _name(words[0]) in _RUNNERS else 1)
        return
    for part in _OPERATORS.split(_QUOTES.sub("", command)):
        found = part.split()
        yield found, range(len(found))


def _named(wanted: str, word: str) -> bool:
    return fnmatchcase(word, wanted) or fnmatchcase(_name(word), wanted)


def _in_order(wanted: Sequence[str], words: Sequence[str]) -> bool:
    rest = iter(words)
    return all(any(fnmatchcase(word, want) for word in rest) for want in wanted)


def _name(word: str) -> str:
    return PurePosixPath(word).name
