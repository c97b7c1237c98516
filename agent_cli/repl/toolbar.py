"""The lines below the input: what waits, then model, modes, how full the window is, tokens and money."""

from dataclasses import dataclass

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.utils import get_cwidth

from agent_cli.render.text import one_line
from agent_cli.repl.live import fit
from agent_cli.session.opened import Opened

FULL = 0.8
"""Share of the usable window from which the meter stands out."""


@dataclass(slots=True)
class Status:
    """What the toolbar knows. `used` is in the model's own tokens; `hint` is a passing word to the user."""

    opened: Opened | None = None
    used: int = 0
    queued: int = 0
    hint: str = ""

    def fragments(self, width: int) -> StyleAndTextTuples:
        """At most two lines of at most `width` cells."""
        lines: StyleAndTextTuples = []
        if self.queued:
            lines.append(
                ("class:dim", fit(f"  {self.queued} queued · ↑ takes the last one back", width) + "\n")
            )
        if self.hint:
            return [*lines, ("class:dim", fit(f"  {self.hint}", width))]
        if self.opened is None:
            return [*lines, ("class:dim", fit("  opening …", width))]
        return lines + _cut(_items(self.opened, self.used), width)


def _items(opened: Opened, used: int) -> StyleAndTextTuples:
    engine, totals = opened.session.engine, opened.session.totals
    usable = max(1, engine.usable)
    share = used / usable
    mode = opened.permissions.mode
    items: StyleAndTextTuples = [
        ("class:dim", one_line(engine.provider.model.id)),
        ("class:dim" if mode == "ask" else "class:warn", mode),
        ("class:dim" if share < FULL else "class:warn", f"{short(used)}/{short(usable)} {share:.0%}"),
        ("class:dim", f"↑{short(totals.usage.input)} ↓{short(totals.usage.output)}"),
    ]
    if totals.cost_usd:
        items.append(("class:dim", f"${totals.cost_usd:.4f}"))
    return items


def _cut(items: StyleAndTextTuples, width: int) -> StyleAndTextTuples:
    """As many items as fit, from the left; the first one is shortened if it must be."""
    line: StyleAndTextTuples = []
    room = width - 1
    for position, (style, text, *_) in enumerate(items):
        shown = f"{'  ' if position == 0 else ' · '}{text}"
        if get_cwidth(shown) > room:
            if position == 0:
                line.append((style, fit(shown, room)))
            break
        room -= get_cwidth(shown)
        line.append((style, shown))
    return line


def short(tokens: int) -> str:
    """A number of tokens in at most five characters: 950, 12.3k, 1.2M."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 99_950:
        return f"{tokens / 1_000:.1f}k"
    return f"{tokens / 1_000:.0f}k" if tokens < 999_500 else f"{tokens / 1_000_000:.1f}M"
