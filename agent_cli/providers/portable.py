"""What every wire needs: portable names and ids, argument objects, text that can be sent. All pure and
deterministic, so that the bytes of a conversation's beginning stay the same from request to request."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NoReturn

from agent_cli.core.messages import Message, ToolCall, ToolResult

MAX_ID = 40
"""Characters of a tool-call id: the shortest limit among the wires (Chat Completions refuses longer ones)."""
MAX_NAME = 64
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")
_PORTABLE = re.compile(r"[A-Za-z0-9_-]+")


def clean(text: str) -> str:
    """Returns the text with lone surrogates replaced: UTF-8 has no bytes for them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def shown(text: str, placeholder: str) -> str:
    """Returns the text, or the placeholder where it is blank: servers refuse blank blocks (C29)."""
    return clean(text) if text.strip() else placeholder


def portable_name(name: str) -> str:
    """Returns a tool name that every wire accepts."""
    return _FOREIGN.sub("_", name)[:MAX_NAME] or "unknown"


class CallIds:
    """Translates the tool-call ids of one request into the alphabet all wires share, each used once (C32).

    Feed it calls and results in the order of the messages.
    """

    def __init__(self) -> None:
        self._wire: dict[str, str] = {}
        self._taken: set[str] = set()

    def call(self, call: ToolCall) -> str:
        """Returns the wire id of a call; an id that was used before gets a new one."""
        wire, repeat = _portable_id(call.id), 1
        while wire in self._taken:
            repeat += 1
            wire = _hashed(call.id, repeat)
        self._taken.add(wire)
        self._wire[call.id] = wire
        return wire

    def result(self, result: ToolResult) -> str:
        """Returns the wire id of the latest call this result can belong to."""
        return self._wire.get(result.call_id) or _portable_id(result.call_id)


def _portable_id(original: str) -> str:
    if len(original) <= MAX_ID and _PORTABLE.fullmatch(original):
        return original
    return _hashed(original, 1)


def _hashed(original: str, repeat: int) -> str:
    digest = hashlib.sha256(f"{repeat}:{original}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{_FOREIGN.sub('_', original)[: MAX_ID - 13] or 'call'}_{digest}"


class FreshIds:
    """Gives each received call an id that is not empty and not used before in this conversation (C26).

    The ids it makes up depend only on the request and the call's position, and differ from request to request.
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self._taken = {call.id for message in messages for call in message.calls}
        self._seed = f"{len(messages)}:{messages[-1].id if messages else ''}"

    def give(self, position: int, proposed: str) -> str:
        """Returns the proposed id if it can be used, else one made from the position."""
        chosen = proposed
        if not chosen.strip() or chosen in self._taken:
            digest = hashlib.sha256(f"{self._seed}:{position}".encode()).hexdigest()[:16]
            chosen = f"call_{position}_{digest}"
        self._taken.add(chosen)
        return chosen


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


@lru_cache(maxsize=4096)
def as_object(arguments: str) -> dict[str, object]:
    """Returns a call's arguments as the object the wires demand: the same one each time, not to be changed.

    Text that is no JSON object is sent whole under `_raw`, so that the model sees what it wrote.
    """
    if not arguments.strip():
        return {}
    try:
        parsed = json.loads(arguments, parse_constant=_refuse)
        json.dumps(parsed, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return {"_raw": clean(arguments)}
    return parsed if isinstance(parsed, dict) else {"_raw": clean(arguments)}


@lru_cache(maxsize=4096)
def as_json(arguments: str) -> str:
    """Returns the arguments as JSON text of an object: the model's own bytes wherever they are one."""
    value = as_object(arguments)
    if value and "_raw" not in value:
        return clean(arguments)
    return json.dumps(value, ensure_ascii=False)


def is_json(text: str) -> bool:
    """Whether the text is one complete JSON value."""
    if not text.rstrip().endswith(("}", "]", '"')):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def whole(numbers: Iterable[object]) -> int:
    """Returns the first of the values that is a count, else 0: servers leave counts out or send null."""
    return next((value for value in numbers if isinstance(value, int) and not isinstance(value, bool)), 0)
