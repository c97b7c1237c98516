"""Running one shell command to its end without ever waiting for what it leaves behind (C43, C44, C45)."""

import asyncio
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from agent_cli.tools.capture import Capture
from agent_cli.tools.running import MARK, Running, end_all, still_running

DRAIN_SECONDS = 0.25
"""How long output is read on after the shell has ended, while a child still holds the pipe."""
CHUNK_BYTES = 64 * 1024

UNATTENDED: dict[str, str] = {
    # An editor that fails: one that succeeds would let an interactive rebase run unseen.
    "EDITOR": "false",
    "VISUAL": "false",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "GH_PAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "AGENT": "agent-cli",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `code` is the exit code, negative for a signal; `seconds` is its duration; `left` are the
    processes it left running."""

    output: Capture
    code: int
    seconds: float
    timed_out: bool
    left: tuple[Running, ...]


async def run_command(
    command: str, *, cwd: Path, env: Mapping[str, str], limit: float, progress: Callable[[Capture], None]
) -> Ended:
    """Runs the command in a shell of its own session, without a terminal and with stdin at its end, and returns when
    the shell has ended. After `limit` seconds, or when cancelled, it and all that it started are ended.

    Raises OSError or ValueError: it could not be started.
    """
    mark = token_hex(8)
    started = time.monotonic()
    process, pipe = _start(command, cwd, {**env, **UNATTENDED, MARK: mark})
    reader = _Reader(pipe, progress)
    exited = _when_exited(process)
    left: list[Running] = []
    try:
        timed_out = not await _within(exited, limit)
        if timed_out:
            await asyncio.to_thread(end_all, process, mark)
            await _within(exited, DRAIN_SECONDS)
        seconds = time.monotonic() - started
        await _within(reader.closed, DRAIN_SECONDS)
        left = await asyncio.to_thread(still_running, process.pid, mark)
    except asyncio.CancelledError:
        await asyncio.shield(asyncio.to_thread(end_all, process, mark))
        raise
    finally:
        reader.finish(keep_open=bool(left))
    return Ended(reader.output, process.returncode or 0, seconds, timed_out, tuple(left))


class _Reader:
    """Reads the pipe as output comes."""

    def __init__(self, pipe: int, progress: Callable[[Capture], None]) -> None:
        self.output = Capture()
        self.closed = asyncio.Event()
        self._pipe = pipe
        self._progress = progress
        self._loop = asyncio.get_running_loop()
        os.set_blocking(pipe, False)
        self._loop.add_reader(pipe, self._read)

    def finish(self, *, keep_open: bool) -> None:
        """Stops reading. A child that goes on must not die of a closed pipe, so what it writes is thrown away."""
        if self.closed.is_set():
            os.close(self._pipe)
            return
        self._loop.remove_reader(self._pipe)
        if not keep_open:
            os.close(self._pipe)
            return
        os.set_blocking(self._pipe, True)
        threading.Thread(target=_discard, args=(self._pipe,), daemon=True).start()

    def _read(self) -> None:
        try:
            data = os.read(self._pipe, CHUNK_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._loop.remove_reader(self._pipe)
            self.closed.set()
            return
        self.output.add(data)
        self._progress(self.output)


def _start(command: str, cwd: Path, env: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], int]:
    shell = shutil.which("bash") or "/bin/sh"
    ours, theirs = os.pipe()
    try:
        process = subprocess.Popen(
            [shell, "-c", command],
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return process, ours


def _when_exited(process: subprocess.Popen[bytes]) -> asyncio.Event:
    """An event for the shell's own end. A daemon thread waits, which cannot hold up our exit as a pool's thread would."""
    loop = asyncio.get_running_loop()
    exited = asyncio.Event()

    def wait() -> None:
        process.wait()
        with suppress(RuntimeError):  # the loop may be closed by then
            loop.call_soon_threadsafe(exited.set)

    threading.Thread(target=wait, daemon=True).start()
    return exited


async def _within(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return event.is_set()
    return True


def _discard(pipe: int) -> None:
    with suppress(OSError):
        while os.read(pipe, CHUNK_BYTES):
            pass
    os.close(pipe)
