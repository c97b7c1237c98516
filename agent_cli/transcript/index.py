"""Finds, lists, removes and copies the sessions of a folder."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

import msgspec

from agent_cli.core.entries import Header, UsageEntry
from agent_cli.core.errors import AgentError, InputError
from agent_cli.core.messages import Message
from agent_cli.transcript import lock
from agent_cli.transcript.folder import Folder
from agent_cli.transcript.lines import decode, encode
from agent_cli.transcript.private import create_file, write_all
from agent_cli.transcript.reader import made_header, raw_lines, session_of
from agent_cli.transcript.writer import file_name

_HEAD_LINES = 50
_HEAD_BYTES = 4_000_000
_TAIL_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Summary:
    """A session in a list. `created` and `changed` are local times; `first_text` is the first thing the user typed;
    `model` is the one used last."""

    id: str
    path: Path
    created: datetime
    changed: datetime
    first_text: str
    model: str
    bytes: int


def find(folder: Path, wanted: str) -> Path:
    """The session with this id, beginning of an id, or file name. Raises InputError: there is none, or several."""
    known = {session_of(path): path for path in _files(folder)}
    stem = wanted.strip().removesuffix(".jsonl")
    for path in _files(folder):
        if stem in (session_of(path), path.stem):
            return path
    matching = [
        path
        for path in _files(folder)
        if stem and (session_of(path).startswith(stem) or path.stem.startswith(stem))
    ]
    if len(matching) == 1:
        return matching[0]
    if matching:
        names = ", ".join(sorted(session_of(path) for path in matching))
        raise InputError(f"Several sessions begin with {wanted!r}: {names}. Give more of the id.")
    near = get_close_matches(stem, known, n=3) or [session_of(path) for path in _newest_first(folder)[:3]]
    hint = f" Near it: {', '.join(near)}." if near else ""
    raise InputError(f"No session {wanted!r} in {folder}.{hint} See `agent sessions list`.")


def latest(folder: Path) -> Path | None:
    """The session that was changed last; folders beside the sessions do not count."""
    return next(iter(_newest_first(folder)), None)


def sessions(folder: Path) -> list[Summary]:
    """All sessions, the one changed last first. Reads only the head and a bounded tail of each file."""
    return [_summary(path) for path in _newest_first(folder)]


def remove(path: Path) -> None:
    """Removes a session and what is kept beside it. Raises SessionLocked: a process has it open."""
    try:
        with _locked(path):
            path.unlink()
            if path.with_suffix("").is_dir():
                shutil.rmtree(path.with_suffix(""))
    except OSError as error:
        raise AgentError(f"Cannot remove {error.filename or path}: {error.strerror}.") from error


def fork(path: Path, folder: Folder, header: Header) -> Path:
    """Copies a session under a new header, line for line and byte for byte; the source may be open elsewhere.

    The new header's parent is the source. Returns the copy's path. Raises InputError: the source cannot be read.
    AgentError: the copy cannot be written.
    """
    folder.create()
    copy = folder.path / file_name(header)
    header = msgspec.structs.replace(header, parent=header.parent or session_of(path))
    try:
        descriptor = create_file(copy, encode(header))
        try:
            _copy(path, descriptor, copy.with_suffix(""))
        except (OSError, InputError):
            copy.unlink(missing_ok=True)
            raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise AgentError(
            f"Cannot copy the session to {copy}: {error.strerror}. Free some space and try again."
        ) from error
    return copy


def _copy(source: Path, descriptor: int, beside: Path) -> None:
    for line in _without_header(source):
        write_all(descriptor, line)
    if source.with_suffix("").is_dir():
        shutil.copytree(source.with_suffix(""), beside, symlinks=True)


def _files(folder: Path) -> Iterator[Path]:
    """Plain files only: a link that came with a project would have us write to the file it leads to."""
    plain = (path for path in folder.glob("*.jsonl") if path.is_file() and not path.is_symlink())
    return (path for path in plain if path.stat().st_size)


def _newest_first(folder: Path) -> list[Path]:
    return sorted(_files(folder), key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)


def _without_header(path: Path) -> Iterator[bytes]:
    lines = raw_lines(path)
    first = next(lines, b"")
    if first and not isinstance(decode(first), Header):
        yield first
    yield from lines


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        lock.acquire(descriptor, path)
    except AgentError:
        os.close(descriptor)
        raise
    try:
        yield
    finally:
        lock.release(descriptor, path)


def _summary(path: Path) -> Summary:
    status = path.stat()
    header, first_text = _head(path)
    changed = datetime.fromtimestamp(status.st_mtime, UTC).astimezone()
    return Summary(
        id=session_of(path),
        path=path,
        created=_time(header.created) or changed,
        changed=changed,
        first_text=first_text,
        model=_last_model(path, status.st_size) or header.model,
        bytes=status.st_size,
    )


def _head(path: Path) -> tuple[Header, str]:
    header = made_header(path)
    with path.open("rb") as file:
        for line in islice(iter(lambda: file.readline(_HEAD_BYTES), b""), _HEAD_LINES):
            match decode(line):
                case Header() as found:
                    header = found
                case Message() as message if message.typed:
                    return header, message.text
                case _:
                    continue
    return header, ""


def _last_model(path: Path, size: int) -> str:
    with path.open("rb") as file:
        file.seek(max(0, size - _TAIL_BYTES))
        tail = file.read(_TAIL_BYTES)
    for line in reversed(tail.splitlines()):
        entry = decode(line)
        if isinstance(entry, UsageEntry) and entry.purpose == "step":
            return entry.model
    return ""


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        return None
