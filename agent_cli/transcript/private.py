"""Folders and files that only their owner can read, from creation on and under any umask (C72)."""

import os
from pathlib import Path

FOLDER = 0o700
FILE = 0o600


def make_folder(path: Path) -> bool:
    """Creates the folder and its missing parents; returns whether it was missing. Raises OSError."""
    if path.is_dir():
        return False
    make_folder(path.parent)
    try:
        path.mkdir(FOLDER)
    except FileExistsError:
        if path.is_dir():
            return False
        raise
    return True


def create_file(path: Path, data: bytes = b"") -> int:
    """Creates a file that must not exist yet, writes `data`, and returns its open descriptor (append mode).

    Raises OSError; no half-written file is left behind.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, FILE)
    try:
        write_all(descriptor, data)
    except OSError:
        os.close(descriptor)
        path.unlink(missing_ok=True)
        raise
    return descriptor


def write_file(path: Path, data: bytes) -> None:
    """Creates a file that must not exist yet, with this content. Raises OSError."""
    os.close(create_file(path, data))


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of `data`: one call, and more only where the system took less. Raises OSError."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
