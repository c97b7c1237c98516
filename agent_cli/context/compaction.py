"""Compaction: propose, summarise, commit (K5, J3), and truncation when that is not enough (K6)."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from agent_cli.context.draft import Draft, Drafter
from agent_cli.context.hold import Hold
from agent_cli.context.keep import Plan
from agent_cli.context.ledger import Ledger
from agent_cli.context.planner import ASKED, Planner, Proposal
from agent_cli.context.recap import summary_in
from agent_cli.context.summarise import THINKING_ROOM, Summariser, Summary, Task
from agent_cli.context.truncate import STAGES, Drop, Shrink, measure
from agent_cli.context.view import cleared, fold
from agent_cli.core.entries import Compaction, Trigger
from agent_cli.core.errors import ConnectionFailed
from agent_cli.core.events import AgentEvent, Compacted, CompactionStarted, Notice, UsageReported
from agent_cli.core.hooks import Hooks
from agent_cli.core.messages import Message
from agent_cli.core.models import Completion, Request
from agent_cli.core.ports import Clock
from agent_cli.core.usage import Usage

Emit = Callable[[AgentEvent], None]
Price = Callable[[Usage], Awaitable[float | None]]

PROMPT_MARGIN = 400
"""Tokens kept free in a summary request for its system prompt and what a count may be off."""

_log = logging.getLogger("agent_cli")


class Compactor:
    """Makes the view smaller, one ledger entry at a time. Every way through it ends."""

    def __init__(self, *, ledger: Ledger, drafter: Drafter, clock: Clock, hooks: Hooks, price: Price) -> None:
        self._ledger = ledger
        self._drafter = drafter
        self._settings = drafter.settings
        self._clock = clock
        self._price = price
        self._hold = Hold()
        self.hooks = hooks
        self.planner = Planner(drafter, ledger.store)

    @property
    def holding(self) -> bool:
        """Whether automatic compaction pauses because it did not help (C01)."""
        return self._hold.active(self._clock.now())

    def reset(self) -> None:
        """Another model: what did not help before may help now."""
        self._hold = Hold()

    async def summarise(
        self, emit: Emit, *, trigger: Trigger, focus: str = "", appended: Sequence[Message] = ()
    ) -> Compaction | None:
        """Replaces older messages by one summary, merged with the previous one (K4, K5). None: nothing to compact.
        Succeeds without the model too. Cancelled before its end it has changed nothing. Raises ConnectionFailed: the
        server cannot be reached, and nobody asked for a compaction."""
        draft = self._drafter.draft(self._ledger.view, appended)
        proposal = self.planner.propose(draft, trigger)
        if proposal is None:
            return None
        emit(CompactionStarted(trigger))
        summary = await self._summary(draft, proposal, trigger, focus, emit)
        recap = self.planner.recap(draft, proposal.plan, summary.text, proposal.limit)
        entry = self._commit(
            draft,
            proposal.plan,
            recap,
            appended,
            clear=proposal.clear,
            layer="SUMMARIZE",
            trigger=trigger,
            keep=self._settings.keep,
            by="model" if summary.text else "machine",
            note=summary.failure,
        )
        await self._announce(entry, emit)
        self._judge(entry, draft, emit)
        return entry

    async def truncate(
        self, emit: Emit, *, trigger: Trigger, appended: Sequence[Message] = ()
    ) -> Compaction | None:
        """Drops what is oldest, stage by stage, until the request is below the emergency line, or, when the
        provider has proved it too long, down to the goal. Returns the last entry; None: nothing had to or could go."""
        last: Compaction | None = None
        draft = self._drafter.draft(self._ledger.view, appended)
        goal = self.planner.goal(draft, trigger)
        room = goal - draft.budget.fixed
        most = draft.budget.emergency if trigger == "auto" else goal
        for stage in STAGES:
            if draft.size <= most:
                break
            tail = room - self.planner.reserve(draft, room)
            minimum = self._settings.min_messages
            found = measure(stage, draft.messages, minimum=minimum, room=tail, size=self._drafter.size)
            if found is None:
                continue
            last = self._apply(found, draft, room, appended, trigger)
            await self._announce(last, emit)
            draft = self._drafter.draft(self._ledger.view, appended)
        if last is not None:
            emit(Notice(_TRUNCATED, "warning"))
        return last

    def _apply(
        self, found: Drop | Shrink, draft: Draft, room: int, appended: Sequence[Message], trigger: Trigger
    ) -> Compaction:
        clear: tuple[str, ...] = ()
        match found:
            case Drop(division, with_recap):
                limit = self.planner.recap_limit(draft, division.kept, room) if with_recap else 0
                recap = self.planner.recap(draft, division, "", limit)
            case Shrink(clear):
                kept = tuple(
                    message for message in draft.view.messages if message.origin not in ("summary", "ack")
                )
                division, recap = Plan(kept[0].id, kept, ()), draft.view.summary
        return self._commit(draft, division, recap, appended, clear=clear, layer="TRUNCATE", trigger=trigger)

    async def _summary(
        self, draft: Draft, proposal: Proposal, trigger: Trigger, focus: str, emit: Emit
    ) -> Summary:
        """The model's summary; an empty one when the model cannot, and the user is told why (C04, C08)."""
        if not self._drafter.model.can_summarise:
            return Summary("")
        tokens = min(self._settings.summary_max_tokens, proposal.limit * 2 // 3)
        summariser = Summariser(
            self._drafter.provider,
            count=self._drafter.counter.text,
            room=self._drafter.plain(draft.budget.usable) - PROMPT_MARGIN,
            output=min(draft.budget.output, self._drafter.counter.own(tokens) + THINKING_ROOM),
            observe=lambda request, completion: self._bill(request, completion, emit),
            pass_on=emit,
        )
        task = Task(
            messages=proposal.plan.left,
            previous=summary_in(draft.view.summary),
            pending=pending.text if (pending := draft.view.pending) else "",
            focus=focus.strip(),
            tokens=tokens,
            replaced=proposal.replaced,
            result_chars=self._settings.summary_result_chars,
        )
        try:
            summary = await summariser.write(task)
        except ConnectionFailed as error:
            if trigger not in ASKED:
                raise  # the model's own call would fail as well: nothing is given up for it
            summary = Summary("", str(error))
        if summary.failure:
            emit(Notice(_BY_MACHINE.format(summary.failure), "warning"))
        return summary

    async def _bill(self, request: Request, completion: Completion, emit: Emit) -> None:
        if completion.usage is None:
            return
        counter = self._drafter.counter
        estimated = counter.fixed(request.system, ()) + counter.messages(request.messages)
        cost = await self._price(completion.usage)
        model = self._drafter.model.id
        self._ledger.usage(model, completion.usage, purpose="summary", estimated=estimated, cost_usd=cost)
        emit(UsageReported(completion.usage, cost, "summary"))

    def _commit(
        self,
        draft: Draft,
        division: Plan,
        recap: str,
        appended: Sequence[Message],
        *,
        clear: tuple[str, ...],
        **fields: Any,
    ) -> Compaction:
        """Writes the clearing, then the compaction, which is last: up to it nothing has left the view."""
        fields |= {
            "messages_before": len(draft.view.messages),
            "tokens_before": draft.size,
            "first_kept": division.first_kept,
            "summary": recap,
        }
        thinned = msgspec.structs.replace(draft.view, messages=cleared(draft.view.messages, clear))
        probe = Compaction(id="", ts="", messages_after=0, tokens_after=0, **fields)
        after = self._drafter.draft(fold(thinned, probe), appended)
        if clear:
            self._ledger.clear(clear)
        return self._ledger.compaction(
            messages_after=len(after.view.messages), tokens_after=after.size, **fields
        )

    async def _announce(self, entry: Compaction, emit: Emit) -> None:
        """After it is persisted: instructions are read again (C14), hooks and listeners hear of it (K9, G9)."""
        self._drafter.fixed.reload()
        _log.info(entry.line())
        await self.hooks.on_compact(entry)
        emit(Compacted(entry))

    def _judge(self, entry: Compaction, draft: Draft, emit: Emit) -> None:
        now = self._clock.now()
        self._hold = self._hold.after(entry, draft.budget, now)
        if self._hold.until is not None and self._hold.active(now):
            seconds = int((self._hold.until - now).total_seconds())
            emit(Notice(_PAUSED.format(seconds, draft.budget.fixed, draft.budget.trigger), "warning"))


_TRUNCATED = (
    "The conversation did not fit the window, so its oldest part was dropped from what the model sees. "
    "The transcript keeps all of it."
)
_BY_MACHINE = "The model gave no usable summary ({}), so the conversation was compacted without one."
_PAUSED = (
    "Automatic compaction pauses for {} s: the last two freed too little. "
    "The fixed part (instructions and tools) alone has {:,} tokens, the trigger is {:,}."
)
