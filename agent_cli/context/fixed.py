"""The fixed part of every request: system blocks (instructions included) and tool definitions."""

from typing import Protocol

import msgspec

from agent_cli.core.models import ToolSpec


class Fixed(msgspec.Struct, frozen=True):
    """What precedes the messages in each request; the last system block holds the instruction files."""

    system: tuple[str, ...]
    tools: tuple[ToolSpec, ...]


class FixedPart(Protocol):
    """Where the fixed part comes from. It only changes when reloaded, so that its bytes stay cached."""

    def current(self) -> Fixed:
        """The bytes in use."""
        ...

    def reload(self) -> Fixed:
        """Reads instruction files again (after each compaction and on resume, case C14)."""
        ...
