"""What has changed in a git work tree, without running anything that the repository's configuration names (C60).

Off: fsmonitor, hooks, external diff and textconv programs, clean filters, the pager, submodules, fetching of missing
objects, writing to the index. Sources: git-config(1), git-diff(1), git(1), gitattributes(5).
"""

import asyncio
import os
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent_cli.core.errors import AgentError

MAX_BYTES = 200_000
MAX_UNTRACKED = 200
MAX_SECONDS = 20.0

_GIT = (
    "git",
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.quotePath=false"),
    *("-c", "submodule.recurse=false"),
)
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C.UTF-8",
}
_DIFF = (
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--submodule=short",
    "--ignore-submodules=dirty",
)
_FILTERS = ("config", "--name-only", "-z", "--get-regexp", r"^filter\..*\.(clean|process|required)$")


@dataclass(frozen=True, slots=True)
class Changes:
    """`diff` is the unified diff against the last commit, `untracked` the names git does not know, quoted by git
    where they hold odd characters. `cut`: there is more than is shown."""

    diff: str
    untracked: tuple[str, ...]
    cut: bool


async def changes(folder: Path) -> Changes:
    """The changes of the whole work tree around `folder`, at most 200,000 bytes of diff and 200 names.

    Raises AgentError: git is missing, refuses, or takes more than 20 seconds.
    """
    try:
        async with asyncio.timeout(MAX_SECONDS):
            return await _changes(folder)
    except TimeoutError:
        raise AgentError(f"git took longer than {MAX_SECONDS:.0f} s. Run git diff yourself.") from None


async def _changes(folder: Path) -> Changes:
    top = Path((await _git(folder, {}, "rev-parse", "--show-toplevel"))[0].rstrip("\n"))
    plain = await _without_filters(top)
    diff, cut = await _git(top, plain, *_DIFF, await _base(top), "--")
    names, more = await _git(top, plain, "ls-files", "--others", "--exclude-standard")
    untracked = names.splitlines()
    return Changes(diff, tuple(untracked[:MAX_UNTRACKED]), cut or more or len(untracked) > MAX_UNTRACKED)


async def _base(top: Path) -> str:
    """The last commit, or before the first one the empty tree."""
    with suppress(AgentError):
        return (await _git(top, {}, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"))[0].strip()
    return (await _git(top, {}, "hash-object", "-t", "tree", "/dev/null"))[0].strip()


async def _without_filters(top: Path) -> dict[str, str]:
    """Environment that empties every configured filter: git compares files as they are."""
    listed, _ = await _git(top, {}, *_FILTERS, fine=(0, 1))
    keys = list(dict.fromkeys(filter(None, listed.split("\0"))))
    env = {"GIT_CONFIG_COUNT": str(len(keys))}
    for number, key in enumerate(keys):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = "false" if key.endswith(".required") else ""
    return env


async def _git(
    folder: Path, extra: Mapping[str, str], *arguments: str, fine: tuple[int, ...] = (0,)
) -> tuple[str, bool]:
    """Output of a git command, and whether it was cut. Raises AgentError: the exit code is none of `fine`."""
    try:
        process = await asyncio.create_subprocess_exec(
            *_GIT,
            *arguments,
            cwd=folder,
            env={**os.environ, **_QUIET, **extra},
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )
    except OSError as error:
        raise AgentError(f"git could not be started: {error.strerror}. Install git.") from error
    try:
        data, said = await _output(process)
    finally:
        _kill(process)
        await process.wait()
    if len(data) > MAX_BYTES:
        return data[: data.rfind(b"\n", 0, MAX_BYTES) + 1].decode("utf-8", "replace"), True
    if process.returncode not in fine:
        raise AgentError(said.decode("utf-8", "replace").strip() or f"git {arguments[0]} failed.")
    return data.decode("utf-8", "replace"), False


async def _output(process: Process) -> tuple[bytes, bytes]:
    assert process.stdout is not None
    assert process.stderr is not None
    said = asyncio.create_task(process.stderr.read())
    data = b""
    while len(data) <= MAX_BYTES and (piece := await process.stdout.read(65_536)):
        data += piece
    if len(data) > MAX_BYTES:
        _kill(process)
    else:
        await process.wait()
    return data, await said


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
