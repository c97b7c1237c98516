"""`/copy`: the last answer to the clipboard."""

import asyncio
import base64
import os
import shutil
import subprocess

from agent_cli.commands.registry import Command, Emit, Reply
from agent_cli.session.opened import Opened

STDOUT = 1
MAX_OSC52 = 74_994
"""Bytes of text that every terminal with OSC 52 takes: xterm's limit of 100,000 characters for the whole sequence."""
PROGRAM_SECONDS = 5.0
_PROGRAMS = (
    (("pbcopy",), None),
    (("wl-copy",), "WAYLAND_DISPLAY"),
    (("xclip", "-selection", "clipboard"), "DISPLAY"),
)


async def copy(opened: Opened, args: str, emit: Emit) -> Reply:
    """Copies the newest answer that has text."""
    messages = reversed(opened.session.ledger.view.messages)
    said = (m.text for m in messages if m.role == "assistant" and not m.origin and m.text.strip())
    text = next(said, None)
    if text is None:
        return Reply("There is no answer to copy yet.", error=True)
    data = text.encode("utf-8", "replace")
    ways = [way for way in (_by_terminal(data), await asyncio.to_thread(_by_program, data)) if way]
    if not ways:
        return Reply(_NO_WAY, error=True)
    return Reply(f"Copied the last answer ({len(text):,} characters) by {' and '.join(ways)}.")


def _by_terminal(data: bytes) -> str:
    """OSC 52: the terminal sets the clipboard, also over SSH. It does not tell whether it did."""
    if not os.isatty(STDOUT) or os.environ.get("TERM", "dumb") == "dumb" or len(data) > MAX_OSC52:
        return ""
    # Straight to the terminal: a screen library between would show the sequence as text.
    os.write(STDOUT, b"\x1b]52;c;" + base64.b64encode(data) + b"\x07")
    return "the terminal (OSC 52; some terminals have it switched off)"


def _by_program(data: bytes) -> str:
    if os.environ.get("SSH_CONNECTION"):
        return ""  # The clipboard of the machine at the other end is not the user's.
    for command, display in _PROGRAMS:
        if shutil.which(command[0]) and (display is None or os.environ.get(display)):
            return command[0] if _runs(command, data) else ""
    return ""


def _runs(command: tuple[str, ...], data: bytes) -> bool:
    # xclip stays in the background to serve the clipboard: it must not hold our output open.
    try:
        done = subprocess.run(
            command,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PROGRAM_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


_NO_WAY = (
    "No way to the clipboard: stdout is no terminal that could take it, and neither pbcopy, wl-copy nor xclip "
    "can be used. Install one of them, or print the answer: agent -c -p ... > FILE"
)

COMMANDS = (Command(("copy",), "/copy", "copy the last answer to the clipboard", copy, while_busy=True),)
