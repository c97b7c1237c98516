"""Where the git repository is, found without running git."""

from pathlib import Path


def git_root(start: Path) -> Path | None:
    """Returns the nearest folder at or above `start` that holds `.git` (a folder, or a file in a worktree)."""
    start = start.resolve()
    return next((folder for folder in (start, *start.parents) if (folder / ".git").exists()), None)
