"""What stays in the view when the rest leaves it."""

from collections.abc import Callable, Iterable

import msgspec

from agent_cli.context.cut import find_safe_cut, next_safe_cut
from agent_cli.context.view import pending_in, split
from agent_cli.core.messages import Message

Size = Callable[[Iterable[Message]], int]
"""Tokens of messages, in the model's own count."""


class Plan(msgspec.Struct, frozen=True):
    """A division of the view. `first_kept` is the id of the first message that stays by its place; the pending
    user message stays in any case and is part of `kept`."""

    first_kept: str
    kept: tuple[Message, ...]
    left: tuple[Message, ...]


def half_cut(messages: tuple[Message, ...], *, room: int, size: Size) -> int:
    """The safe cut from which the newest messages, the pending one included, fit `room` own tokens (K5). It may
    fall inside a turn. At most the number of messages: then only the pending message stays."""
    pending = pending_in(messages)
    room -= size([pending]) if pending else 0
    cut = len(messages)
    for message in reversed(messages):
        room -= size([message]) if message is not pending else 0
        if room < 0:
            break
        cut -= 1
    return next_safe_cut(messages, cut)


def plan(messages: tuple[Message, ...], cut: int) -> Plan | None:
    """The division at a safe cut. None: nothing would leave. A cut at the end keeps the pending message alone (J3)."""
    first_kept = messages[cut].id if cut < len(messages) else ""
    kept, left = split(messages, first_kept)
    return Plan(first_kept, kept, left) if left else None


def unseen(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """The newest step, when its results have not been sent to the model yet: its calls and their results."""
    if not messages or messages[-1].role != "tool":
        return ()
    return messages[find_safe_cut(messages, 1) :]
