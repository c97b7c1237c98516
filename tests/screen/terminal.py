"""The installed `agent` on a pseudo-terminal whose screen can be read."""

import os
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pyte

from agent_cli.providers.fakes import FakeServer

AGENT = Path(sys.executable).with_name("agent")
READY = "% ·"
"""Stands in the toolbar once the session is open."""
ENTER, ESC, UP, DOWN, TAB, SHIFT_TAB = "\r", "\x1b", "\x1b[A", "\x1b[B", "\t", "\x1b[Z"
CTRL_C, CTRL_D, CTRL_G, CTRL_J, CTRL_R, CTRL_Z = "\x03", "\x04", "\x07", "\x0a", "\x12", "\x1a"
PAUSE = 0.6
"""Seconds without a key after which a question takes its answer."""


def pasted(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


class Terminal:
    def __init__(self, *arguments: str, size=(80, 24), env: dict[str, str] | None = None, command=None):
        columns, rows = size
        self.screen = pyte.HistoryScreen(columns, rows, history=20_000, ratio=0.5)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        program, *rest = command or [str(AGENT), *arguments]
        full = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", **(env or {})}
        full.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling anew would be most of a start
        self.child = pexpect.spawn(program, rest, env=full, dimensions=(rows, columns), timeout=20)
        self.child.delaybeforesend = None

    @property
    def pid(self) -> int:
        return self.child.pid

    @property
    def lines(self) -> list[str]:
        """The scrollback and the screen, without trailing blanks."""
        width = self.screen.columns
        above = ["".join(line[x].data for x in range(width)).rstrip() for line in self.screen.history.top]
        return above + [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def pump(self, seconds: float = 0.05) -> None:
        """Reads what comes within this time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                data = self.child.read_nonblocking(65_536, timeout=left)
            except pexpect.TIMEOUT:
                return
            except pexpect.EOF:
                return
            self.raw += data
            self._stream.feed(data)

    def send(self, *keys: str) -> None:
        for key in keys:
            self.child.send(key)
            self.pump(0.02)

    def say(self, text: str) -> None:
        self.send(text)
        self.send(ENTER)

    def until(self, wanted: str, seconds: float = 10.0) -> None:
        self._wait(lambda: wanted in self.text, f"{wanted!r} to appear", seconds)

    def until_times(self, wanted: str, times: int, seconds: float = 10.0) -> None:
        self._wait(lambda: self.text.count(wanted) >= times, f"{wanted!r} to appear {times} times", seconds)

    def gone(self, unwanted: str, seconds: float = 10.0) -> None:
        self._wait(lambda: unwanted not in "\n".join(self.screen.display), f"{unwanted!r} to go", seconds)

    def idle(self, seconds: float = 15.0) -> None:
        """Waits until nothing is going on."""
        self._wait(lambda: "Esc stops" not in self.text, "the work to end", seconds)

    def answer(self, key: str) -> None:
        """Answers a permission question as a person does: after a pause."""
        self.until("Allow ")
        self.pump(PAUSE)
        self.send(key)
        self.gone("Allow ")

    def ended(self, seconds: float = 10.0) -> int:
        """Waits for the program's end; returns its exit code, or minus the signal that ended it."""
        self._wait(lambda: not self.child.isalive(), "the program to end", seconds)
        self.pump(0.1)
        self.child.close()
        return self.child.exitstatus if self.child.exitstatus is not None else -self.child.signalstatus

    def _wait(self, condition, what: str, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"waited {seconds} s for {what}; the screen:\n{self.text}"
            self.pump(0.05)


@contextmanager
def terminal(
    *arguments: str, server: FakeServer | None = None, wire: str = "openai", env=None, ready=True, **options
):
    env = dict(env or {})
    if server is not None:
        url = server.openai_url if wire == "openai" else server.anthropic_url
        env |= {f"{wire.upper()}_API_KEY": "test-key", f"{wire.upper()}_BASE_URL": url}
    opened = Terminal(*arguments, env=env, **options)
    try:
        if ready:
            opened.until(READY)
        yield opened
    finally:
        if opened.child.isalive():
            opened.child.kill(signal.SIGKILL)
        opened.child.close()
