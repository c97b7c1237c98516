"""Reading and writing whole files: bounded, by type, and atomic (C56)."""

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from agent_cli.core.tools import ToolFailure

MAX_READ_BYTES = 32 * 1024 * 1024
"""A file larger than this is not loaded whole."""
SAMPLE_BYTES = 8 * 1024

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe (FIFO)"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a character device"),
    (stat.S_ISBLK, "a block device"),
)
_CONTROLS = bytes(sorted(set(range(32)) - set(b"\t\n\r\f\b\x1b") | {0x7F}))
_BOMS_WITH_NULS = (b"\xff\xfe", b"\xfe\xff")


def read_bytes(path: Path, limit: int = MAX_READ_BYTES) -> bytes:
    """Returns the file's bytes. Only regular files are opened, so it never waits for another program.

    Raises FileNotFoundError: there is none. ToolFailure: it is no regular file, has more than `limit` bytes, or
    cannot be read.
    """
    try:
        check_regular(path, path.stat())
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            check_regular(path, os.fstat(descriptor))
            data = _read_up_to(file.read, limit + 1)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ToolFailure(f"{path}: cannot be read: {error.strerror or error}.") from error
    if len(data) > limit:
        raise ToolFailure(
            f"{path}: has {_size_of(path):,} bytes, more than the {limit:,} that can be loaded. Search it with grep, "
            "or read a part with a shell command such as: sed -n '1,200p'"
        )
    return data


def write_whole(path: Path, data: bytes) -> None:
    """Replaces the file's content: old or new, never half (C56).

    Writes a temporary file beside it, then renames. Mode, owner and links stay; a new file gets 0666 less the umask;
    missing folders are made. A file with other hard links, of another owner, or in a folder that takes no new files is
    written in place instead, because a rename would part or lose it.

    Raises ToolFailure: the file is read-only or no regular file, or the disk refuses; no temporary file is left.
    """
    path = Path(os.path.realpath(path))
    try:
        old = _stat_for_writing(path)
        if old is None:
            path.parent.mkdir(parents=True, exist_ok=True)
        if old is not None and not _renames_well(path, old):
            _write_in_place(path, data)
            return
        _write_beside(path, data, old)
    except OSError as error:
        raise ToolFailure(f"{path}: cannot be written: {error.strerror or error}.") from error


def check_regular(path: Path, found: os.stat_result | None = None) -> None:
    """Raises ToolFailure: the path is a folder, a pipe, a device or a socket. `found` is its stat where known."""
    found = path.stat() if found is None else found
    kind = next((words for test, words in _KINDS if test(found.st_mode)), "")
    if kind:
        raise ToolFailure(f"{path}: is {kind}, not a file.")


def is_binary(data: bytes) -> bool:
    """Whether the first 8 KB do not look like text in any encoding: a NUL, or one control byte in ten. UTF-16 with a
    byte order mark is text."""
    sample = data[:SAMPLE_BYTES]
    if sample.startswith(_BOMS_WITH_NULS):
        return False
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return b"\0" in sample or controls * 10 > len(sample)


def _read_up_to(read: Callable[[int], bytes], count: int) -> bytes:
    pieces: list[bytes] = []
    while count > 0 and (piece := read(min(count, 1024 * 1024))):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def _size_of(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def _stat_for_writing(path: Path) -> os.stat_result | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    check_regular(path, found)
    # Root may write everything, so the mode is asked too: read-only says that its owner wants it left alone.
    if not found.st_mode & 0o222 or not os.access(path, os.W_OK):
        raise ToolFailure(
            f"{path}: is read-only. Leave it, or make it writable first (chmod u+w) if that is wanted."
        )
    return found


def _renames_well(path: Path, old: os.stat_result) -> bool:
    alone = old.st_nlink == 1
    own = old.st_uid == os.geteuid()
    return alone and own and os.access(path.parent, os.W_OK | os.X_OK)


def _write_in_place(path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())


def _write_beside(path: Path, data: bytes, old: os.stat_result | None) -> None:
    temporary = path.with_name(f".agent-{token_hex(8)}.tmp")
    mode = 0o666 if old is None else 0o600
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if old is not None:
                _take_over(descriptor, old)
            os.fsync(descriptor)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _take_over(descriptor: int, old: os.stat_result) -> None:
    """Gives the new file the old one's group and mode; the group first, since that clears set-id bits."""
    with suppress(PermissionError):
        os.fchown(descriptor, -1, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
