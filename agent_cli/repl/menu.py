"""A choice among lines, by arrows and Enter, numbers, or letters."""

import asyncio
import time
from dataclasses import dataclass, field

from prompt_toolkit.formatted_text import StyleAndTextTuples

from agent_cli.render.text import one_line

SHOWN = 9
QUIET_SECONDS = 0.5
"""A question takes its answer only after this long without any key: what was typed for the input never answers it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A line to choose; `letter` chooses it at once."""

    value: str
    label: str
    letter: str = ""


@dataclass(slots=True)
class Menu:
    """`guarded`: keys that were meant for something else must not answer it (C65)."""

    title: str
    choices: tuple[Choice, ...]
    answer: asyncio.Future[str | None]
    guarded: bool = False
    at: int = 0
    touched: float = field(default_factory=time.monotonic)
    armed: bool = False

    def touch(self) -> None:
        """A key was pressed: it counts when it comes after a pause."""
        now = time.monotonic()
        self.armed = self.armed or not self.guarded or now - self.touched >= QUIET_SECONDS
        self.touched = now

    @property
    def listening(self) -> bool:
        """Whether the next key would count."""
        return self.armed or not self.guarded or time.monotonic() - self.touched >= QUIET_SECONDS

    def move(self, by: int) -> None:
        """Goes up or down, around the ends."""
        self.at = (self.at + by) % len(self.choices)

    def press(self, key: str) -> None:
        """A letter answers, a number goes to its line; anything else is passed over."""
        for choice in self.choices:
            if choice.letter and choice.letter == key.lower():
                self.give(choice.value)
                return
        if key.isdecimal() and 1 <= int(key) <= min(SHOWN, len(self.choices)):
            self.at = self._first + int(key) - 1

    def accept(self) -> None:
        """Answers with the line it is on."""
        self.give(self.choices[self.at].value)

    def give(self, value: str | None) -> None:
        """Answers; None: no choice was made."""
        if not self.answer.done():
            self.answer.set_result(value)

    @property
    def _first(self) -> int:
        """The first visible line."""
        return min(max(0, self.at - SHOWN // 2), max(0, len(self.choices) - SHOWN))

    def fragments(self, width: int) -> StyleAndTextTuples:
        """What to draw."""
        lines: StyleAndTextTuples = [("bold", f" {self.title}\n")] if self.title else []
        visible = self.choices[self._first : self._first + SHOWN]
        for number, choice in enumerate(visible, 1):
            chosen = self.choices[self.at] is choice
            letter = f"{choice.letter}  " if choice.letter else ""
            line = f" {'›' if chosen else ' '} {number}  {letter}{one_line(choice.label)}"
            style = "class:chosen" if chosen and self.listening else "" if self.listening else "class:dim"
            lines.append((style, f"{line[: width - 1]}\n"))
        left = len(self.choices) - len(visible)
        more = f" · {left} more" if left else ""
        hint = (
            f"   ↑↓ and Enter · Esc {'stops' if self.guarded else 'goes back'}{more}"
            if self.listening
            else "   after a short pause in typing"
        )
        lines.append(("class:dim", hint[: width - 1]))
        return lines
