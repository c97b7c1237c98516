"""The view: what the model is shown, as a fold of the ledger."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import assert_never

import msgspec

from agent_cli import prompts
from agent_cli.context.clip import size_of
from agent_cli.context.record import Record, calls_with_results, main_argument
from agent_cli.core.entries import Clear, Compaction, Entry, Interrupt, Limit, Mode, UsageEntry
from agent_cli.core.messages import Message, Text, Thinking, ToolCall, ToolResult

TODO = "todo"


class View(msgspec.Struct, frozen=True):
    """What is visible, and the little that is carried on of what is not.

    `summary` is the text that stands in for what left; `fresh` counts the messages added since the last compaction;
    `anchor` is the last step whose usage was reported and whose request still resembles the next one.
    """

    messages: tuple[Message, ...] = ()
    summary: str = ""
    record: Record = Record()
    todo: str | None = None
    typed: Message | None = None
    """The newest visible message that the user typed."""
    anchor: UsageEntry | None = None
    limit: Limit | None = None
    mode: str = ""
    compactions: int = 0
    fresh: int = 0
    last_call: str = ""
    """When the model was last called (ISO time), for the age of its prompt cache."""

    @property
    def pending(self) -> Message | None:
        """The user's message that still waits for its final answer."""
        return None if _is_answered(self.messages) else self.typed


def pending_in(messages: Sequence[Message]) -> Message | None:
    """The newest message the user typed, unless the turn it began has ended with an answer."""
    return None if _is_answered(messages) else _newest_typed(messages)


def _is_answered(messages: Sequence[Message]) -> bool:
    """An assistant's message that says and calls nothing is no answer."""
    telling = (m for m in reversed(messages) if m.role != "assistant" or m.calls or m.text.strip())
    last = next(telling, None)
    return last is None or (last.role == "assistant" and not last.calls)


def _newest_typed(messages: Sequence[Message]) -> Message | None:
    return next((message for message in reversed(messages) if message.typed), None)


def fold_all(entries: Iterable[Entry]) -> View:
    """The view after all entries."""
    return reduce(fold, entries, View())


def fold(view: View, entry: Entry) -> View:
    """The view after one more entry. Pure: the same entries always give the same view."""
    change = msgspec.structs.replace
    match entry:
        case Message():
            return _with_message(view, entry)
        case UsageEntry():
            if entry.purpose == "summary":
                return view
            anchor = entry if entry.usage.input > 0 and entry.estimated > 0 else view.anchor
            return change(view, anchor=anchor, last_call=entry.ts)
        case Clear():
            thoughtful = without_thinking(view.messages, entry.thinking) if entry.thinking else view.messages
            return change(
                view, messages=cleared(thoughtful, entry.call_ids) if entry.call_ids else thoughtful
            )
        case Limit():
            return change(view, limit=entry)
        case Compaction():
            return _compacted(view, entry)
        case Mode():
            return change(view, mode=entry.mode)
        case Interrupt():
            return view
        case _:
            assert_never(entry)


def _with_message(view: View, message: Message) -> View:
    messages = (*view.messages, message)
    typed = message if message.typed else view.typed
    todo = _todo_in(view, message)
    return msgspec.structs.replace(view, messages=messages, typed=typed, todo=todo, fresh=view.fresh + 1)


def _todo_in(view: View, message: Message) -> str | None:
    """The todo list as the tool rendered it last."""
    for result in message.results:
        call = _call_of(view.messages, result.call_id)
        if call is not None and call.name == TODO and not result.is_error:
            return result.content
    return view.todo


def _call_of(messages: Sequence[Message], call_id: str) -> ToolCall | None:
    """The newest call with this id: a result follows its call closely, so the search is short."""
    calls = (call for message in reversed(messages) for call in message.calls)
    return next((call for call in calls if call.id == call_id), None)


def _compacted(view: View, entry: Compaction) -> View:
    kept, left = split(view.messages, entry.first_kept)
    return msgspec.structs.replace(
        view,
        messages=(*stand_in(entry), *kept),
        typed=_newest_typed(kept),
        summary=entry.summary,
        record=view.record.absorb(left),
        anchor=None,
        compactions=view.compactions + 1,
        fresh=0,
    )


def split(messages: Sequence[Message], first_kept: str) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """What stays and what leaves when history is cut before the message `first_kept` (empty: all leaves).

    The pending user message always stays; earlier stand-ins are neither: the new one replaces them.
    """
    ids = [message.id for message in messages]
    cut = ids.index(first_kept) if first_kept in ids else len(messages)
    pending = pending_in(messages)
    own = [(index, m) for index, m in enumerate(messages) if m.origin not in ("summary", "ack")]
    kept = tuple(m for index, m in own if index >= cut or m is pending)
    left = tuple(m for index, m in own if index < cut and m is not pending)
    return kept, left


def stand_in(entry: Compaction) -> tuple[Message, ...]:
    """The messages that stand for what left: the summary, with J3 also an acknowledgement."""
    if not entry.summary:
        return ()
    summary = Message(entry.id, entry.ts, "user", (Text(entry.summary),), "summary")
    if entry.keep != "minimal" or entry.layer != "SUMMARIZE":
        return (summary,)
    ack = Message(f"{entry.id}-ack", entry.ts, "assistant", (Text(prompts.load("context_ack")),), "ack")
    return (summary, ack)


def without_thinking(messages: tuple[Message, ...], last: str) -> tuple[Message, ...]:
    """The messages without the model's thinking up to the one with the id `last` (C31)."""
    end = next((at for at, message in enumerate(messages, 1) if message.id == last), 0)
    return (*map(_unthinking, messages[:end]), *messages[end:])


def has_thinking(message: Message) -> bool:
    """Whether the message holds a model's thinking."""
    return any(isinstance(part, Thinking) for part in message.parts)


def _unthinking(message: Message) -> Message:
    if not has_thinking(message):
        return message
    parts = tuple(part for part in message.parts if not isinstance(part, Thinking))
    return msgspec.structs.replace(message, parts=parts)


def cleared(messages: tuple[Message, ...], call_ids: Iterable[str]) -> tuple[Message, ...]:
    """The messages with the results of these calls replaced by placeholders (J1)."""
    wanted = frozenset(call_ids)
    notes = {r.call_id: placeholder(c, r) for c, r in calls_with_results(messages) if r.call_id in wanted}
    return tuple(_noted(message, notes) if message.role == "tool" else message for message in messages)


def _noted(message: Message, notes: dict[str, str]) -> Message:
    if not any(result.call_id in notes for result in message.results):
        return message
    results = tuple(
        ToolResult(result.call_id, notes.get(result.call_id, result.content), result.is_error)
        for result in message.results
    )
    return msgspec.structs.replace(message, parts=results)


def placeholder(call: ToolCall, result: ToolResult) -> str:
    """What stands for a cleared result: tool, main argument and size. The same bytes at every call."""
    title = f"{call.name} {main_argument(call)}".strip()
    return prompts.fill("context_cleared", call=title, size=size_of(result.content))
