"""The one resolver from what a model or a user wrote to a real path (C61)."""

import os
from collections.abc import Sequence
from pathlib import Path

from agent_cli.core.tools import ToolFailure

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4_095


class Workspace:
    """A project folder and what lies inside it. `readable` folders may be read besides. Every check compares real
    paths, so a link, `..` or a target that does not exist yet cannot lead out unseen."""

    def __init__(self, root: Path, readable: Sequence[Path] = ()) -> None:
        self.root = Path(os.path.realpath(root))
        self._readable: tuple[Path, ...] = ()
        for folder in readable:
            self.allow_reading(folder)

    def resolve(self, path: str) -> Path:
        """Returns the real path: the deepest existing parent with its links followed, then the rest; a dangling link
        counts as its target. Relative paths start at the root, `~` is the home folder.

        Raises ToolFailure: the path is empty, holds a NUL, is too long, or its links go in a circle.
        """
        _check_spelling(path)
        real = Path(os.path.realpath(self.root / os.path.expanduser(path)))  # noqa: PTH111 - Path's own raises for ~nobody
        _check_lengths(real, path)
        if real.is_symlink():
            raise ToolFailure(f"{_shown(path)}: its symbolic links go in a circle.")
        return real

    def contains(self, path: Path) -> bool:
        """Whether the real path is the root or lies inside it."""
        return self._real(path).is_relative_to(self.root)

    def may_read(self, path: Path) -> bool:
        """Whether the real path lies inside the root or a folder that was opened for reading."""
        real = self._real(path)
        return real.is_relative_to(self.root) or any(real.is_relative_to(folder) for folder in self._readable)

    def allow_reading(self, folder: Path) -> None:
        """Opens a folder outside the root for reading; it need not exist yet. A link opens nothing: it could have
        come with the project and lead anywhere."""
        if folder.is_symlink():
            return
        real = self._real(folder)
        if real not in self._readable:
            self._readable = (*self._readable, real)

    def display(self, path: Path) -> str:
        """The path relative to the root when inside it, else whole."""
        if path == self.root:
            return "."
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)

    def _real(self, path: Path) -> Path:
        return Path(os.path.realpath(self.root / path))


def _check_spelling(path: str) -> None:
    if not path.strip():
        raise ToolFailure(
            "The path is empty. Give a path relative to the working directory, or an absolute one."
        )
    if "\0" in path:
        raise ToolFailure("The path holds a NUL character, which no file name can have.")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ToolFailure(
            "The path holds half a character (a lone surrogate), which no file name can have."
        ) from None


def _check_lengths(real: Path, path: str) -> None:
    longest = max(len(os.fsencode(name)) for name in real.parts)
    if longest > MAX_NAME_BYTES or len(os.fsencode(real)) > MAX_PATH_BYTES:
        raise ToolFailure(f"{_shown(path)}: the path is too long (a name may have {MAX_NAME_BYTES} bytes).")


def _shown(path: str) -> str:
    return path if len(path) <= 80 else f"{path[:77]}..."
