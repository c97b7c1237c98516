"""Which folder holds a project's sessions."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from agent_cli.core.errors import AgentError
from agent_cli.transcript.private import make_folder, write_file

_NAME = "transcripts"


@dataclass(frozen=True, slots=True)
class Folder:
    """Where sessions are kept; it need not exist yet. `notice` is a line for the user, or empty."""

    path: Path
    notice: str = ""

    def create(self) -> None:
        """Makes the folder (0700) with a `.gitignore` of `*`; an existing folder is left as it is (C72).

        Raises AgentError: the disk refuses.
        """
        try:
            if make_folder(self.path):
                write_file(self.path / ".gitignore", b"*\n")
        except OSError as error:
            raise AgentError(
                f"Cannot create the transcripts folder {self.path}: {error.strerror}. "
                "Use --set transcripts.dir=state, or --no-session to keep no transcript."
            ) from error


def choose(project: Path, home: Path, setting: str, state: Path) -> Folder:
    """Picks the folder: `transcripts/` of the project, never in the home folder itself or `/`; where that cannot be
    written, or `setting` is "state", a folder of the project's own in `state`; any other setting is a path."""
    project = project.resolve()
    own = state / "sessions" / slug(project)
    if setting == "state":
        return Folder(own)
    if setting == "project" and project in (home.resolve(), Path(project.anchor)):
        return Folder(own)
    wanted = project / _NAME if setting == "project" else project / _expanded(setting, home)
    if _writable(wanted):
        return Folder(wanted)
    return Folder(own, f"{wanted} cannot be written; this session is kept in {own}.")


def slug(project: Path) -> str:
    """A folder name for a project: its own name, and a part that tells it from others of that name."""
    name = re.sub(r"[^\w.-]+", "-", project.name).strip(".-")[:40] or "root"
    return f"{name}-{hashlib.sha256(os.fsencode(project)).hexdigest()[:10]}"


def _expanded(setting: str, home: Path) -> Path:
    return home / setting[2:] if setting.startswith("~/") else Path(setting)


def _writable(path: Path) -> bool:
    existing = next(folder for folder in (path, *path.parents) if folder.exists() or folder.is_symlink())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
