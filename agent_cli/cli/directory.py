"""The directory to work in."""

import os
from pathlib import Path

from agent_cli.core.errors import UsageError


def working_directory(given: Path | None) -> Path:
    """The directory of `-C`, else the current one, resolved. Raises UsageError: it is none."""
    try:
        directory = (given or Path.cwd()).resolve(strict=True)
    except OSError as error:
        raise UsageError(f"Cannot work in {given or 'the current directory'}: {error.strerror}.") from error
    if not directory.is_dir():
        raise UsageError(f"Cannot work in {directory}: it is not a directory.")
    try:
        str(directory).encode()
    except UnicodeEncodeError as error:
        shown = os.fsencode(directory).decode("utf-8", "replace")
        raise UsageError(f"Cannot work in {shown}: its name is not valid UTF-8. Rename it.") from error
    return directory
