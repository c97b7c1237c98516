"""Unified diffs for people and models, bounded in time on large files."""

from collections.abc import Iterator
from difflib import SequenceMatcher

from agent_cli.workspace.decode import split_lines

CONTEXT = 3
MAX_COMPARED = 3_000
"""Lines on both sides up to which changed regions are searched for; beyond it the whole region counts as changed."""

Opcode = tuple[str, int, int, int, int]


def unified(before: str, after: str, name: str) -> str:
    """Returns the change as a unified diff of the file `name`; empty when no line differs."""
    old, new = split_lines(before), split_lines(after)
    hunks = list(_hunks(old, new))
    if not hunks:
        return ""
    return "\n".join([f"--- {name}", f"+++ {name}", *hunks])


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    for group in _groups(old, new):
        _, old_start, _, new_start, _ = group[0]
        old_count, new_count = group[-1][2] - old_start, group[-1][4] - new_start
        yield f"@@ -{_range(old_start, old_count)} +{_range(new_start, new_count)} @@"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[i1:i2])
                continue
            yield from (f"-{line}" for line in old[i1:i2])
            yield from (f"+{line}" for line in new[j1:j2])


def _groups(old: list[str], new: list[str]) -> Iterator[list[Opcode]]:
    """The changed regions with their context; equal beginnings and ends are stripped first, which makes it fast."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    if start == len(old) == len(new):
        return
    lead, trail = max(0, start - CONTEXT), max(0, end - CONTEXT)
    a, b = old[lead : len(old) - trail], new[lead : len(new) - trail]
    if len(a) + len(b) <= MAX_COMPARED:
        for group in SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(CONTEXT):
            yield [(tag, i1 + lead, i2 + lead, j1 + lead, j2 + lead) for tag, i1, i2, j1, j2 in group]
        return
    old_end, new_end = len(old) - end, len(new) - end
    yield [
        ("equal", lead, start, lead, start),
        ("replace", start, old_end, start, new_end),
        ("equal", old_end, len(old) - trail, new_end, len(new) - trail),
    ]


def _common(a: list[str], b: list[str]) -> int:
    return next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _range(start: int, count: int) -> str:
    """A hunk's lines as `diff` numbers them: an empty range names the line before it."""
    first = start if count == 0 else start + 1
    return str(first) if count == 1 else f"{first},{count}"
