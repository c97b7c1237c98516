"""What a provider would refuse in a message list: the rules of both wires together (C18)."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

import msgspec

from agent_cli.context.settled import Settled
from agent_cli.core.messages import Image, Message, Part, Text, Thinking, ToolCall, ToolResult

CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
ALLOWED: dict[str, tuple[type, ...]] = {
    "user": (Text, Image),
    "assistant": (Text, Thinking, ToolCall),
    "tool": (ToolResult, Image),
}


def problems(messages: Sequence[Message]) -> tuple[str, ...]:
    """What is wrong with the list, each naming a message id; empty when every wire accepts it."""
    return Checker().problems(tuple(messages))


class Checker:
    """Checks one conversation as it grows, without looking again at steps it has found sound."""

    def __init__(self) -> None:
        self._settled = Settled()

    def problems(self, messages: tuple[Message, ...]) -> tuple[str, ...]:
        """As the function of that name."""
        found = tuple(_problems(messages, self._settled.within(messages), self._settled.call_ids))
        if not found:
            self._settled.advance(messages, len(messages))
        return found


def _problems(messages: Sequence[Message], start: int, earlier: AbstractSet[str]) -> Iterator[str]:
    """`earlier` are the ids of the calls in front of `start`."""
    if not messages or messages[0].role != "user":
        yield "the list does not start with a user message"
    used: set[str] = set()
    for index in range(start, len(messages)):
        message = messages[index]
        yield from _of_parts(message)
        for call in message.calls:
            yield from _of_call(message, call, used, earlier)
        if message.role == "assistant":
            yield from _of_answers(message, messages, index)
        if message.role == "tool" and not _has_caller(messages, index):
            yield f"{message.id}: a result without a call before it"


def _of_parts(message: Message) -> Iterator[str]:
    if not any(not isinstance(part, Thinking) for part in message.parts):
        yield f"{message.id}: nothing to send in this {message.role} message"
    for part in message.parts:
        if not isinstance(part, ALLOWED[message.role]):
            yield f"{message.id}: a {message.role} message holds a {type(part).__name__}"
        if is_blank(part):
            yield f"{message.id}: a blank {type(part).__name__}"
    if message.role == "tool" and len(message.results) != 1:
        yield f"{message.id}: a tool message holds {len(message.results)} results"


def _of_call(message: Message, call: ToolCall, used: set[str], earlier: AbstractSet[str]) -> Iterator[str]:
    if not CALL_ID.fullmatch(call.id):
        yield f"{message.id}: the call id {call.id!r} is not allowed"
    if call.id in used or call.id in earlier:
        yield f"{message.id}: the call id {call.id!r} is used twice"
    used.add(call.id)
    if not TOOL_NAME.fullmatch(call.name):
        yield f"{message.id}: the tool name {call.name!r} is not allowed"
    if not is_object(call.arguments):
        yield f"{message.id}: the arguments of {call.id!r} are not a JSON object"


def _of_answers(message: Message, messages: Sequence[Message], index: int) -> Iterator[str]:
    answered = [result.call_id for result in _results_after(messages, index)]
    called = [call.id for call in message.calls]
    if answered != called:
        yield f"{message.id}: the calls {called} are answered by {answered}"


def _results_after(messages: Sequence[Message], index: int) -> Iterator[ToolResult]:
    index += 1
    while index < len(messages) and messages[index].role == "tool":
        yield from messages[index].results
        index += 1


def _has_caller(messages: Sequence[Message], index: int) -> bool:
    while index >= 0 and messages[index].role == "tool":
        index -= 1
    return index >= 0 and messages[index].role == "assistant"


def is_blank(part: Part) -> bool:
    """Whether the part carries nothing that a wire would accept."""
    match part:
        case Text(text):
            return not text.strip()
        case Thinking(text, signature, data):
            return not (text.strip() or signature or data)
        case ToolResult(_, content):
            return not content.strip()
        case Image(_, data):
            return not data
        case ToolCall():
            return False


@lru_cache(maxsize=8192)
def is_object(arguments: str) -> bool:
    """Whether a call's argument text is a JSON object."""
    try:
        return isinstance(msgspec.json.decode(arguments), dict)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return False
