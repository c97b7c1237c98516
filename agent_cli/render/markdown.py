"""Blocks of an answer as rich renderables. What Markdown would hide stays visible."""

from collections.abc import Callable
from functools import cache

from rich.console import RenderableType
from rich.padding import Padding

from agent_cli.render.blocks import Block, Code, Prose
from agent_cli.render.text import clean

_HIDING = ["escape", "reference", "html_block", "html_inline"]
"""Rules of Markdown that make written characters vanish: backslashes, link definitions, tags (C63)."""


def rendered(block: Block) -> RenderableType:
    """The block, ready to print."""
    match block:
        case Prose(text):
            return _markdown()(clean(text))
        case Code(text, language):
            return Padding(_highlighted(clean(text), language), (0, 0, 0, 2))


def _highlighted(text: str, language: str) -> RenderableType:
    from rich.syntax import Syntax  # noqa: PLC0415 - brings in pygments, which the first prompt does not need

    return Syntax(
        text, language or "text", theme="ansi_dark", background_color="default", word_wrap=True, tab_size=4
    )


@cache
def _markdown() -> Callable[[str], RenderableType]:
    # Slow to import, and not needed before the first answer.
    from rich.markdown import Heading, Markdown, MarkdownIt  # noqa: PLC0415  # pyright: ignore[reportPrivateImportUsage]

    parser = MarkdownIt().enable("strikethrough").enable("table").disable(_HIDING)

    class LeftHeading(Heading):
        def __rich_console__(self, console, options):
            self.text.justify = "left"
            yield self.text

    class Answer(Markdown):
        elements = {**Markdown.elements, "heading_open": LeftHeading}  # noqa: RUF012

    def made(text: str) -> RenderableType:
        markdown = Answer("", code_theme="ansi_dark", hyperlinks=False)
        markdown.parsed = parser.parse(text)
        return markdown

    return made
