"""Appends a session to its file, one line per entry, with one writer at a time."""

import errno
import os
import re
import shutil
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Self

from agent_cli.core.entries import Entry, Header
from agent_cli.core.errors import AgentError, InputError
from agent_cli.core.messages import Message
from agent_cli.transcript import lock
from agent_cli.transcript.folder import Folder
from agent_cli.transcript.lines import encode
from agent_cli.transcript.mend import mend
from agent_cli.transcript.private import create_file, make_folder, write_all, write_file
from agent_cli.transcript.reader import made_header

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class TranscriptWriter:
    """A session on disk (core.ports.Store). Made by `create` or `resume`."""

    def __init__(self, path: Path, header: Header, folder: Folder | None) -> None:
        self._path = path
        self._folder = folder
        self._descriptor = -1
        self._size = 0
        self._waiting = [encode(header)]
        self._half_written = False
        self._new_name = True

    @classmethod
    def create(cls, folder: Folder, header: Header) -> Self:
        """A new session. Nothing is created on disk before its first user message."""
        return cls(folder.path / file_name(header), header, folder)

    @classmethod
    def resume(cls, path: Path) -> Self:
        """Takes an existing session over: locks it and mends its end (C68, C70).

        Raises SessionLocked: another process holds it. InputError: it cannot be opened. AgentError: the disk refuses.
        """
        writer = cls(path, made_header(path), None)
        try:
            writer._open()
            lock.acquire(writer._descriptor, path)
            writer._size = mend(writer._descriptor, path)
        except OSError as error:
            writer._drop()
            raise _refused(path, error) from error
        except AgentError:
            writer._drop()
            raise
        if writer._size:
            writer._waiting.clear()
        return writer

    @property
    def path(self) -> str:
        """The transcript's path, also while the file does not exist yet."""
        return str(self._path)

    @property
    def folder(self) -> Path:
        """Where offloaded texts are kept, once there are any."""
        return self._path.with_suffix("")

    def append(self, entry: Entry) -> None:
        """Writes one entry with one call. What comes before the first user message waits for it.

        Raises AgentError: the disk refuses (the file is then as it was), or another program changed the file.
        """
        line = encode(entry)
        if self._descriptor < 0 and not (isinstance(entry, Message) and entry.role == "user"):
            self._waiting.append(line)
            return
        if self._descriptor < 0:
            self._create()
        self._write(b"".join((*self._waiting, line)))
        self._waiting.clear()

    def sync(self) -> None:
        """Forces everything to disk. Raises AgentError: the disk refuses."""
        if self._descriptor < 0:
            return
        try:
            os.fsync(self._descriptor)
            if self._new_name:
                _sync_folder(self._path.parent)
                self._new_name = False
        except OSError as error:
            raise _refused(self._path, error) from error

    def offload(self, name: str, text: str) -> str:
        """Keeps a text in the folder beside the transcript; returns its path. Raises AgentError: the disk refuses."""
        if self._folder is not None:
            self._folder.create()
        return _offload(self.folder, name, text)

    def close(self) -> None:
        """Gives the session up for other processes. Entries that waited for a user message are dropped."""
        if self._descriptor >= 0:
            lock.release(self._descriptor, self._path)
            self._descriptor = -1

    def _open(self) -> None:
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError as error:
            raise InputError(f"Cannot open the transcript {self._path}: {error.strerror}.") from error

    def _create(self) -> None:
        if self._folder is not None:
            self._folder.create()
        try:
            self._descriptor = create_file(self._path)
            lock.acquire(self._descriptor, self._path)
        except OSError as error:
            raise _refused(self._path, error) from error
        except AgentError:
            self._drop()
            raise

    def _drop(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, data: bytes) -> None:
        try:
            if self._half_written:
                self._cut_back()
            self._check_unchanged()
            write_all(self._descriptor, data)
        except OSError as error:
            self._half_written = True
            with suppress(OSError):
                self._cut_back()
            raise _refused(self._path, error) from error
        self._size += len(data)

    def _cut_back(self) -> None:
        """Removes what a failed write left behind, so that the next line does not fuse with it."""
        os.ftruncate(self._descriptor, self._size)
        self._half_written = False

    def _check_unchanged(self) -> None:
        """A file that grew or shrank behind the lock is not ours to write: its view is not the one we hold (C70)."""
        found = os.fstat(self._descriptor)
        if found.st_size != self._size:
            raise AgentError(
                f"{self._path} was changed by another program ({self._size} bytes became {found.st_size}). "
                "Nothing was written; go on with: agent -c --fork-session"
            )
        if not found.st_nlink:
            raise AgentError(f"{self._path} was removed while the session is open. Start a new session.")


class NoStore:
    """Keeps nothing (core.ports.Store); offloaded texts live in `folder`, a private temporary one, until `close`."""

    path = ""

    def __init__(self) -> None:
        self.folder = Path(tempfile.gettempdir()).resolve() / f"agent-{token_hex(16)}"

    def append(self, entry: Entry) -> None:
        """Does nothing."""

    def sync(self) -> None:
        """Does nothing."""

    def offload(self, name: str, text: str) -> str:
        """Keeps a text until `close`; returns its path. Raises AgentError: the disk refuses."""
        return _offload(self.folder, name, text)

    def close(self) -> None:
        """Removes what was offloaded."""
        shutil.rmtree(self.folder, ignore_errors=True)


def file_name(header: Header) -> str:
    """`<UTC yyyymmdd-HHMMSS>-<id>.jsonl`, the time being the header's `created` (ISO 8601)."""
    created = datetime.fromisoformat(header.created).astimezone(UTC)
    return f"{created:%Y%m%d-%H%M%S}-{header.session}.jsonl"


def _offload(folder: Path, name: str, text: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", name).strip("._")[:80] or "text"
    data = text.encode("utf-8", "replace")
    try:
        make_folder(folder)
        return _write_new(folder, plain, data)
    except OSError as error:
        raise _refused(folder, error) from error


def _write_new(folder: Path, name: str, data: bytes) -> str:
    number, path = 1, folder / f"{name}.txt"
    while True:
        try:
            write_file(path, data)
        except FileExistsError:
            number += 1
            path = folder / f"{name}-{number}.txt"
        else:
            return str(path)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(path: Path, error: OSError) -> AgentError:
    todo = "Free some space, then" if error.errno in _FULL else "Check the disk, then"
    return AgentError(
        f"Cannot write the transcript {path}: {error.strerror}. {todo} continue with `agent -c`; "
        "or keep sessions elsewhere: --set transcripts.dir=state, or --no-session."
    )
