"""Path patterns of rules, relative to the project: `src/**`, `*.md`, `/etc/hosts`, `~/notes/*`."""

import re
from functools import cache
from pathlib import Path

_TOKENS = re.compile(r"(\*\*/|\*\*|\*|\?|\[[^\]/]+\])")


def allows(pattern: str, path: Path, root: Path) -> bool:
    """Whether an allow rule covers this resolved path; `root` is the project's resolved folder."""
    return compiled(pattern, root, wide=False).fullmatch(str(path)) is not None


def forbids(pattern: str, path: Path, root: Path) -> bool:
    """Whether a deny or ask rule covers it: in any letter case, with all that lies beneath, and a pattern without a
    slash in every folder of the project."""
    return compiled(pattern, root, wide=True).fullmatch(str(path)) is not None


def is_exact(pattern: str) -> bool:
    """Whether the pattern names one path."""
    return len(_TOKENS.split(pattern)) == 1 and not pattern.endswith("/")


@cache
def compiled(pattern: str, root: Path, *, wide: bool) -> re.Pattern[str]:
    """The pattern as an expression over absolute paths. Raises re.error: a `[…]` makes no sense."""
    base, rest = _anchored(pattern + "**" if pattern.endswith("/") else pattern, root)
    anywhere = "(?:.*/)?" if wide and "/" not in pattern else ""
    beneath = "(?:/.*)?" if wide else ""
    start = re.escape(str(base).rstrip("/")) + "/"
    body = "".join(map(_token, _TOKENS.split(rest)))
    return re.compile(start + anywhere + body + beneath, re.DOTALL | (re.IGNORECASE if wide else 0))


def _anchored(pattern: str, root: Path) -> tuple[Path, str]:
    if pattern.startswith("~/"):
        return Path.home(), pattern[2:]
    if pattern.startswith("/"):
        return Path("/"), pattern.lstrip("/")
    while pattern.startswith(("./", "../")):
        root = root.parent if pattern.startswith("../") else root
        pattern = pattern.partition("/")[2]
    return root, pattern


def _token(token: str) -> str:
    match token:
        case "**/":
            return "(?:.*/)?"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _ if _TOKENS.fullmatch(token):
            inner = re.sub(r"([^\w!-])", r"\\\1", token[1:-1])
            return f"(?!/)[^{inner[1:]}]" if inner.startswith("!") else f"(?!/)[{inner}]"
        case _:
            return re.escape(token)
