"""Makes any message list one that every wire accepts. For one request only: never written to the ledger."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile

import msgspec

from agent_cli import prompts
from agent_cli.context.settled import Settled
from agent_cli.context.validate import ALLOWED, CALL_ID, TOOL_NAME, is_blank, is_object
from agent_cli.core.messages import Image, Message, Part, Text, Thinking, ToolCall, ToolResult

START_ID = "start"
_Answers = dict[str, deque[tuple[int, Message, ToolResult]]]
_Taken = tuple[set[str], AbstractSet[str]]
"""Call ids used in the messages being repaired, and in front of them."""


def repair(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Every call gets exactly one result, in order, right after its message; ids are unique and allowed; blank
    parts, half calls, doubled and orphaned results are mended or dropped; the first message is the user's.

    Idempotent. Returns the very tuple it was given when nothing had to change.
    """
    return Repairer().repair(messages)


class Repairer:
    """Repairs one conversation as it grows, without looking again at steps that were sound."""

    def __init__(self) -> None:
        self._settled = Settled()

    def repair(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """As the function of that name."""
        start = self._settled.within(messages)
        rest = messages[start:]
        mended = _mended(rest, self._settled.call_ids)
        if not start and (not mended or mended[0].role != "user"):
            ts = mended[0].ts if mended else ""
            mended.insert(0, Message(START_ID, ts, "user", (Text(prompts.load("context_start")),), "loop"))
        sound = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(rest, mended, strict=False)))
        self._settled.advance(messages, start + sound)
        return messages if sound == len(rest) == len(mended) else (*messages[:start], *mended)


def _mended(messages: Sequence[Message], earlier: AbstractSet[str]) -> list[Message]:
    """`earlier` are the call ids in front of these messages."""
    answers = _answers(messages)
    reuse = _next_uses(messages)
    used: set[str] = set()
    mended: list[Message] = []
    for index, message in enumerate(messages):
        match message.role:
            case "user":
                mended.extend(_cleaned(message))
            case "assistant":
                for cleaned in _cleaned(message):
                    mended.extend(_with_results(cleaned, index, answers, reuse, (used, earlier)))
            case "tool":
                pass  # placed right after its call
    return mended


def _answers(messages: Sequence[Message]) -> _Answers:
    """All results with their place, by the call id they name, oldest first."""
    found: _Answers = defaultdict(deque)
    for index, message in enumerate(messages):
        if message.role == "assistant":
            continue
        for result in message.results:
            found[result.call_id].append((index, message, result))
    return found


def _next_uses(messages: Sequence[Message]) -> dict[str, deque[int]]:
    """Where each call id is used: a result after the second use belongs to the second call."""
    uses: dict[str, deque[int]] = defaultdict(deque)
    for index, message in enumerate(messages):
        for call in message.calls:
            uses[call.id].append(index)
    return uses


def _cleaned(message: Message) -> Iterator[Message]:
    """The message with only such parts as its role may hold; nothing when no part is left to send."""
    parts = tuple(
        part for part in message.parts if isinstance(part, ALLOWED[message.role]) and not is_blank(part)
    )
    if not any(not isinstance(part, Thinking) for part in parts):
        return
    yield message if len(parts) == len(message.parts) else msgspec.structs.replace(message, parts=parts)


def _with_results(
    message: Message, index: int, answers: _Answers, uses: dict[str, deque[int]], taken: _Taken
) -> Iterator[Message]:
    """The assistant's message, its calls made valid, followed by one tool message for each call."""
    parts: list[Part] = []
    results: list[Message] = []
    for part in message.parts:
        if not isinstance(part, ToolCall):
            parts.append(part)
            continue
        uses[part.id].popleft()
        before = uses[part.id][0] if uses[part.id] else None
        call = _valid_call(part, taken)
        parts.append(call)
        results.append(_result_of(message, part, call, _take(answers, part.id, index, before)))
    if not _same(message.parts, parts):
        message = msgspec.structs.replace(message, parts=tuple(parts))
    yield message
    yield from results


def _valid_call(call: ToolCall, taken: _Taken) -> ToolCall:
    """The call with an allowed, unused id and name and arguments that are an object; itself when it has them."""
    call_id = _free_id(call.id, taken)
    taken[0].add(call_id)
    name = call.name if TOOL_NAME.fullmatch(call.name) else _allowed(call.name) or "unknown"
    arguments = call.arguments if is_object(call.arguments) else "{}"
    if (call_id, name, arguments) == (call.id, call.name, call.arguments):
        return call
    return ToolCall(call_id, name, arguments)


def _free_id(wanted: str, taken: _Taken) -> str:
    used, earlier = taken
    base = wanted if CALL_ID.fullmatch(wanted) else _allowed(wanted) or "call"
    free, number = base, 1
    while free in used or free in earlier:
        number += 1
        free = f"{base[:56]}-{number}"
    return free


def _allowed(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "_", text)[:64]


def _take(
    answers: _Answers, call_id: str, after: int, before: int | None
) -> tuple[Message, ToolResult] | None:
    """The first result of this call; results that stand before the call, or doubled ones, are left behind."""
    queue = answers[call_id]
    while queue and queue[0][0] < after:
        queue.popleft()
    if not queue or (before is not None and before != after and queue[0][0] > before):
        return None
    _, message, result = queue.popleft()
    return message, result


def _result_of(
    caller: Message, raw: ToolCall, call: ToolCall, answer: tuple[Message, ToolResult] | None
) -> Message:
    """The tool message that answers the call: the recorded one where it is valid as it stands."""
    if answer is None:
        part = ToolResult(call.id, prompts.load("context_no_result"), is_error=True)
        return Message(f"{caller.id}-{call.id}", caller.ts, "tool", (part,), "loop")
    message, result = answer
    content = result.content if result.content.strip() else prompts.load("context_no_output")
    part = (
        result
        if (call.id, content) == (raw.id, result.content)
        else ToolResult(call.id, content, result.is_error)
    )
    first = message.results[0] is result
    images = tuple(p for p in message.parts if isinstance(p, Image) and not is_blank(p)) if first else ()
    if message.role == "tool" and _same(message.parts, (part, *images)):
        return message
    return Message(
        message.id if first else f"{message.id}-{call.id}",
        message.ts,
        "tool",
        (part, *images),
        message.origin,
    )


def _same(old: Sequence[object], new: Sequence[object]) -> bool:
    """Whether both hold the very same objects."""
    return len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True))
