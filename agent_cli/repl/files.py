"""Files of the project for `@` completion: a bounded walk by the ignore rules, and a fuzzy choice among them."""

import time
from pathlib import Path

from agent_cli.workspace.ignore import Walk

MOST_FILES = 20_000
WALK_SECONDS = 1.5
FRESH_SECONDS = 10.0
SHOWN = 40


class ProjectFiles:
    """Paths relative to `root`; walked again when they are older than ten seconds. Meant for a thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: list[str] = []
        self._walked = float("-inf")

    def matching(self, wanted: str) -> list[str]:
        """The paths that hold the letters of `wanted` in their order, best first."""
        ranked = [
            (rank, len(path), path) for path in self._all() if (rank := closeness(wanted, path)) is not None
        ]
        return [path for _, _, path in sorted(ranked)[:SHOWN]]

    def _all(self) -> list[str]:
        now = time.monotonic()
        if now - self._walked > FRESH_SECONDS:
            self._paths = self._walk(now + WALK_SECONDS)
            self._walked = time.monotonic()
        return self._paths

    def _walk(self, deadline: float) -> list[str]:
        paths: list[str] = []
        for found in Walk(self._root):
            if len(paths) >= MOST_FILES or time.monotonic() > deadline:
                break
            paths.append(found.path.relative_to(self._root).as_posix() + "/" * found.is_folder)
        return paths


def closeness(wanted: str, path: str) -> tuple[int, int] | None:
    """How well `wanted` fits, less is better; None: its letters do not occur in this order. Case does not count."""
    small, whole = wanted.lower(), path.lower()
    name = whole.rstrip("/").rpartition("/")[2]
    if name.startswith(small):
        return 0, 0
    if small in whole:
        return 1, whole.index(small)
    at = first = whole.find(small[0])
    for letter in small[1:]:
        if at < 0:
            return None
        at = whole.find(letter, at + 1)
    return None if at < 0 else (2, at - first)
