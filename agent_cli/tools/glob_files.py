"""`glob`: files by name."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from agent_cli.core.tools import Access, ReadPath, ToolOutput
from agent_cli.tools.base import BuiltinTool
from agent_cli.tools.folder import base_of, check_folder
from agent_cli.tools.globs import Glob
from agent_cli.workspace.ignore import Walk
from agent_cli.workspace.paths import Workspace

MAX_SHOWN = 200
_SPECIAL = frozenset("*?[{")


class GlobArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The pattern is matched from `path`."""

    pattern: str
    path: str | None = None


class GlobFiles(BuiltinTool[GlobArgs]):
    """Finds files whose path matches a pattern."""

    name = "glob"
    args_type = GlobArgs
    read_only = True

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace

    def title(self, args: GlobArgs) -> str:
        """The pattern, and the folder where one is given."""
        return f"{args.pattern} in {args.path}" if args.path else args.pattern

    def access(self, args: GlobArgs) -> Sequence[Access]:
        """The folder that is searched, links and the pattern's own leading folders followed."""
        return (ReadPath(self._start(args)[0]),)

    async def run(self, args: GlobArgs, progress: Callable[[str], None]) -> ToolOutput:
        """The paths, sorted. Raises ToolFailure: no such folder, or an empty pattern."""
        return ToolOutput(await asyncio.to_thread(self._find, args))

    def _find(self, args: GlobArgs) -> str:
        base, pattern = self._start(args)
        check_folder(self._workspace, base)
        glob = Glob(pattern)
        walk = Walk(base)
        files = (found.path for found in walk if not found.is_folder)
        paths = [
            self._workspace.display(path) for path in files if glob.matches(path.relative_to(base).as_posix())
        ]
        if not paths:
            cut = f" The search is not complete: {walk.cut}." if walk.cut else ""
            return f"No file matches {args.pattern} in {self._workspace.display(base)} (ignored files left out).{cut}"
        told = sorted(paths[:MAX_SHOWN])
        if len(paths) > MAX_SHOWN:
            told.append(f"[{MAX_SHOWN} of {len(paths):,} files; use a narrower pattern or path]")
        if walk.cut:
            told.append(f"[not complete: {walk.cut}]")
        return "\n".join(told)

    def _start(self, args: GlobArgs) -> tuple[Path, str]:
        """The folder to search and the pattern below it: leading plain folders of a pattern that is absolute or goes
        up belong to the folder, so that permission is asked for the real place."""
        base = base_of(self._workspace, args.path)
        parts = args.pattern.strip().split("/")
        if not (args.pattern.strip().startswith(("/", "~")) or ".." in parts):
            return base, args.pattern
        last_up = max((i for i, part in enumerate(parts) if part == ".."), default=-1)
        plain = next((i for i, part in enumerate(parts) if _SPECIAL & set(part)), len(parts) - 1)
        count = max(last_up + 1, min(plain, len(parts) - 1))
        leading = "/".join(parts[:count]) or "/"
        return self._workspace.resolve(
            leading if leading.startswith(("/", "~")) else f"{base}/{leading}"
        ), "/".join(parts[count:])
