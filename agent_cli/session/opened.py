"""A session that is open, and where it happens."""

from dataclasses import dataclass
from pathlib import Path

from agent_cli.permissions.decide import Permissions
from agent_cli.session.session import Session
from agent_cli.settings.load import Loaded
from agent_cli.settings.places import Places
from agent_cli.transcript.folder import Folder


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run happens: settings, folders, and where sessions are kept."""

    cwd: Path
    git_root: Path | None
    places: Places
    loaded: Loaded
    folder: Folder


@dataclass(frozen=True, slots=True)
class Opened:
    """A session ready for use; `notices` are lines for the user."""

    session: Session
    permissions: Permissions
    place: Place
    notices: tuple[str, ...]
