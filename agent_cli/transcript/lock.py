"""One writer per session: an operating-system lock that ends with the process that holds it (C70)."""

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path

from agent_cli.core.errors import AgentError, SessionLocked
from agent_cli.transcript.private import write_file

_HELD = (errno.EWOULDBLOCK, errno.EACCES)


def acquire(descriptor: int, path: Path) -> None:
    """Locks the open transcript and notes this process as its holder.

    Raises SessionLocked: another process holds it. AgentError: the file system knows no locks.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            raise SessionLocked(_held(path)) from error
        raise AgentError(
            f"{path.parent} cannot be locked: {error.strerror}. Keep sessions elsewhere: --set transcripts.dir=state."
        ) from error
    _note(path)


def release(descriptor: int, path: Path) -> None:
    """Gives the lock up and closes the descriptor."""
    holder_file(path).unlink(missing_ok=True)
    os.close(descriptor)


def holder_file(path: Path) -> Path:
    """The file that names the holder's process id; only a hint for people, the lock itself is on the transcript."""
    return path.with_name(f".{path.stem}.pid")


def _note(path: Path) -> None:
    note = holder_file(path)
    with suppress(OSError):
        note.unlink(missing_ok=True)
        write_file(note, str(os.getpid()).encode())


def _held(path: Path) -> str:
    try:
        who = f"process {int(holder_file(path).read_text())}"
    except (OSError, ValueError):
        who = "another process"
    return (
        f"The session {path.stem} is open in {who}. "
        "End it there first, or add --fork-session to go on in a copy."
    )
