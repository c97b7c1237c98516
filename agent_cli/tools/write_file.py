"""`write_file`: a whole file, created or replaced."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from agent_cli.core.tools import Access, ToolFailure, ToolOutput, WritePath
from agent_cli.tools.base import BuiltinTool
from agent_cli.tools.diff import unified
from agent_cli.tools.page import REPLACEMENT, page
from agent_cli.tools.seen import SeenFiles
from agent_cli.workspace.decode import Decoded, decode, split_lines
from agent_cli.workspace.files import is_binary, read_bytes, write_whole
from agent_cli.workspace.paths import Workspace

_NEW = decode(b"")


class WriteFileArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`content` is the whole new content."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class _Plan:
    path: Path
    old: bytes | None
    before: Decoded
    new: bytes

    @property
    def after(self) -> str:
        return decode(self.new).text


class WriteFile(BuiltinTool[WriteFileArgs]):
    """Writes files whole; never over content that the model has not seen (C55)."""

    name = "write_file"
    args_type = WriteFileArgs

    def __init__(self, workspace: Workspace, seen: SeenFiles) -> None:
        super().__init__()
        self._workspace = workspace
        self._seen = seen

    def title(self, args: WriteFileArgs) -> str:
        """The path."""
        return args.path

    def access(self, args: WriteFileArgs) -> Sequence[Access]:
        """The file, its links followed."""
        return (WritePath(self._workspace.resolve(args.path)),)

    def preview(self, args: WriteFileArgs) -> str:
        """The change as a diff. Raises ToolFailure: it would be refused anyway."""
        return self._diff(self._plan(args))

    async def run(self, args: WriteFileArgs, progress: Callable[[str], None]) -> ToolOutput:
        """Says whether the file was created or replaced. Raises ToolFailure: it changed, or was never read."""
        return await asyncio.to_thread(self._write, args)

    def _write(self, args: WriteFileArgs) -> ToolOutput:
        plan = self._plan(args)
        display = self._diff(plan)
        lines = len(split_lines(plan.after))
        if plan.old != plan.new:
            write_whole(plan.path, plan.new)
        self._seen.note(plan.path, plan.new)
        done = _done(plan)
        return ToolOutput(f"{done} {self._workspace.display(plan.path)} ({lines:,} lines).", display=display)

    def _plan(self, args: WriteFileArgs) -> _Plan:
        path = self._workspace.resolve(args.path)
        try:
            old = read_bytes(path)
        except FileNotFoundError:
            return _Plan(path, None, _NEW, _encoded(_NEW, args))
        binary = is_binary(old)
        before = _NEW if binary else decode(old)
        new = _encoded(before, args)
        if old and old != new:
            self._check_seen(path, old, binary=binary)
        return _Plan(path, old, before, new)

    def _check_seen(self, path: Path, old: bytes, *, binary: bool) -> None:
        state = self._seen.state(path, old)
        if state == "same":
            return
        reason = (
            "has not been read in this session"
            if state == "never"
            else "has changed on disk since you last saw it"
        )
        self._seen.note(path, old)
        current = "It is binary." if binary else f"Its content now:\n{page(decode(old))}"
        raise ToolFailure(
            f"{self._workspace.display(path)} {reason}, so nothing was written. If it should be replaced all the same, "
            f"send the call again. {current}"
        )

    def _diff(self, plan: _Plan) -> str:
        return unified(plan.before.text, plan.after, self._workspace.display(plan.path))


def _done(plan: _Plan) -> str:
    if plan.old is None:
        return "Created"
    return "Unchanged:" if plan.old == plan.new else "Replaced"


def _encoded(before: Decoded, args: WriteFileArgs) -> bytes:
    """The new content in the old one's encoding, with its mark and line ends (C51, C52)."""
    if before.stray_bytes and REPLACEMENT in args.content:
        raise ToolFailure(
            f"{args.path} holds bytes that are not UTF-8 and were shown as {REPLACEMENT}; writing the whole file would "
            "destroy them. Change the other parts with edit_file."
        )
    content = args.content
    if before.newline != "\n" and "\r" not in content:
        content = content.replace("\n", before.newline)
    check_writable(args.path, args.content)
    return before.encode(content)


def check_writable(path: str, text: str) -> None:
    """Raises ToolFailure: the text holds half a character, which must not pass as a stray byte."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ToolFailure(
            f"{path}: the text holds half a character (a lone surrogate). Nothing was written."
        ) from None
