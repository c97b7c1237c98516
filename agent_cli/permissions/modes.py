"""What each permission mode allows where no rule speaks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from agent_cli.core.tools import Access, ReadPath, RunCommand, WritePath
from agent_cli.prompts import fill, load
from agent_cli.settings.schema import PermissionMode

OWN_STATE = frozenset({"todo", "recall", "compact"})
"""Tools that touch nothing but the session itself."""

_GUARDED_FOLDERS = frozenset(
    [
        ".git",
        ".hg",
        ".svn",
        ".agent",
        ".ssh",
        ".gnupg",
        ".aws",
        ".azure",
        ".kube",
        ".docker",
        ".password-store",
        "keyrings",
        "gcloud",
        ".direnv",
        ".husky",
    ]
)
_GUARDED_FILES = frozenset(
    [
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".zlogout",
        ".kshrc",
        ".cshrc",
        ".tcshrc",
        ".login",
        ".logout",
        ".inputrc",
        ".envrc",
        ".gitconfig",
        ".gitmodules",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        "config.fish",
    ]
)


@dataclass(frozen=True, slots=True)
class Ground:
    """What lies where. `inside`: may be written without leaving the workspace; `readable`: may be read;
    `protected`: folders of our own (settings, state) that every write asks for."""

    root: Path
    inside: Callable[[Path], bool]
    readable: Callable[[Path], bool]
    protected: Sequence[Path] = ()

    def outside(self, access: ReadPath | WritePath) -> bool:
        """Whether the access leaves the workspace."""
        if isinstance(access, WritePath):
            return not self.inside(access.path)
        return not (self.inside(access.path) or self.readable(access.path))

    def guarded(self, path: Path) -> bool:
        """Whether a file decides what programs run, or holds keys: version control, our own settings, shell start-up
        files, key folders. Letter case does not count, as on some file systems."""
        below = path.relative_to(self.root) if path.is_relative_to(self.root) else path
        parts = {part.casefold() for part in below.parts}
        own = any(path.is_relative_to(folder) for folder in self.protected)
        return own or not parts.isdisjoint(_GUARDED_FOLDERS) or path.name.casefold() in _GUARDED_FILES


def why_ask(mode: PermissionMode, tool: str, access: Access, ground: Ground) -> str | None:
    """Why the user has to be asked before this access, or None when the mode allows it by itself."""
    match access:
        case RunCommand():
            return load("permissions/ask_command")
        case ReadPath(path):
            return _outside(tool, "read", path) if ground.outside(access) else None
        case WritePath(path) if ground.outside(access):
            return _outside(tool, "change", path)
        case WritePath(path) if ground.guarded(path):
            return fill("permissions/ask_protected", tool=tool, path=str(path))
        case WritePath(path):
            return (
                None if mode == "accept-edits" else fill("permissions/ask_write", tool=tool, path=str(path))
            )
        case _:
            assert_never(access)


def _outside(tool: str, verb: str, path: Path) -> str:
    return fill("permissions/ask_outside", tool=tool, verb=verb, path=str(path))
