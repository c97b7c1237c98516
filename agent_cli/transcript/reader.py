"""Reads transcripts line by line, whatever state they are in."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from agent_cli.core.entries import Entry, Header, Unknown
from agent_cli.core.errors import InputError
from agent_cli.transcript.lines import complete, decode


class Transcript(msgspec.Struct, frozen=True):
    """A whole session. `skipped` counts damaged lines, `unknown` those of types this version does not know; `torn`
    says that the last line was cut off."""

    header: Header
    entries: tuple[Entry, ...]
    skipped: int
    unknown: int
    torn: bool


def read(path: Path) -> Transcript:
    """Reads a session. A file whose header is damaged gets one made from its name.

    Raises InputError: the file cannot be opened. Never raises on its content.
    """
    header = None
    entries: list[Entry] = []
    skipped = unknown = 0
    torn = False
    for line in _lines(path):
        match decode(line):
            case Header() as found:
                header = header or found
            case Unknown():
                unknown += 1
            case None if not line.endswith(b"\n"):
                torn = True
            case None:
                skipped += 1
            case entry:
                entries.append(entry)
    return Transcript(header or made_header(path), tuple(entries), skipped, unknown, torn)


def iter_entries(path: Path) -> Iterator[Entry]:
    """The entries one after another, so that memory does not grow with the file. Raises InputError, as `read`."""
    for line in _lines(path):
        match decode(line):
            case Header() | Unknown() | None:
                continue
            case entry:
                yield entry


def raw_lines(path: Path) -> Iterator[bytes]:
    """Every line byte for byte, each with its newline; a torn last line is left out. Raises InputError."""
    for line in _lines(path):
        if line.endswith(b"\n"):
            yield line
        elif complete(line):
            yield line + b"\n"


def made_header(path: Path) -> Header:
    """A header from the file's name alone."""
    session = session_of(path)
    stamp = path.stem.removesuffix(f"-{session}")
    try:
        created = datetime.strptime(stamp, "%Y%m%d-%H%M%S").replace(tzinfo=UTC).isoformat()
    except ValueError:
        created = ""
    return Header(v=1, session=session, created=created, cwd="", model="", context_mode="")


def session_of(path: Path) -> str:
    """The session's id in a file name `<UTC yyyymmdd-HHMMSS>-<id>.jsonl`; another name is an id itself."""
    parts = path.stem.split("-", 2)
    stamped = len(parts) == 3 and parts[0].isdecimal() and parts[1].isdecimal()
    return parts[2] if stamped else path.stem


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            yield from (line for line in file if line.strip())
    except OSError as error:
        raise InputError(f"Cannot read the transcript {path}: {error.strerror}.") from error
