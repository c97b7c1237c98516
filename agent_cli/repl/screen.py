"""The screen: finished text goes to the scrollback once; below it a small area is redrawn (C67).

One prompt_toolkit application runs for the whole session. What is printed is written in the same breath as the next
redraw, above the area that moves.
"""

import asyncio
import sys
from collections.abc import Callable

from prompt_toolkit.application import Application
from prompt_toolkit.filters import Always, Condition, Filter, has_completions
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout import ConditionalContainer, Dimension, HSplit, Layout, Window
from prompt_toolkit.layout.containers import AnyContainer
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.menus import CompletionsMenuControl
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import SearchToolbar
from rich.console import RenderableType

from agent_cli.render.paint import Painter
from agent_cli.repl.compose import Compose
from agent_cli.repl.live import FRAME_SECONDS, Live
from agent_cli.repl.menu import Choice, Menu
from agent_cli.repl.terminal import TerminalInput, TerminalOutput

ESCAPE_SECONDS = 0.05
COMPLETIONS = 8
PROMPT = "› "
_STYLE = Style.from_dict(
    {
        "dim": "ansibrightblack",
        "prompt": "bold",
        "chosen": "bold",
        "warn": "ansiyellow",
        "completion-menu": "bg:default",
        "completion-menu.completion": "bg:default fg:default",
        "completion-menu.completion.current": "bg:default fg:default bold noreverse",
        "completion-menu.meta.completion": "bg:default fg:ansibrightblack",
        "completion-menu.meta.completion.current": "bg:default fg:ansibrightblack",
    }
)


class Screen:
    """Prints, draws, and asks. `below` gives the lines under the input for a width in cells."""

    def __init__(
        self,
        compose: Compose,
        below: Callable[[int], StyleAndTextTuples],
        *,
        colour: bool,
        plain: bool = False,
    ) -> None:
        self.live = Live()
        self.menu: Menu | None = None
        self.compose = compose
        self.painter = Painter(colour=colour)
        self.input = TerminalInput(sys.stdin)
        output = TerminalOutput.from_pty(sys.stdout)
        assert isinstance(output, TerminalOutput)
        self.output = output
        self.app: Application[int] = Application(
            layout=self._layout(below),
            style=_STYLE,
            color_depth=ColorDepth.DEPTH_4_BIT if colour else ColorDepth.DEPTH_1_BIT,
            input=self.input,
            output=self.output,
            erase_when_done=True,
            before_render=self._write_printed,
        )
        self.app.ttimeoutlen = ESCAPE_SECONDS
        self.app.timeoutlen = ESCAPE_SECONDS * 10
        self.app.key_processor.before_key_press += self._key_pressed
        self.events = 0
        """How many events have been shown."""
        self._printed: list[str] = []
        self._last_kind = ""
        self._line: asyncio.Future[str | None] | None = None
        self._label = PROMPT
        self._animation: asyncio.Task[None] | None = None

    @property
    def width(self) -> int:
        """Cells of a line."""
        return self.output.get_size().columns

    def print(self, renderable: RenderableType, kind: str = "text") -> None:
        """Adds to the scrollback. Items of one kind stand together; text and a change of kind get a blank line."""
        text = self.painter.ansi(renderable, self.width)
        apart = self._last_kind and (kind == "text" or kind != self._last_kind)
        self._last_kind = kind
        self._printed.append(f"\n{text}\n" if apart else f"{text}\n")
        self.app.invalidate()

    def begin(self, activity: str) -> None:
        """Shows what is going on, with a spinner and seconds, until `rest`."""
        self.live.begin(activity)
        if self._animation is None or self._animation.done():
            self._animation = asyncio.get_running_loop().create_task(self._animate())

    def rest(self) -> None:
        """Nothing is going on: nothing moves any more."""
        self.live.clear()
        self.app.invalidate()

    def refresh(self) -> None:
        """Something that is drawn has changed."""
        self.app.invalidate()

    async def choose(self, title: str, choices: tuple[Choice, ...], *, guarded: bool = False) -> str | None:
        """Lets the user choose; None: they did not."""
        menu = Menu(title, choices, asyncio.get_running_loop().create_future(), guarded)
        self.menu = menu
        waiting = asyncio.get_running_loop().create_task(self._redraw_when_quiet()) if guarded else None
        self.app.invalidate()
        try:
            return await menu.answer
        finally:
            self.menu = None
            if waiting:
                waiting.cancel()
            self.app.invalidate()

    async def ask_line(self, label: str) -> str | None:
        """Asks for a line; what was being written comes back afterwards. None: the user went back."""
        restore = self.compose.set_aside()
        self._label = label
        self._line = asyncio.get_running_loop().create_future()
        self.app.invalidate()
        try:
            return await self._line
        finally:
            self._label, self._line = PROMPT, None
            restore()

    @property
    def asks_line(self) -> bool:
        """Whether the input is an answer, not a message."""
        return self._line is not None

    def answer_line(self, text: str | None) -> None:
        """Gives what was asked for."""
        if self._line is not None and not self._line.done():
            self._line.set_result(text)

    def leave(self, code: int) -> None:
        """Ends the application; the first code given stays."""
        if self.app.is_running and self.app.future is not None and not self.app.future.done():
            self.app.exit(result=code)

    def _layout(self, below: Callable[[int], StyleAndTextTuples]) -> Layout:
        search = SearchToolbar()
        control = BufferControl(
            self.compose.buffer, search_buffer_control=search.control, preview_search=True
        )
        written = Window(
            control,
            height=lambda: Dimension(min=1, max=max(1, self.output.get_size().rows // 3)),
            get_line_prefix=self._prefix,
            wrap_lines=True,
            dont_extend_height=True,
        )
        completions = Window(
            CompletionsMenuControl(),
            height=Dimension(min=1, max=COMPLETIONS),
            dont_extend_width=True,
            style="class:completion-menu",
        )
        parts: list[AnyContainer] = [
            _drawn(self._live, Condition(lambda: bool(self.live.activity) and self.menu is None)),
            Window(height=1),
            _drawn(self._menu, Condition(lambda: self.menu is not None)),
            written,
            ConditionalContainer(completions, has_completions),
            search,
            _drawn(lambda: below(self.width), Always()),
        ]
        return Layout(HSplit(parts), focused_element=written)

    def _live(self) -> StyleAndTextTuples:
        return self.live.fragments(self.width, self.output.get_size().rows)

    def _menu(self) -> StyleAndTextTuples:
        return self.menu.fragments(self.width) if self.menu else []

    def _prefix(self, line: int, wrapped: int) -> StyleAndTextTuples:
        first = line == 0 and wrapped == 0
        return [("class:prompt", self._label if first else " " * len(self._label))]

    def _write_printed(self, app: Application[int]) -> None:
        if not self._printed:
            return
        text, self._printed = "".join(self._printed), []
        with self.output.held():
            app.renderer.erase()
            self.output.write_raw(text.replace("\n", "\r\n"))

    def _key_pressed(self, _: object) -> None:
        if self.menu is not None:
            self.menu.touch()

    async def _animate(self) -> None:
        while self.live.activity:
            self.app.invalidate()
            await asyncio.sleep(FRAME_SECONDS)

    async def _redraw_when_quiet(self) -> None:
        """The moment from which a question listens is shown."""
        while self.menu is not None and not self.menu.listening:  # noqa: ASYNC110 - every key moves the moment
            await asyncio.sleep(FRAME_SECONDS)
        self.app.invalidate()


def _drawn(fragments: Callable[[], StyleAndTextTuples], when: Filter) -> AnyContainer:
    window = Window(FormattedTextControl(fragments), dont_extend_height=True, wrap_lines=False)
    return ConditionalContainer(window, when)
