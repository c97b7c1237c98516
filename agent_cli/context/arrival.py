"""What happens to a tool's output before it enters the ledger: cleaned, then capped; the whole is kept (C05)."""

from collections.abc import Callable

from agent_cli import prompts
from agent_cli.context.clip import Count, ends, fits
from agent_cli.core.tools import ToolOutput
from agent_cli.tools.text import clean

SHELL_LIMIT = 1_200
SHELL_END = 500
"""Output of programs above the first keeps its first and last tokens of the second; o200k tokens."""
LEAST = 200
"""Tokens that each result of a step can count on, however much the ones before it took; less where they are many."""
FEWEST = 40
"""A result of so few tokens is never cut: the note would be longer."""
COUNTED_CHARS = 400_000
"""Longer texts are not counted through: their size is given from a sample."""


class StepRoom:
    """What the results of one step may have together, in o200k tokens: none takes what the ones after it need."""

    def __init__(self, tokens: int, results: int) -> None:
        self._left = max(tokens, 0)
        self._results = results
        self._least = min(LEAST, self._left // max(results, 1))

    def next(self) -> int:
        """What the next result may have."""
        self._results -= 1
        return max(self._left - self._least * self._results, 0)

    def take(self, tokens: int) -> None:
        """It took so many."""
        self._left -= tokens


def admit(
    output: ToolOutput, name: str, *, limit: int, count: Count, offload: Callable[[str, str], str]
) -> str:
    """The content that enters the ledger, at most about `limit` o200k tokens, the note included. What is cut is kept whole by
    `offload` (name, text → path), and the result says its real size and where to read on."""
    text = clean(output.content)
    limit = max(limit, FEWEST)
    most = min(limit, SHELL_LIMIT) if output.kind == "shell" else limit
    if fits(text, most, count):
        return text
    note = _note(text, count, offload(name, text))
    room = max(most - count(note), 0) // 2
    end = min(SHELL_END, room) if output.kind == "shell" else room
    return ends(text, end, end, count, note=note)


def _note(text: str, count: Count, path: str) -> str:
    size = f"{_tokens(text, count):,} tokens in {text.count(chr(10)) + 1:,} lines"
    return (
        prompts.fill("context_capped", size=size, path=path)
        if path
        else prompts.fill("context_capped_unsaved", size=size)
    )


def _tokens(text: str, count: Count) -> int:
    if len(text) <= COUNTED_CHARS:
        return count(text)
    return count(text[:COUNTED_CHARS]) * len(text) // COUNTED_CHARS
