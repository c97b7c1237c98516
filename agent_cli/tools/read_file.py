"""`read_file`: a part of a text file with line numbers."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from agent_cli.core.tools import Access, ReadPath, ToolFailure, ToolOutput
from agent_cli.tools.base import BuiltinTool
from agent_cli.tools.missing import missing
from agent_cli.tools.page import MAX_LINES, page
from agent_cli.tools.seen import SeenFiles
from agent_cli.workspace.decode import decode
from agent_cli.workspace.files import is_binary, read_bytes
from agent_cli.workspace.paths import Workspace

_IMAGES = (
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"RIFF", "WebP"),
    (b"BM", "BMP"),
)


class ReadFileArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines and columns count from 1."""

    path: str
    offset: Annotated[int | None, Meta(description="first line, from 1")] = None
    limit: Annotated[int | None, Meta(description=f"lines, default {MAX_LINES}")] = None
    column: Annotated[int | None, Meta(description="first character of that line, for very long lines")] = (
        None
    )


class ReadFile(BuiltinTool[ReadFileArgs]):
    """Reads text files; says what else a path is."""

    name = "read_file"
    args_type = ReadFileArgs
    read_only = True

    def __init__(self, workspace: Workspace, seen: SeenFiles) -> None:
        super().__init__()
        self._workspace = workspace
        self._seen = seen

    def title(self, args: ReadFileArgs) -> str:
        """The path, and the first line where one is given."""
        return args.path if args.offset is None else f"{args.path}:{args.offset}"

    def access(self, args: ReadFileArgs) -> Sequence[Access]:
        """The file, its links followed."""
        return (ReadPath(self._workspace.resolve(args.path)),)

    async def run(self, args: ReadFileArgs, progress: Callable[[str], None]) -> ToolOutput:
        """The numbered lines. Raises ToolFailure: no such file or line."""
        return ToolOutput(await asyncio.to_thread(self._read, args))

    def _read(self, args: ReadFileArgs) -> str:
        path = self._workspace.resolve(args.path)
        if path.is_dir():
            raise ToolFailure(f"{args.path} is a directory. Use list_files or glob to see what is in it.")
        try:
            data = read_bytes(path)
        except FileNotFoundError:
            raise missing(self._workspace, path) from None
        self._seen.note(path, data)
        if is_binary(data):
            return _binary_note(path, data)
        limit = MAX_LINES if args.limit is None else max(1, args.limit)
        # Models that count from 0 mean the first line.
        return page(decode(data), args.offset or 1, limit, args.column or 1)


def _binary_note(path: Path, data: bytes) -> str:
    kind = next((name for magic, name in _IMAGES if data.startswith(magic)), "")
    what = f"{kind} image" if kind else "binary file"
    return f"[{path.name} is a {what} of {len(data):,} bytes; only text can be shown]"
