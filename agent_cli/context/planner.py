"""What a compaction would do: what stays, what leaves, and how much text may stand for it. Changes nothing."""

from collections.abc import Iterable, Sequence

import msgspec

from agent_cli import prompts
from agent_cli.context.clip import middle
from agent_cli.context.draft import Draft, Drafter
from agent_cli.context.keep import Plan, half_cut, plan, unseen
from agent_cli.context.mechanical import sections
from agent_cli.context.micro import PROTECTED, candidates
from agent_cli.context.recap import compose, summary_in
from agent_cli.context.view import cleared, pending_in
from agent_cli.core.entries import Trigger
from agent_cli.core.messages import Message
from agent_cli.core.ports import Store

FACTS_TOKENS = 2_000
"""Room for todo list, files and commands in a recap, besides the user's words; o200k tokens."""
LEAST_RECAP = 400
"""A recap gets this much where it can; automatic compaction does not start to replace less. o200k tokens."""
SECTION_MARKS = 20
"""Tokens of the marks around the summary."""
ASKED: frozenset[Trigger] = frozenset({"manual", "tool"})
"""Compactions that someone asked for are done also where they gain little (G3)."""


class Proposal(msgspec.Struct, frozen=True):
    """A compaction not yet carried out. `clear`: calls whose results become placeholders in what stays; `limit`:
    tokens that summary and notes may have; `replaced`: tokens of all that they replace. O200k tokens."""

    plan: Plan
    clear: tuple[str, ...]
    limit: int
    replaced: int


class Planner:
    """Divides the room of a request among the tail, the summary and the machine's notes."""

    def __init__(self, drafter: Drafter, store: Store) -> None:
        self._drafter = drafter
        self._settings = drafter.settings
        self._store = store
        self.protected = PROTECTED

    def protect(self, tools: Iterable[str]) -> None:
        """Adds tools to those whose results are never cleared."""
        self.protected = PROTECTED.union(tools)

    def goal(self, draft: Draft, trigger: Trigger) -> int:
        """Own tokens that the request may have afterwards. What is forced halves even a small view."""
        if trigger == "auto":
            return draft.budget.target
        half = max(0, draft.size - draft.budget.fixed) // 2
        return min(draft.budget.target, draft.budget.fixed + half)

    def propose(self, draft: Draft, trigger: Trigger) -> Proposal | None:
        """The compaction of a draft by the setting `keep`. None: too little to compact, or nothing new since the
        last time (C01)."""
        view = draft.view
        if len(view.messages) < self._settings.min_messages or (view.compactions and not view.fresh):
            return None
        room = self.goal(draft, trigger) - draft.budget.fixed
        found = plan(draft.messages, self._cut(draft, room, trigger))
        if found is None:
            return None
        count = self._drafter.counter
        replaced = count.messages(found.left) + count.text(view.summary)
        clear = self._clearable(found.kept)
        limit = min(self.recap_limit(draft, cleared(found.kept, clear), room), max(replaced, LEAST_RECAP))
        if limit < LEAST_RECAP // 4 or (replaced < LEAST_RECAP and trigger not in ASKED):
            return None
        return Proposal(found, clear, limit, replaced)

    def _cut(self, draft: Draft, room: int, trigger: Trigger) -> int:
        if self._settings.keep == "minimal":
            return len(draft.messages)
        return half_cut(draft.messages, room=self._tail_room(draft, room, trigger), size=self._drafter.size)

    def _tail_room(self, draft: Draft, room: int, trigger: Trigger) -> int:
        """Own tokens for the messages that stay. Results the model has not seen yet stay where that still leaves
        the request below the trigger: without them it would ask for the same again (C03)."""
        tail = room - self.reserve(draft, room)
        waiting = [*unseen(draft.messages), *filter(None, [pending_in(draft.messages)])]
        needed = self._drafter.size(waiting)
        most = room if trigger == "overflow" else draft.budget.trigger - draft.budget.fixed
        return needed if tail < needed <= most - self._drafter.counter.own(LEAST_RECAP) else tail

    def reserve(self, draft: Draft, room: int) -> int:
        """Own tokens kept free for the recap when the tail is chosen: what it would need, at most half."""
        facts = self._facts(draft, draft.messages, FACTS_TOKENS + self._settings.user_tokens)
        wanted = (
            LEAST_RECAP
            + self._settings.summary_max_tokens
            + sum(map(self._drafter.counter.text, facts.values()))
        )
        return min(self._drafter.counter.own(wanted), room // 2)

    def recap_limit(self, draft: Draft, kept: Sequence[Message], room: int) -> int:
        """O200k tokens that summary and notes may have: what the kept messages leave of the room, and a little in
        any case as long as the request stays below the emergency line. The recap's frame is taken off."""
        used = self._drafter.size(kept)
        below_emergency = draft.budget.emergency - draft.budget.fixed - used
        left = max(self._drafter.plain(room - used), min(LEAST_RECAP, self._drafter.plain(below_emergency)))
        return left - self._drafter.counter.text(compose("", {}, transcript=self._transcript()))

    def recap(self, draft: Draft, division: Plan, summary: str, limit: int) -> str:
        """The text that stands for what leaves: a summary and the machine's notes in `limit` o200k tokens. Without
        a new summary the previous one stays. Empty when there is no room for anything."""
        if limit <= 0:
            return ""
        count = self._drafter.counter.text
        previous = min(limit // 2, self._settings.summary_max_tokens)
        text = summary or middle(summary_in(draft.view.summary), previous, count)
        facts = self._facts(draft, division.left, limit - count(text) - SECTION_MARKS)
        return compose(text, facts, transcript=self._transcript(), stale=not summary)

    def _facts(self, draft: Draft, left: Sequence[Message], limit: int) -> dict[str, str]:
        record = draft.view.record.absorb(left)
        words = self._settings.user_tokens
        return sections(
            record, draft.view.todo, limit=limit, user_limit=words, count=self._drafter.counter.text
        )

    def _clearable(self, messages: Sequence[Message]) -> tuple[str, ...]:
        """Results to clear in what a compaction keeps: the cached prefix ends there anyway (C22)."""
        if self._settings.micro == "off":
            return ()
        return candidates(messages, keep=self._settings.micro_keep, protected=self.protected)

    def _transcript(self) -> str:
        """Where the whole conversation can be read (J3)."""
        path = self._store.path
        return prompts.fill("context_transcript", path=path) if path else ""
