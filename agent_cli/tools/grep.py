"""`grep`: lines that match a regular expression."""

import asyncio
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from agent_cli.core.tools import Access, ReadPath, ToolFailure, ToolOutput
from agent_cli.tools.base import BuiltinTool
from agent_cli.tools.folder import base_of, check_exists
from agent_cli.tools.globs import Glob
from agent_cli.workspace.files import check_regular
from agent_cli.workspace.ignore import Walk
from agent_cli.workspace.paths import Workspace

MAX_MATCHES = 100
MAX_CHARS = 16_000
MAX_CONTEXT = 10
MAX_SECONDS = 20.0
_WORKER = Path(__file__).with_name("grep_worker.py")


class GrepArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`path` is a folder or a file; `glob` chooses files below it."""

    pattern: Annotated[str, Meta(description="Python regular expression, matched line by line")]
    path: str | None = None
    glob: Annotated[str | None, Meta(description="only these files, e.g. *.py")] = None
    ignore_case: bool = False
    context: Annotated[int, Meta(description="lines around each match")] = 0


@dataclass(frozen=True, slots=True)
class _Answer:
    files: list[dict[str, Any]]
    counts: dict[str, int]
    error: str
    timed_out: bool


class Grep(BuiltinTool[GrepArgs]):
    """Searches file contents in a process of its own, which ends within `seconds` whatever the pattern."""

    name = "grep"
    args_type = GrepArgs
    read_only = True

    def __init__(self, workspace: Workspace, seconds: float = MAX_SECONDS) -> None:
        super().__init__()
        self._workspace = workspace
        self._seconds = seconds

    def title(self, args: GrepArgs) -> str:
        """The pattern, and where."""
        where = " ".join(filter(None, (args.glob, args.path)))
        return f"{args.pattern} in {where}" if where else args.pattern

    def access(self, args: GrepArgs) -> Sequence[Access]:
        """The folder or file, its links followed."""
        return (ReadPath(base_of(self._workspace, args.path)),)

    async def run(self, args: GrepArgs, progress: Callable[[str], None]) -> ToolOutput:
        """`path:line: text` per match. Raises ToolFailure: a bad pattern, or no such path."""
        if not args.pattern:
            raise ToolFailure("The pattern is empty.")
        base = base_of(self._workspace, args.path)
        walk = Walk(base)
        files = await asyncio.to_thread(self._files, base, walk, args.glob)
        answer = await _search(args, files, self._seconds)
        if answer.error:
            raise ToolFailure(
                f"The pattern is not a valid regular expression: {answer.error}. For literal text use: "
                f"{re.escape(args.pattern)}"
            )
        return ToolOutput("\n".join(self._told(args, answer, walk.cut)))

    def _files(self, base: Path, walk: Walk, glob: str | None) -> list[str]:
        check_exists(self._workspace, base)
        if not base.is_dir():
            check_regular(base)
            return [str(base)]
        wanted = Glob(glob) if glob else None
        found = (
            entry.path
            for entry in walk
            if not entry.is_folder and not _leads_out(entry.path, base, entry.is_link)
        )
        return [
            str(path) for path in found if wanted is None or wanted.matches(path.relative_to(base).as_posix())
        ]

    def _told(self, args: GrepArgs, answer: _Answer, cut: str) -> Iterator[str]:
        rows = [row for file in answer.files for row in self._rows(file, args.context)]
        fitting = _fitting(rows)
        yield from fitting
        matches, files = answer.counts.get("matches", 0), answer.counts.get("files", 0)
        if not rows and not answer.timed_out:
            yield f"No line matches {args.pattern}" + (f" in {args.path}" if args.path else "") + "."
        if len(fitting) < len(rows) or matches > MAX_MATCHES:
            yield f"[{matches:,} matching lines in {files:,} files; not all shown: narrow the pattern, path or glob]"
        if answer.timed_out:
            yield (
                f"[stopped after {self._seconds:.0f} seconds, not all files were searched: the pattern may backtrack "
                "without end (nested * or +), or the folder is too large]"
            )
        if answer.counts.get("large"):
            yield f"[{answer.counts['large']} files over 32 MB were not searched]"
        if cut:
            yield f"[not complete: listing files {cut}]"

    def _rows(self, file: dict[str, Any], context: int) -> Iterator[str]:
        name = self._workspace.display(Path(file["file"]))
        before = None
        for number, text, is_match in file["rows"]:
            if context and before is not None and number > before + 1:
                yield "--"
            before = number
            yield f"{name}:{number}: {text}" if is_match else f"{name}-{number}- {text}"


def _leads_out(path: Path, base: Path, is_link: bool) -> bool:
    return is_link and not path.resolve().is_relative_to(base)


def _fitting(rows: list[str]) -> list[str]:
    room = MAX_CHARS
    for count, row in enumerate(rows):
        room -= len(row) + 1
        if room < 0:
            return rows[:count]
    return rows


async def _search(args: GrepArgs, files: list[str], seconds: float) -> _Answer:
    job = {
        "pattern": args.pattern,
        "ignore_case": args.ignore_case,
        "context": min(MAX_CONTEXT, max(0, args.context)),
        "files": files,
        "limit": MAX_MATCHES,
        "seconds": int(seconds) + 5,
    }
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-S", str(_WORKER), stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL
    )
    answering = asyncio.create_task(process.communicate(json.dumps(job).encode()))
    try:
        await asyncio.wait({answering}, timeout=seconds)
    finally:
        timed_out = process.returncode is None and not answering.done()
        if timed_out:
            process.kill()
        output, _ = await answering
    return _parsed(output, timed_out)


def _parsed(output: bytes, timed_out: bool) -> _Answer:
    lines = [json.loads(line) for line in output.split(b"\n") if line.endswith(b"}")]
    error = next((line["error"] for line in lines if "error" in line), "")
    counts = next((line for line in lines if "matches" in line), {})
    if not counts and not error and not timed_out:
        raise ToolFailure("The search ended unexpectedly; try a smaller folder.")
    return _Answer([line for line in lines if "file" in line], counts, error, timed_out)
