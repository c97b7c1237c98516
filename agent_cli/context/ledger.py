"""The ledger: all that happened in a session, appended to the store first and then folded into the view."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

from agent_cli.context.view import View, fold
from agent_cli.core.entries import Clear, Compaction, Entry, Interrupt, Limit, Mode, UsageEntry
from agent_cli.core.messages import Message, Origin, Part, Role
from agent_cli.core.ports import Clock, Store
from agent_cli.core.usage import Usage


class Ledger:
    """Stamps, stores and folds entries. Keeps only the view in memory; history is the store's.

    Every method raises AgentError when the store refuses; the view is then as it was.
    """

    def __init__(self, store: Store, clock: Clock, entries: Iterable[Entry] = ()) -> None:
        self.store = store
        self._clock = clock
        self._view = View()
        self._numbers: Counter[str] = Counter()
        for entry in entries:
            self._take_number(entry.id)
            self._view = fold(self._view, entry)

    @property
    def view(self) -> View:
        """What the model is shown now."""
        return self._view

    def message(self, role: Role, parts: Iterable[Part], origin: Origin = "") -> Message:
        """Adds a message."""
        return self._add(Message(self._id("m"), self._now(), role, tuple(parts), origin))

    def usage(
        self,
        model: str,
        usage: Usage,
        *,
        purpose: Literal["step", "summary"] = "step",
        estimated: int = 0,
        cost_usd: float | None = None,
    ) -> UsageEntry:
        """Notes what a model call used; `estimated` is our own count of its input in o200k tokens."""
        return self._add(UsageEntry(self._id("u"), self._now(), model, usage, purpose, estimated, cost_usd))

    def clear(self, call_ids: Iterable[str], *, thinking: str = "") -> Clear:
        """Turns the results of these calls into placeholders (J1), and takes thinking out of the messages up to the
        one of that id (C31)."""
        return self._add(Clear(self._id("k"), self._now(), tuple(call_ids), thinking))

    def limit(self, model: str, tokens: int) -> Limit:
        """Notes the window that a provider's error named, in the model's own tokens (C11)."""
        return self._add(Limit(self._id("l"), self._now(), model, tokens))

    def compaction(self, **fields: Any) -> Compaction:
        """Replaces older messages by a summary (K5, J3) or drops them (K6)."""
        return self._add(Compaction(self._id("c"), self._now(), **fields))

    def mode(self, mode: str) -> Mode:
        """Notes a switch of the context mode; empty means back to the default (G1)."""
        return self._add(Mode(self._id("s"), self._now(), mode))

    def interrupt(self, during: str) -> Interrupt:
        """Notes that the user stopped a turn."""
        return self._add(Interrupt(self._id("i"), self._now(), during))

    def _add(self, entry: Any) -> Any:
        self.store.append(entry)
        self._view = fold(self._view, entry)
        return entry

    def _id(self, kind: str) -> str:
        self._numbers[kind] += 1
        return f"{kind}{self._numbers[kind]}"

    def _take_number(self, entry_id: str) -> None:
        kind, number = entry_id[:1], entry_id[1:]
        if number.isdecimal():
            self._numbers[kind] = max(self._numbers[kind], int(number))

    def _now(self) -> str:
        return self._clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
