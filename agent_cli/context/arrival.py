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
"""Even when a step's results have used up their share, a result may have this many tokens."""
COUNTED_CHARS = 400_000
"""Longer texts are not counted through: their size is given from a sample."""


def admit(
    output: ToolOutput, name: str, *, limit: int, count: Count, offload: Callable[[str, str], str]
) -> str:
    """The content that enters the ledger, at most about `limit` o200k tokens. What is cut is kept whole by
    `offload` (name, text → path), and the result says its real size and where to read on."""
    text = clean(output.content)
    limit = max(limit, LEAST)
    most = min(limit, SHELL_LIMIT) if output.kind == "shell" else limit
    if fits(text, most, count):
        return text
    end = min(SHELL_END, most // 2) if output.kind == "shell" else most // 2
    return ends(text, end, end, count, note=_note(text, count, offload(name, text)))


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
