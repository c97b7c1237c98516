"""Which processes of a command are still there, and ending all of them (C43, C44)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MARK = "AGENT_COMMAND"
"""Environment variable that tells a command's processes even when they left its session."""
GRACE_SECONDS = 0.6
"""Between TERM and KILL."""
KILL_SECONDS = 1.0
"""How long KILL is repeated for processes that fork on."""
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Running:
    """A process; `command` is its name."""

    pid: int
    command: str


def still_running(group: int, mark: str) -> list[Running]:
    """Returns the processes of the session or group `group`, or that carry the mark; zombies and ourselves are none."""
    found = _by_proc(group, f"{MARK}={mark}".encode()) if sys.platform == "linux" else _by_ps(group)
    return [running for running in found if running.pid != os.getpid()]


def end_all(process: subprocess.Popen[bytes], mark: str) -> None:
    """Ends the process and all that it started: TERM, a short wait, KILL. Takes at most 2 seconds."""
    _signal(process, mark, signal.SIGTERM)
    if _gone(process, mark, GRACE_SECONDS):
        return
    deadline = time.monotonic() + KILL_SECONDS
    while time.monotonic() < deadline:
        _signal(process, mark, signal.SIGKILL)
        if _gone(process, mark, 0.05):
            return


def _signal(process: subprocess.Popen[bytes], mark: str, number: signal.Signals) -> None:
    # The group's number is only certain to be ours while its leader has not been waited for.
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
    for running in still_running(process.pid, mark):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(running.pid, number)


def _gone(process: subprocess.Popen[bytes], mark: str, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while process.returncode is None or still_running(process.pid, mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _by_proc(group: int, marked: bytes) -> Iterator[Running]:
    for folder in _PROC.iterdir():
        if not folder.name.isdigit():
            continue
        with suppress(OSError):
            # pid (name, which may hold anything) state ppid pgrp session ...
            name, _, rest = (folder / "stat").read_text(errors="replace").partition("(")[2].rpartition(")")
            state, _, pgrp, session = rest.split()[:4]
            if state not in "ZX" and (str(group) in (pgrp, session) or _marked(folder, marked)):
                yield Running(int(folder.name), name)


def _marked(folder: Path, marked: bytes) -> bool:
    try:
        return marked in (folder / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _by_ps(group: int) -> Iterator[Running]:
    """Without /proc only the group can be told."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,pgid=,stat=,comm="],
        capture_output=True,
        text=True,
        check=False,
        errors="replace",
    )
    for line in listed.stdout.splitlines():
        pid, pgid, state, command = line.split(None, 3)
        if int(pgid) == group and not state.startswith("Z"):
            yield Running(int(pid), command.rpartition("/")[2])
