"""What to tell a model that names a file which does not exist."""

import difflib
import os
from itertools import islice
from pathlib import Path

from agent_cli.core.tools import ToolFailure
from agent_cli.workspace.ignore import Walk
from agent_cli.workspace.paths import Workspace

MAX_LOOKED_AT = 20_000
MAX_NAMED = 3


def missing(workspace: Workspace, path: Path) -> ToolFailure:
    """Returns the failure with near names: similar ones in the same folder, then the same name elsewhere."""
    near = _similar(path) + _elsewhere(workspace, path)
    names = ", ".join(dict.fromkeys(workspace.display(found) for found in near[:MAX_NAMED]))
    hint = f" Did you mean {names}?" if names else " Use glob or list_files to find it."
    return ToolFailure(f"{workspace.display(path)} does not exist.{hint}")


def _similar(path: Path) -> list[Path]:
    try:
        with os.scandir(path.parent) as scan:
            names = [entry.name for entry in islice(scan, MAX_LOOKED_AT)]
    except OSError:
        return []
    by_small = {name.lower(): name for name in names}
    near = difflib.get_close_matches(path.name.lower(), by_small, n=MAX_NAMED)
    return [path.parent / by_small[name] for name in near]


def _elsewhere(workspace: Workspace, path: Path) -> list[Path]:
    if not path.is_relative_to(workspace.root):
        return []
    walked = islice(Walk(workspace.root), MAX_LOOKED_AT)
    return list(islice((found.path for found in walked if found.path.name == path.name), MAX_NAMED))
