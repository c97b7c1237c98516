"""The terminal: input that knows pastes and bursts, output that survives the loss of its reader."""

import codecs
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.output.vt100 import Vt100_Output

CHUNK_BYTES = 65_536
PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"
_KEPT = len(PASTE_END) - 1


class TerminalInput(Vt100Input):
    """Reads large pastes in linear time, and takes a hung-up terminal for what it is: closed (C50, C65).

    `burst`: the keys read last came together, as no person presses them.
    """

    def __init__(self, stdin: TextIO) -> None:
        super().__init__(stdin)
        self.burst = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._paste: list[str] | None = None
        self._rest = ""
        """The last characters inside a paste: they may begin its end mark."""

    def read_keys(self) -> list[KeyPress]:
        """The keys that have arrived; a paste is one key."""
        self._feed(self._read())
        keys, self._buffer = self._buffer, []
        self.burst = len(keys) > 1
        return keys

    def _read(self) -> str:
        try:
            data = os.read(self.fileno(), CHUNK_BYTES)
        except (BlockingIOError, InterruptedError):
            return ""
        except OSError:
            data = b""
        self.stdin_reader.closed = not data
        return self._decoder.decode(data)

    def _feed(self, data: str) -> None:
        while data:
            data = self._keys(data) if self._paste is None else self._pasted(self._paste, data)

    def _keys(self, data: str) -> str:
        before, mark, after = data.partition(PASTE_START)
        self.vt100_parser.feed(before)
        if mark:
            self._paste = []
        return after

    def _pasted(self, pieces: list[str], data: str) -> str:
        inside, mark, after = (self._rest + data).partition(PASTE_END)
        if not mark:
            pieces.append(inside[:-_KEPT])
            self._rest = inside[-_KEPT:]
            return ""
        self._buffer.append(KeyPress(Keys.BracketedPaste, "".join([*pieces, inside])))
        self._paste, self._rest = None, ""
        return after


class TerminalOutput(Vt100_Output):
    """Writes each redraw in one piece. `on_lost` is called once when nothing can be written any more."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.on_lost: Callable[[], None] | None = None
        self.lost = False
        self._holding = False

    @property
    def responds_to_cpr(self) -> bool:
        """Never asked where the cursor is: the answer would come between the user's keys."""
        return False

    def disable_bracketed_paste(self) -> None:
        """Stays on between redraws, or a paste might arrive without its marks; `close` switches it off."""

    def close(self) -> None:
        """Gives the terminal back."""
        super().disable_bracketed_paste()
        self.flush()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps what is flushed inside, so that it is written together with what follows."""
        self._holding = True
        try:
            yield
        finally:
            self._holding = False

    def flush(self) -> None:
        """Writes; a terminal that is gone is noted, not raised."""
        if self._holding or self.lost:
            return
        try:
            super().flush()
        except (OSError, ValueError):
            self.lost = True
            _silence(sys.stdout)
            if self.on_lost:
                self.on_lost()


def _silence(stream: TextIO) -> None:
    """Python flushes its streams at exit; a closed terminal would make that fail loudly."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
