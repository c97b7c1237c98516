"""The folder a search or listing starts from."""

import os
from pathlib import Path

from agent_cli.core.tools import ToolFailure
from agent_cli.tools.missing import missing
from agent_cli.workspace.paths import Workspace


def base_of(workspace: Workspace, path: str | None) -> Path:
    """Returns the real path to search under; the root when none is given. Raises ToolFailure: it makes no sense."""
    return workspace.resolve(path) if path and path.strip() else workspace.root


def check_exists(workspace: Workspace, base: Path) -> None:
    """Raises ToolFailure: there is nothing at `base`; near names are told."""
    if not base.exists():
        raise missing(workspace, base)


def check_folder(workspace: Workspace, base: Path) -> None:
    """Raises ToolFailure: `base` is missing, no folder, or closed to us."""
    check_exists(workspace, base)
    if not base.is_dir():
        raise ToolFailure(f"{workspace.display(base)} is a file. Use read_file or grep on it.")
    if not os.access(base, os.R_OK | os.X_OK):
        raise ToolFailure(f"{workspace.display(base)}: permission denied.")
