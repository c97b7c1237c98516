"""The message being written: its buffer, folded pastes, and what was sent too early and comes back."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import Completer
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History

from agent_cli.render.text import clean

FOLD_LINES = 8
FOLD_CHARS = 2_000
"""A paste of more lines or characters is shown as a mark and sent whole."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A message ready to send. `shown` has marks for folded pastes; `literal`: never read as a command (C65)."""

    text: str
    shown: str
    literal: bool = False


class Compose:
    """The input line."""

    def __init__(self, completer: Completer, history: History) -> None:
        self._pastes: dict[str, str] = {}
        self._literal = False
        self.buffer = Buffer(
            multiline=True,
            completer=completer,
            history=history,
            complete_while_typing=Condition(self._completes),
            tempfile_suffix=".md",
            on_text_changed=self._changed,
        )

    @property
    def empty(self) -> bool:
        """Whether nothing is written."""
        return not self.buffer.text

    def paste(self, data: str) -> None:
        """Puts a paste at the cursor: control characters removed, long ones folded."""
        text = clean(data.replace("\r\n", "\n").replace("\r", "\n"))
        multiline = "\n" in text
        if text.count("\n") > FOLD_LINES or len(text) > FOLD_CHARS:
            lines = text.count("\n") + 1
            mark = f"[paste {len(self._pastes) + 1}: {lines:,} lines, {len(text):,} characters]"
            self._pastes[mark] = text
            text = mark
        self.buffer.insert_text(text)
        self._literal = self._literal or multiline

    def unfold(self) -> None:
        """Puts folded pastes in full, for the editor."""
        self.buffer.text = self._full()

    def take(self) -> Draft | None:
        """Empties the input and returns the message; None when there is nothing to send."""
        draft = Draft(self._full().strip("\n"), self.buffer.text.strip("\n"), self._literal)
        if not draft.text.strip():
            return None
        self.buffer.history.append_string(draft.text)
        self.clear()
        return draft

    def clear(self) -> None:
        """Empties the input."""
        self.buffer.reset()
        self._pastes.clear()
        self._literal = False

    def set_aside(self) -> Callable[[], None]:
        """Empties the input; the returned function puts everything back."""
        document, pastes, literal = self.buffer.document, dict(self._pastes), self._literal
        self.clear()

        def restore() -> None:
            self.clear()
            self._pastes.update(pastes)
            self.buffer.document = document
            self._literal = literal

        return restore

    def give_back(self, drafts: Iterable[Draft]) -> None:
        """Puts messages that were not sent before what is written now."""
        given = list(drafts)
        if not given:
            return
        now = [self._full()] if self.buffer.text else []
        literal = self._literal or any(draft.literal for draft in given)
        self.clear()
        texts = [draft.text for draft in given] + now
        for position, text in enumerate(texts):
            self._insert(text if position == 0 else f"\n{text}")
        self._literal = literal or len(texts) > 1

    def _insert(self, text: str) -> None:
        if len(text) > FOLD_CHARS:
            self.paste(text)
        else:
            self.buffer.insert_text(text)

    def _full(self) -> str:
        text = self.buffer.text
        for mark, whole in self._pastes.items():
            text = text.replace(mark, whole)
        return text

    def _changed(self, buffer: Buffer) -> None:
        if not buffer.text:
            self._literal = False

    def _completes(self) -> bool:
        return not self._literal
