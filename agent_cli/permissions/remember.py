"""What the user allowed for good: the exact command or path of a tool, per project (C59: never anything wider)."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, assert_never

import msgspec

from agent_cli.core.errors import AgentError, SettingsError
from agent_cli.core.tools import Access, ReadPath, RunCommand, WritePath


class Consent(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing a tool may do without being asked about again; `call` is a tool that touches nothing by name."""

    tool: str
    kind: Literal["command", "read", "write", "call"]
    value: str = ""

    def __str__(self) -> str:
        return f"{self.tool}: {self.kind} {self.value}".rstrip()


def consent(tool: str, access: Access | None) -> Consent:
    """The consent that covers this access and no other."""
    match access:
        case None:
            return Consent(tool, "call")
        case RunCommand(command):
            return Consent(tool, "command", command)
        case ReadPath(path):
            return Consent(tool, "read", str(path))
        case WritePath(path):
            return Consent(tool, "write", str(path))
        case _:
            assert_never(access)


class Remembered:
    """The consents of one project, in one JSON file of the state folder that only its owner can read."""

    def __init__(self, file: Path) -> None:
        """Reads the file, if there is one. Raises SettingsError: it is damaged or cannot be read."""
        self.file = file
        self._known = frozenset(self._read())

    def __contains__(self, wanted: Consent) -> bool:
        return wanted in self._known

    def __iter__(self) -> Iterator[Consent]:
        return iter(self._known)

    def add(self, consents: Iterable[Consent]) -> None:
        """Saves them, with what other processes saved in the meantime. Raises AgentError: the disk refuses."""
        saved = self._read()
        merged = [*saved, *(new for new in dict.fromkeys(consents) if new not in saved)]
        data = msgspec.json.format(msgspec.json.encode(merged), indent=2) + b"\n"
        try:
            self._replace(data)
        except OSError as error:
            raise AgentError(f"Cannot save the permission in {self.file}: {error.strerror}.") from error
        self._known = frozenset(merged)

    def _read(self) -> Sequence[Consent]:
        try:
            return msgspec.json.decode(self.file.read_bytes(), type=list[Consent])
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.DecodeError) as error:
            raise SettingsError(
                f"Cannot read the saved permissions in {self.file}: {error}. Remove the file."
            ) from error

    def _replace(self, data: bytes) -> None:
        self.file.parent.mkdir(0o700, parents=True, exist_ok=True)
        draft = self.file.with_name(f".{self.file.name}.{os.getpid()}")
        with suppress(FileNotFoundError):
            draft.unlink()
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        draft.replace(self.file)
