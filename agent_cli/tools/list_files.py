"""`list_files`: a folder as a tree."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from agent_cli.core.tools import Access, ReadPath, ToolOutput
from agent_cli.tools.base import BuiltinTool
from agent_cli.tools.folder import base_of, check_folder
from agent_cli.workspace.ignore import Found, Walk
from agent_cli.workspace.paths import Workspace

DEFAULT_DEPTH = 2
MAX_DEPTH = 20
MAX_IN_FOLDER = 60
MAX_LINES = 300


class ListFilesArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`depth` 1 lists the folder alone."""

    path: str | None = None
    depth: Annotated[int | None, Meta(description=f"levels, default {DEFAULT_DEPTH}")] = None


class ListFiles(BuiltinTool[ListFilesArgs]):
    """Lists what is in a folder, without what the ignore rules leave out."""

    name = "list_files"
    args_type = ListFilesArgs
    read_only = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace

    def title(self, args: ListFilesArgs) -> str:
        """The folder."""
        return args.path or "."

    def access(self, args: ListFilesArgs) -> Sequence[Access]:
        """The folder, its links followed."""
        return (ReadPath(base_of(self._workspace, args.path)),)

    async def run(self, args: ListFilesArgs, progress: Callable[[str], None]) -> ToolOutput:
        """The tree. Raises ToolFailure: there is no such folder."""
        return ToolOutput(await asyncio.to_thread(self._list, args))

    def _list(self, args: ListFilesArgs) -> str:
        base = base_of(self._workspace, args.path)
        check_folder(self._workspace, base)
        depth = min(MAX_DEPTH, max(1, DEFAULT_DEPTH if args.depth is None else args.depth))
        walk = Walk(base, depth)
        inside: dict[Path, list[Found]] = defaultdict(list)
        for found in walk:
            inside[found.path.parent].append(found)
        lines = list(_tree(base, inside))
        if not lines:
            return (
                f"{self._workspace.display(base)} is empty (files left out by ignore rules are not listed)."
            )
        told = [f"{self._workspace.display(base)}/", *lines[:MAX_LINES]]
        if len(lines) > MAX_LINES:
            told.append(f"[{len(lines) - MAX_LINES:,} more lines left out; list a folder below, or use glob]")
        if walk.cut:
            told.append(f"[not complete: {walk.cut}]")
        return "\n".join(told)


def _tree(folder: Path, inside: dict[Path, list[Found]]) -> Iterator[str]:
    entries = inside.get(folder, [])
    for found in entries[:MAX_IN_FOLDER]:
        yield f"{'  ' * found.depth}{_name(found)}"
        yield from _tree(found.path, inside)
    if len(entries) > MAX_IN_FOLDER:
        yield f"{'  ' * entries[0].depth}[{len(entries) - MAX_IN_FOLDER:,} more in {folder.name}/]"


def _name(found: Found) -> str:
    if found.is_link:
        return f"{found.path.name} -> {found.path.readlink()}"
    return f"{found.path.name}/" if found.is_folder else found.path.name
