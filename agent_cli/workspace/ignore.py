"""Walking a folder tree by the project's ignore rules, within bounds."""

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agent_cli.core.tools import ToolFailure
from agent_cli.workspace.files import read_bytes
from agent_cli.workspace.git import git_root

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MAX_RULES_BYTES = 256 * 1024
MAX_ENTRIES = 200_000
MAX_SECONDS = 15.0
ALWAYS_SKIPPED = frozenset({".git"})


@dataclass(frozen=True, slots=True)
class Found:
    """One entry of a walk; `depth` is 1 for the base's own entries. Links are told, never followed to a folder."""

    path: Path
    depth: int
    is_folder: bool
    is_link: bool


@dataclass(frozen=True, slots=True)
class _Rules:
    folder: Path
    spec: "GitIgnoreSpec"

    def verdict(self, path: Path, is_folder: bool) -> bool | None:
        """True: ignored; False: expressly kept; None: these rules say nothing."""
        relative = path.relative_to(self.folder).as_posix()
        return self.spec.check_file(relative + "/" * is_folder).include


class Walk:
    """Iterates over what lies under `base`, sorted by path and depth first, without what `.gitignore` files (those
    above `base` up to the git root included) and `.git/info/exclude` leave out, `.git`, and folders that ignore
    themselves, as the transcripts' folder does. A base that is ignored itself is walked all the same.

    `cut` tells, after the iteration, why it ended early; empty when it did not.
    """

    def __init__(self, base: Path, max_depth: int | None = None) -> None:
        self.base = base
        self.cut = ""
        self._max_depth = max_depth
        self._seen = 0

    def __iter__(self) -> Iterator[Found]:
        deadline = time.monotonic() + MAX_SECONDS
        stack = [self._entries(self.base, 1, _rules_above(self.base))]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
                continue
            found, rules = step
            if self._over(deadline):
                return
            yield found
            deeper = self._max_depth is None or found.depth < self._max_depth
            if found.is_folder and deeper:
                stack.append(self._entries(found.path, found.depth + 1, rules))

    def _over(self, deadline: float) -> bool:
        self._seen += 1
        if self._seen > MAX_ENTRIES:
            self.cut = f"stopped after {MAX_ENTRIES:,} entries"
        elif time.monotonic() > deadline:
            self.cut = f"stopped after {MAX_SECONDS:.0f} seconds"
        return bool(self.cut)

    def _entries(
        self, folder: Path, depth: int, rules: tuple[_Rules, ...]
    ) -> Iterator[tuple[Found, tuple[_Rules, ...]]]:
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError:
            return
        own = rules if depth == 1 else (*rules, *_rules_of(folder))
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            found = Found(folder / entry.name, depth, is_folder, entry.is_symlink())
            if entry.name in ALWAYS_SKIPPED or _ignored(found.path, is_folder, own):
                continue
            if is_folder and _ignores_itself(found.path):
                continue
            yield found, own


def _ignored(path: Path, is_folder: bool, rules: tuple[_Rules, ...]) -> bool:
    """The deepest rules that say anything decide."""
    verdicts = (rule.verdict(path, is_folder) for rule in reversed(rules))
    return next((verdict for verdict in verdicts if verdict is not None), False)


def _rules_above(base: Path) -> tuple[_Rules, ...]:
    """The rules in force inside `base`; those that ignore `base` itself are left out, since it was asked for."""
    root = git_root(base) or base
    rules = _rules_of(root, ".git/info/exclude") + _rules_of(root)
    for folder in (*reversed(base.parents), base):
        if folder == root or not folder.is_relative_to(root):
            continue
        rules = () if _ignored(folder, True, rules) else rules
        rules += _rules_of(folder)
    return () if rules and _ignores_itself(base) else rules


def _rules_of(folder: Path, name: str = ".gitignore") -> tuple[_Rules, ...]:
    # Not needed to draw the prompt, so imported when the first search runs.
    from pathspec import GitIgnoreSpec  # noqa: PLC0415
    from pathspec.patterns.gitignore import GitIgnorePatternError  # noqa: PLC0415

    try:
        lines = read_bytes(folder / name, MAX_RULES_BYTES).decode("utf-8-sig", "replace").splitlines()
        return (_Rules(folder, GitIgnoreSpec.from_lines(lines)),)
    except (FileNotFoundError, ToolFailure, GitIgnorePatternError):
        return ()


def _ignores_itself(folder: Path) -> bool:
    """Whether the folder's own rules begin with `*`: caches, virtual environments and our transcripts do that."""
    try:
        text = read_bytes(folder / ".gitignore", MAX_RULES_BYTES).decode("utf-8", "replace")
    except (FileNotFoundError, ToolFailure):
        return False
    rules = (line.strip() for line in text.splitlines())
    return next((rule for rule in rules if rule and not rule.startswith("#")), "") == "*"
