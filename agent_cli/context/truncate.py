"""Emergency truncation: the last resort when a request is too large and no summary helped (K6)."""

from typing import Literal, assert_never

import msgspec

from agent_cli.context.cut import find_safe_cut
from agent_cli.context.keep import Plan, Size, half_cut, plan
from agent_cli.context.micro import candidates
from agent_cli.core.messages import Message


class Drop(msgspec.Struct, frozen=True):
    """Messages leave the view without a model's summary; `recap` says whether the machine's notes stand for them."""

    plan: Plan
    recap: bool = True


class Shrink(msgspec.Struct, frozen=True):
    """The results of these calls become placeholders."""

    call_ids: tuple[str, ...]


Stage = Literal["oldest", "results", "all", "recap"]
STAGES: tuple[Stage, ...] = ("oldest", "results", "all", "recap")
"""Each goes further than the one before and is tried once, so that truncation always ends."""


def measure(
    stage: Stage, messages: tuple[Message, ...], *, minimum: int, room: int, size: Size
) -> Drop | Shrink | None:
    """What a stage does to the view: drop the oldest groups until the rest fits `room` own tokens, but keep
    `minimum` messages; clear every result; keep the pending user message and the notes; drop the notes too.
    None: it can do nothing."""
    match stage:
        case "oldest":
            cut = min(half_cut(messages, room=room, size=size), find_safe_cut(messages, minimum))
            found = plan(messages, cut)
            return Drop(found) if found else None
        case "results":
            ids = candidates(messages, keep=0, protected=())
            return Shrink(ids) if ids else None
        case "all":
            found = plan(messages, len(messages))
            return Drop(found) if found else None
        case "recap":
            kept = tuple(message for message in messages if message.origin not in ("summary", "ack"))
            return Drop(Plan("", kept, ()), recap=False) if len(kept) < len(messages) else None
        case _:
            assert_never(stage)
