"""The small area that moves: the end of the unfinished answer, running tools, the spinner."""

import time
from dataclasses import dataclass, field

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.utils import get_cwidth

from agent_cli.render.text import clean, one_line

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAME_SECONDS = 0.1
MOST_LINES = 6
PROGRESS_LINES = 3


@dataclass(slots=True)
class Running:
    """A tool at work; `output` is its newest output."""

    name: str
    title: str
    since: float = field(default_factory=time.monotonic)
    output: str = ""


@dataclass(slots=True)
class Live:
    """What is going on now. Without an `activity` nothing is drawn and nothing moves."""

    activity: str = ""
    since: float = 0.0
    pending: str = ""
    thought: str = ""
    tools: dict[str, Running] = field(default_factory=dict)

    def begin(self, activity: str) -> None:
        """Something new is going on; the seconds count from the start of the work."""
        if not self.activity:
            self.since = time.monotonic()
        self.activity = activity

    def clear(self) -> None:
        """Nothing is going on."""
        self.activity = self.pending = self.thought = ""
        self.tools.clear()

    def fragments(self, width: int, rows: int) -> StyleAndTextTuples:
        """What to draw, at most a third of the terminal's rows."""
        if not self.activity:
            return []
        room = min(MOST_LINES, max(1, rows // 3))
        lines: StyleAndTextTuples = [("", f"{line}\n") for line in tail(self.pending, width, room)]
        if self.thought and not self.pending:
            lines += [("class:dim", f"{line}\n") for line in tail(self.thought, width, 2)]
        for running in self.tools.values():
            lines += self._tool(running, width)
        lines.append(("class:dim", self._spinner(width)))
        return lines

    def _tool(self, running: Running, width: int) -> StyleAndTextTuples:
        head = fit(f"○ {one_line(running.name)} {one_line(running.title)}", width)
        output = tail(running.output.rstrip("\n"), width - 2, PROGRESS_LINES) if running.output else []
        return [("", f"{head}\n"), *(("class:dim", f"  {line}\n") for line in output)]

    def _spinner(self, width: int) -> str:
        now = time.monotonic()
        frame = FRAMES[int(now / FRAME_SECONDS) % len(FRAMES)]
        return fit(f"{frame} {self.activity} {now - self.since:.0f} s · Esc stops", width)


def fit(text: str, width: int) -> str:
    """The text cut to fewer than `width` cells."""
    if get_cwidth(text) < width:
        return text
    used, kept = 0, []
    for char in text:
        used += get_cwidth(char)
        if used >= width - 1:
            break
        kept.append(char)
    return "".join(kept) + "…"


def tail(text: str, width: int, most: int) -> list[str]:
    """The last `most` lines of the text as a terminal `width` cells wide would break them."""
    if not text:
        return []
    rows: list[str] = []
    for line in clean(text[-most * width - width :]).split("\n"):
        rows += broken(line, max(width - 1, 1))
    return rows[-most:]


def broken(line: str, width: int) -> list[str]:
    """One line broken into rows of at most `width` cells."""
    rows, row, used = [], "", 0
    for char in line:
        cells = get_cwidth(char)
        if used + cells > width and row:
            rows.append(row)
            row, used = "", 0
        row += char
        used += cells
    return [*rows, row]
