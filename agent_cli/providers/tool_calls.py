"""Tool calls out of streamed pieces, however a server numbers, names and cuts them (C27)."""

import json
from dataclasses import dataclass, field
from typing import Any

from agent_cli.core.events import CallDelta
from agent_cli.core.messages import ToolCall
from agent_cli.providers.portable import FreshIds, is_json


@dataclass(slots=True, eq=False)
class _Draft:
    """A call in the making: its pieces of argument text as they came."""

    index: int | None
    id: str = ""
    name: str = ""
    pieces: list[str] = field(default_factory=list)

    def arguments(self) -> str:
        """The pieces joined; where that is no JSON and each piece repeats the one before, the last piece."""
        joined = "".join(self.pieces)
        if len(self.pieces) < 2 or is_json(joined):
            return joined
        pairs = zip(self.pieces, self.pieces[1:], strict=False)
        cumulative = all(later.startswith(earlier) for earlier, later in pairs)
        return self.pieces[-1] if cumulative else joined

    def whole(self) -> bool:
        """Whether the arguments are complete; none at all may mean a call without arguments."""
        text = self.arguments()
        return not text.strip() or is_json(text)


class CallAssembly:
    """Collects the pieces of all calls of one answer: by index, else by id, else by position."""

    def __init__(self) -> None:
        self._drafts: list[_Draft] = []

    def feed(self, pieces: object) -> list[CallDelta]:
        """Takes the `tool_calls` list of one chunk."""
        if not isinstance(pieces, list):
            return []
        alone = len(pieces) == 1
        return [
            made
            for position, piece in enumerate(pieces)
            if isinstance(piece, dict)
            and (made := self._piece(piece, None if alone else position)) is not None
        ]

    def calls(self, ids: FreshIds) -> tuple[ToolCall, ...]:
        """The calls as received, each with an id of its own; empty arguments are `{}`."""
        drafts = [draft for draft in self._drafts if draft.name or draft.arguments().strip()]
        return tuple(
            ToolCall(ids.give(position, draft.id), draft.name, draft.arguments().strip() or "{}")
            for position, draft in enumerate(drafts)
        )

    def _piece(self, piece: dict[str, Any], position: int | None) -> CallDelta | None:
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        given, name, text = (
            _text(piece.get("id")),
            _text(function.get("name")),
            _arguments(function.get("arguments")),
        )
        index = piece.get("index")
        index = index if isinstance(index, int) else None
        draft = self._find(index, given, position)
        if draft is None or _is_new(draft, index, given, name, text):
            if not (given or name or text):
                return None
            # Arguments that begin again without a name belong to a second call of the same tool.
            inherited = draft.name if draft and given in ("", draft.id) else ""
            draft = _Draft(index, name=name or inherited)
            self._drafts.append(draft)
        draft.id = draft.id or given
        draft.name = draft.name or name
        if text:
            draft.pieces.append(text)
        return CallDelta(self._drafts.index(draft), draft.name, sum(map(len, draft.pieces)))

    def _find(self, index: int | None, given: str, position: int | None) -> _Draft | None:
        if index is not None:
            found = [draft for draft in self._drafts if draft.index == index]
            same = [
                draft
                for draft in self._drafts
                if given and draft.id == given and draft.index in (index, None)
            ]
            return (same or found or [None])[-1]
        if given:
            same = [draft for draft in self._drafts if draft.id == given]
            return (same or self._drafts[-1:] or [None])[-1]
        if position is not None:
            return self._drafts[position] if position < len(self._drafts) else None
        return self._drafts[-1] if self._drafts else None


def _is_new(draft: _Draft, index: int | None, given: str, name: str, text: str) -> bool:
    """Whether a piece that points at this call begins another one: a new id, or a name or arguments that begin
    again after complete JSON, and no mere repetition."""
    started = bool(draft.pieces)
    if given and draft.id and given != draft.id:
        return bool(name) or (started and draft.whole())
    if name and draft.name and name != draft.name:
        return draft.whole()
    begins = text.lstrip().startswith("{") or (bool(name) and not text)
    if not started or not begins or not draft.whole():
        return False
    if given and given == draft.id:
        return bool(text) and not text.startswith(draft.pieces[-1])
    return text != draft.arguments() or index is None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _arguments(value: object) -> str:
    """Argument text; some servers send the object itself."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)
