"""`edit_file`: one exact text of a file replaced by another."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from agent_cli.core.tools import Access, ToolFailure, ToolOutput, WritePath
from agent_cli.tools.base import BuiltinTool
from agent_cli.tools.diff import unified
from agent_cli.tools.matching import MAX_NAMED, Match, Text, unix
from agent_cli.tools.missing import missing
from agent_cli.tools.nearest import explain
from agent_cli.tools.seen import SeenFiles
from agent_cli.tools.write_file import check_writable
from agent_cli.workspace.decode import Decoded, decode
from agent_cli.workspace.files import is_binary, read_bytes, write_whole
from agent_cli.workspace.paths import Workspace

MAX_DIFF_LINES = 40
MAX_DIFF_LINE_CHARS = 300


class EditFileArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`old_text` must occur exactly once unless `replace_all` is set."""

    path: str
    old_text: str
    new_text: str
    replace_all: Annotated[bool, Meta(description="every occurrence")] = False


@dataclass(frozen=True, slots=True)
class _Plan:
    path: Path
    before: Decoded
    after: str
    count: int


class EditFile(BuiltinTool[EditFileArgs]):
    """Edits files. The file is read anew for each edit, so one that changed meanwhile is edited where the text still
    stands exactly once (C55)."""

    name = "edit_file"
    args_type = EditFileArgs

    def __init__(self, workspace: Workspace, seen: SeenFiles) -> None:
        super().__init__()
        self._workspace = workspace
        self._seen = seen

    def title(self, args: EditFileArgs) -> str:
        """The path."""
        return args.path

    def access(self, args: EditFileArgs) -> Sequence[Access]:
        """The file, its links followed."""
        return (WritePath(self._workspace.resolve(args.path)),)

    def preview(self, args: EditFileArgs) -> str:
        """The change as a diff. Raises ToolFailure: the edit would be refused anyway."""
        return self._diff(self._plan(args))

    async def run(self, args: EditFileArgs, progress: Callable[[str], None]) -> ToolOutput:
        """The change as a short diff. Raises ToolFailure: no match, several, or the file cannot be edited."""
        return await asyncio.to_thread(self._edit, args)

    def _edit(self, args: EditFileArgs) -> ToolOutput:
        plan = self._plan(args)
        data = plan.before.encode(plan.after)
        write_whole(plan.path, data)
        self._seen.note(plan.path, data)
        diff = self._diff(plan)
        places = "1 place" if plan.count == 1 else f"{plan.count:,} places"
        return ToolOutput(
            f"Edited {self._workspace.display(plan.path)} in {places}.\n{_shortened(diff)}", display=diff
        )

    def _plan(self, args: EditFileArgs) -> _Plan:
        _check_texts(args)
        path = self._workspace.resolve(args.path)
        try:
            data = read_bytes(path)
        except FileNotFoundError:
            raise missing(self._workspace, path) from None
        if is_binary(data):
            raise ToolFailure(f"{args.path} is a binary file; edit_file only edits text.")
        text = Text(decode(data))
        if text.content.legacy and not args.new_text.isascii():
            raise ToolFailure(
                f"{args.path} is in an 8-bit encoding that is not UTF-8. Only ASCII text can be put into it safely; "
                "convert the file first (iconv) or leave out other characters. Nothing was changed."
            )
        matches = self._matches(args, text, path, data)
        return _Plan(path, text.content, text.replace(matches, args.new_text), len(matches))

    def _matches(self, args: EditFileArgs, text: Text, path: Path, data: bytes) -> list[Match]:
        found = text.find(args.old_text)
        if not found:
            raise ToolFailure(self._not_found(args, text, path, data))
        if args.replace_all:
            return text.find_apart(args.old_text)
        if len(found) > 1:
            lines = ", ".join(str(match.line) for match in found)
            more = " and more" if len(found) == MAX_NAMED else ""
            raise ToolFailure(
                f"old_text occurs more than once in {args.path}, at lines {lines}{more}. Nothing was changed. Take in "
                "more of the lines around the right one, or set replace_all."
            )
        return found

    def _not_found(self, args: EditFileArgs, text: Text, path: Path, data: bytes) -> str:
        stale = self._seen.state(path, data) == "changed"
        told = [
            f"old_text does not occur in {args.path}. Nothing was changed.",
            "The file has changed on disk since you last saw it." if stale else "",
            explain(text.plain, unix(args.old_text))
            or "Nothing in the file comes near it; read the file again.",
        ]
        return " ".join(filter(None, told))

    def _diff(self, plan: _Plan) -> str:
        return unified(plan.before.text, plan.after, self._workspace.display(plan.path))


def _check_texts(args: EditFileArgs) -> None:
    if not args.old_text:
        raise ToolFailure(
            "old_text is empty. Give the exact text to replace, or use write_file for a new file."
        )
    if unix(args.old_text) == unix(args.new_text):
        raise ToolFailure("old_text and new_text are the same; there is nothing to change.")
    check_writable(args.path, args.old_text)
    check_writable(args.path, args.new_text)


def _shortened(diff: str) -> str:
    lines = [
        line if len(line) <= MAX_DIFF_LINE_CHARS else f"{line[:MAX_DIFF_LINE_CHARS]}…"
        for line in diff.split("\n")
    ]
    if len(lines) <= MAX_DIFF_LINES:
        return "\n".join(lines)
    return "\n".join(
        [*lines[:MAX_DIFF_LINES], f"[{len(lines) - MAX_DIFF_LINES:,} more lines of the diff left out]"]
    )
