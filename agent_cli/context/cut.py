"""Where history may be cut without parting a tool call from its result (K3)."""

from collections.abc import Sequence

from agent_cli.core.messages import Message


def find_safe_cut(messages: Sequence[Message], keep_recent: int) -> int:
    """The index to cut at so that about `keep_recent` messages stay: it walks back until no tool result would lose
    its call (K3). 0 means that there is no safe cut, or no need of one. `messages` are repaired ones."""
    if keep_recent >= len(messages):
        return 0
    cut = len(messages) - keep_recent
    while cut > 0 and not is_safe(messages, cut):
        cut -= 1
    return cut


def is_safe(messages: Sequence[Message], cut: int) -> bool:
    """Whether cutting before `messages[cut]` keeps every call with its result."""
    return cut == len(messages) or messages[cut].role != "tool"


def next_safe_cut(messages: Sequence[Message], index: int) -> int:
    """The first safe cut at or after `index`: what a budget needs, since walking back would keep too much."""
    while index < len(messages) and not is_safe(messages, index):
        index += 1
    return index
