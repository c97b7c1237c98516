"""Makes the end of a transcript whole before anything is appended (C68)."""

import os
from pathlib import Path

from agent_cli.transcript.lines import complete
from agent_cli.transcript.private import make_folder, write_all, write_file

_CHUNK = 65_536


def mend(descriptor: int, path: Path) -> int:
    """Ends a whole last record with a newline, or cuts a torn one off and keeps its bytes in `<stem>/torn-<n>`.

    Returns the file's size in bytes, which the descriptor is appended to. Raises OSError.
    """
    size = os.fstat(descriptor).st_size
    start = last_line_start(descriptor, size)
    if start == size:
        return size
    tail = os.pread(descriptor, size - start, start)
    if complete(tail):
        write_all(descriptor, b"\n")
        return size + 1
    _keep(tail, path.with_suffix(""))
    os.ftruncate(descriptor, start)
    return start


def last_line_start(descriptor: int, size: int) -> int:
    """The offset after the last newline, 0 when there is none."""
    end = size
    while end > 0:
        begin = max(0, end - _CHUNK)
        found = os.pread(descriptor, end - begin, begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def _keep(tail: bytes, folder: Path) -> None:
    make_folder(folder)
    number = 1
    while (folder / f"torn-{number}").exists():
        number += 1
    write_file(folder / f"torn-{number}", tail)
