"""Instruction files of the user and the project: AGENTS.md, else CLAUDE.md."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent_cli.core.tools import ToolFailure
from agent_cli.workspace.decode import decode
from agent_cli.workspace.files import is_binary, read_bytes

NAMES = ("AGENTS.md", "CLAUDE.md")
MAX_BYTES = 32 * 1024
"""Cap over all files together, in bytes of UTF-8."""
MAX_FILE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Instructions:
    """The files' text, each between tags with its path; `cut` tells that the cap left something out. `notes` are lines
    for the user on what was skipped or cut."""

    text: str
    sources: tuple[Path, ...]
    cut: bool
    notes: tuple[str, ...] = ()


def load(root: Path, cwd: Path, user_file: Path) -> Instructions:
    """Reads the user's file, then one file of each folder from `root` (the git root, else `cwd`) down to `cwd`.

    The same files give the same bytes. Never raises: what cannot be read is skipped with a note.
    """
    blocks: list[str] = []
    sources: list[Path] = []
    notes: list[str] = []
    room = MAX_BYTES
    cut = False
    for path, inside in _candidates(root.resolve(), cwd.resolve(), user_file):
        text = _text_of(path, inside)
        if isinstance(text, _Skipped):
            notes.append(f"{path} was skipped: {text.reason}.")
            continue
        kept = _first_bytes(text, room)
        room -= len(kept.encode())
        if len(kept) < len(text):
            cut = True
            notes.append(f"{path} was cut: instruction files may have {MAX_BYTES // 1024} KiB together.")
            kept += f"\n[cut here: {len(text) - len(kept):,} more characters are in the file]"
        blocks.append(f'<instructions path="{path}">\n{kept}\n</instructions>')
        sources.append(path)
    return Instructions("\n\n".join(blocks), tuple(sources), cut, tuple(notes))


@dataclass(frozen=True, slots=True)
class _Skipped:
    reason: str


def _candidates(root: Path, cwd: Path, user_file: Path) -> Iterator[tuple[Path, Path | None]]:
    """The files in order, each real file once, with the folder that it must lie in."""
    found = [(user_file, None)] if user_file.exists() else []
    for folder in (*reversed(cwd.parents), cwd):
        if folder.is_relative_to(root):
            named = next((folder / name for name in NAMES if os.path.lexists(folder / name)), None)
            found += [(named, root)] if named else []
    seen: set[str] = set()
    for path, inside in found:
        real = os.path.realpath(path)
        if real not in seen:
            seen.add(real)
            yield path, inside


def _text_of(path: Path, inside: Path | None) -> str | _Skipped:
    # A project that was only cloned must not be able to send a private file to the model through a link.
    if inside is not None and not path.resolve().is_relative_to(inside):
        return _Skipped("it is a link to a file outside the project")
    try:
        data = read_bytes(path, MAX_FILE_BYTES)
    except (FileNotFoundError, ToolFailure) as error:
        return _Skipped(str(error).removeprefix(f"{path}: ").removesuffix("."))
    if is_binary(data):
        return _Skipped("it is not a text file")
    text = decode(data).text.encode("utf-8", "replace").decode().replace("\r\n", "\n").strip()
    return text.replace("</instructions", "<\\/instructions")


def _first_bytes(text: str, count: int) -> str:
    return text.encode()[: max(0, count)].decode("utf-8", "ignore")
