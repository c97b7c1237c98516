"""The front end where the cursor cannot be moved (TERM=dumb): lines in, lines out, no escape codes (C64)."""

import asyncio
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

from rich.console import RenderableType
from rich.text import Text

from agent_cli.render.paint import Painter
from agent_cli.repl.live import Live
from agent_cli.repl.menu import QUIET_SECONDS, Choice
from agent_cli.repl.surface import SAID

PROMPT = "> "


class PlainScreen:
    """Prints at once. A line answers the open question if it came after a pause, else `on_line` gets it."""

    def __init__(self) -> None:
        self.live = Live()
        self.events = 0
        self.code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.on_line: Callable[[str], None] = lambda _: None
        self.on_interrupt: Callable[[], object] = lambda: None
        self._painter = Painter(plain=True)
        self._last_kind = ""
        self._asked: asyncio.Future[str | None] | None = None
        self._asked_at = 0.0

    def print(self, renderable: RenderableType, kind: str = "text") -> None:
        """Writes it, apart from what is of another kind."""
        if kind == SAID:
            return
        text = self._painter.ansi(renderable, shutil.get_terminal_size().columns)
        apart = self._last_kind and (kind == "text" or kind != self._last_kind)
        self._last_kind = kind
        self._write(f"\n{text}\n" if apart else f"{text}\n")

    def begin(self, activity: str) -> None:
        """A plain terminal shows only what has happened."""
        self.live.begin(activity)

    def rest(self) -> None:
        """Asks for the next message."""
        self.live.clear()
        self._write(f"\n{PROMPT}")

    def refresh(self) -> None:
        """Nothing is drawn, so nothing changes."""

    async def choose(self, title: str, choices: tuple[Choice, ...], *, guarded: bool = False) -> str | None:
        """Lists the choices and takes a line with a number or a letter; anything else is no choice."""
        lines = [
            f"  {number}  {f'{choice.letter}  ' if choice.letter else ''}{choice.label}"
            for number, choice in enumerate(choices, 1)
        ]
        self.print(Text("\n".join([title, *lines])))
        told = (await self.ask_line(PROMPT) or "").strip().lower()
        chosen = (c for n, c in enumerate(choices, 1) if told and told in (c.letter, str(n)))
        return next((choice.value for choice in chosen), None)

    async def ask_line(self, label: str) -> str | None:
        """Asks for a line."""
        loop = asyncio.get_running_loop()
        self._write(label)
        self._asked, self._asked_at = loop.create_future(), loop.time()
        try:
            return await self._asked
        finally:
            self._asked = None

    def leave(self, code: int) -> None:
        """Ends the front end."""
        if not self.code.done():
            self.code.set_result(code)

    def listen(self) -> None:
        """Begins to read lines, in a thread that does not hold up the end."""
        loop = asyncio.get_running_loop()

        def read() -> None:
            with suppress(RuntimeError):  # the loop may be closed by then
                for line in sys.stdin:
                    loop.call_soon_threadsafe(self._line, line.rstrip("\r\n"))
                loop.call_soon_threadsafe(self.leave, 0)

        threading.Thread(target=read, daemon=True).start()
        loop.add_signal_handler(signal.SIGINT, self.on_interrupt)

    def _line(self, line: str) -> None:
        asked = self._asked
        late = asyncio.get_running_loop().time() - self._asked_at >= QUIET_SECONDS
        if asked is not None and not asked.done() and late:
            asked.set_result(line)
        elif line.strip():
            self.on_line(line)
        elif not self.live.activity:
            self._write(PROMPT)

    def _write(self, text: str) -> None:
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except (OSError, ValueError):
            self.leave(129)
