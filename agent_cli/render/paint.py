"""Rich renderables as text for a terminal of a given width."""

import io
import re

from rich.console import Console, RenderableType
from rich.theme import Theme

LEAST_WIDTH = 10
_THEME = Theme(
    {
        "markdown.code": "cyan",
        "markdown.h1": "bold underline",
        "markdown.h2": "bold",
        "markdown.h3": "bold",
        "markdown.h4": "bold dim",
        "markdown.item.bullet": "dim",
        "markdown.item.number": "dim",
        "markdown.link": "default",
        "markdown.link_url": "cyan",
        "markdown.block_quote": "dim",
        "markdown.hr": "dim",
        "markdown.table.header": "bold",
        "markdown.table.border": "dim",
    }
)
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_TRAILING = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)


class Painter:
    """Draws in 16 colours, so that the terminal's own palette rules. `colour` False keeps bold and dim only; `plain`
    writes no escape codes at all."""

    def __init__(self, *, colour: bool = True, plain: bool = False) -> None:
        self._colour = colour
        self._plain = plain

    def ansi(self, renderable: RenderableType, width: int) -> str:
        """Returns lines of at most `width` cells, without blanks at their ends and blank lines around them."""
        console = Console(
            file=io.StringIO(),
            force_terminal=not self._plain,
            color_system=None if self._plain else "standard",
            no_color=not self._colour,
            width=max(width, LEAST_WIDTH),
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            theme=_THEME,
        )
        with console.capture() as captured:
            console.print(renderable)
        lines = _TRAILING.sub(r"\1", captured.get()).split("\n")
        while lines and _is_blank(lines[-1]):
            lines.pop()
        while lines and _is_blank(lines[0]):
            lines.pop(0)
        return "\n".join(lines)


def _is_blank(line: str) -> bool:
    return not _STYLE.sub("", line).strip()
