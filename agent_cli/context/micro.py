"""Micro-compaction: which old tool results become placeholders, and when (J1, C20, C22)."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Literal, assert_never

from agent_cli import prompts
from agent_cli.context.record import calls_with_results
from agent_cli.context.view import placeholder
from agent_cli.core.messages import Message, ToolCall, ToolResult

Policy = Literal["cache_aware", "every_call", "off"]

PROTECTED = frozenset({"todo", "plan", "skill", "ask_user", "task", "recall"})
"""Tools whose results stay: short, or still needed however old they are. Errors stay too."""
WORTHWHILE = 0.10
"""Share of usable that a clearing between compactions must free (C20)."""


def due(
    messages: Sequence[Message],
    *,
    policy: Policy,
    keep: int,
    protected: Collection[str],
    cache_lost: bool,
    worthwhile: Callable[[Collection[str]], bool],
) -> tuple[str, ...]:
    """The calls whose results are cleared before this model call; mostly none.

    `cache_lost` says that no cached prefix would be destroyed; `worthwhile` whether clearing these calls frees enough.
    """
    match policy:
        case "off":
            return ()
        case "every_call":
            return candidates(messages, keep=keep, protected=protected)
        case "cache_aware":
            if not cache_lost:
                return ()
            found = candidates(messages, keep=keep, protected=protected)
            return found if found and worthwhile(found) else ()
        case _:
            assert_never(policy)


def candidates(messages: Sequence[Message], *, keep: int, protected: Collection[str]) -> tuple[str, ...]:
    """The ids of the calls whose results may be cleared: all but the newest `keep` results, the protected ones,
    those cleared before, and those that are no longer than their placeholder."""
    pairs = list(calls_with_results(messages))
    uses = Counter(result.call_id for _, result in pairs)
    older = pairs[: len(pairs) - keep] if keep else pairs
    return tuple(
        result.call_id
        for call, result in older
        if uses[result.call_id] == 1 and call.name not in protected and _clearable(call, result)
    )


def _clearable(call: ToolCall, result: ToolResult) -> bool:
    if result.is_error or is_placeholder(result.content):
        return False
    return len(placeholder(call, result)) < len(result.content)


def is_placeholder(content: str) -> bool:
    """Whether a result has been cleared."""
    *_, ending = prompts.load("context_cleared").partition("${size}")
    return content.startswith("[") and content.endswith(ending)
