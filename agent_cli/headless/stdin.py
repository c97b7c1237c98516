"""The prompt from the command line joined with what is piped in (design, section 1)."""

import os
import select
import stat
import sys
from collections.abc import Callable

WAIT = 3.0
"""Seconds to wait for a first byte on stdin when there is a prompt already."""


def join(prompt: str, piped: str) -> str:
    """The prompt, then what was piped in, with a blank line between."""
    return "\n\n".join(text for text in (prompt, piped.rstrip("\n")) if text.strip())


def read_piped(*, have_prompt: bool, notice: Callable[[str], None]) -> str:
    """Reads stdin to its end if something is piped in; bytes that are no UTF-8 are replaced.

    A pipe that its owner leaves open without writing must not hang a run that has its prompt: after 3 seconds
    without a byte it goes on and says so.
    """
    try:
        number = sys.stdin.fileno()
        kind = os.fstat(number).st_mode
    except (AttributeError, OSError, ValueError):
        return ""
    if os.isatty(number) or not (stat.S_ISFIFO(kind) or stat.S_ISREG(kind) or stat.S_ISSOCK(kind)):
        return ""
    if have_prompt and not stat.S_ISREG(kind) and not select.select([number], [], [], WAIT)[0]:
        notice("Nothing came on stdin for 3 s: going on without it. Give it </dev/null to skip the wait.")
        return ""
    with os.fdopen(os.dup(number), "rb") as stream:
        return stream.read().decode("utf-8", "replace")
