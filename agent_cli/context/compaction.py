"""Compaction: plan, summarise, commit (K5, J3), and truncation when that is not enough (K6)."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from agent_cli import prompts
from agent_cli.context.clip import middle
from agent_cli.context.draft import Draft, Drafter
from agent_cli.context.hold import Hold
from agent_cli.context.keep import Plan, half_cut, plan
from agent_cli.context.ledger import Ledger
from agent_cli.context.mechanical import sections
from agent_cli.context.micro import PROTECTED, candidates
from agent_cli.context.recap import compose, summary_in
from agent_cli.context.summarise import THINKING_ROOM, Summariser, Summary, Task
from agent_cli.context.truncate import STAGES, Drop, Shrink, measure
from agent_cli.context.view import cleared, fold
from agent_cli.core.entries import Compaction, Trigger
from agent_cli.core.events import AgentEvent, Compacted, CompactionStarted, Notice, UsageReported
from agent_cli.core.hooks import Hooks
from agent_cli.core.messages import Message
from agent_cli.core.models import Completion, Request
from agent_cli.core.ports import Clock
from agent_cli.core.usage import Usage
from agent_cli.settings.schema import ContextSettings

Emit = Callable[[AgentEvent], None]
Price = Callable[[Usage], Awaitable[float | None]]

FACTS_TOKENS = 2_000
"""Room for todo list, files and commands in a recap, besides the user's words; o200k tokens."""
LEAST_RECAP = 400
"""A recap gets this much where it can; automatic compaction does not start to replace less. o200k tokens."""
SECTION_MARKS = 20
"""Tokens of the marks around the summary."""
ASKED: frozenset[Trigger] = frozenset({"manual", "tool"})
"""Compactions that someone asked for are done also where they gain nothing (G3)."""

_log = logging.getLogger("agent_cli")


class Compactor:
    """Makes the view smaller, one ledger entry at a time. Every way through it ends."""

    def __init__(
        self,
        *,
        ledger: Ledger,
        drafter: Drafter,
        settings: ContextSettings,
        clock: Clock,
        hooks: Hooks,
        price: Price,
    ) -> None:
        self._ledger = ledger
        self._drafter = drafter
        self._settings = settings
        self._clock = clock
        self._price = price
        self._hold = Hold()
        self.hooks = hooks
        self.protected = PROTECTED

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
        """Replaces older messages by one summary merged with the previous one (K4, K5). None: nothing to compact.
        Succeeds without the model too; raises only CancelledError (nothing has changed then) and what the store
        raises."""
        draft = self._drafter.draft(self._ledger.view, appended)
        room = _goal(draft, trigger) - draft.budget.fixed
        division = self._divide(draft, room)
        if division is None:
            return None
        replaced = self._replaced(draft, division)
        if replaced < LEAST_RECAP and trigger not in ASKED:
            return None
        clear = self._clearable(division.kept)
        limit = self._recap_limit(draft, cleared(division.kept, clear), room)
        limit = min(limit, max(replaced, LEAST_RECAP))
        if limit < LEAST_RECAP // 4:
            return None
        emit(CompactionStarted(trigger))
        summary = await self._summary(draft, division, emit, limit=limit, replaced=replaced, focus=focus)
        entry = self._commit(
            draft,
            division,
            self._recap(draft, division, summary.text, limit),
            appended,
            clear=clear,
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
        goal = _goal(draft, trigger)
        most = draft.budget.emergency if trigger == "auto" else goal
        for stage in STAGES:
            if draft.size <= most:
                break
            room = goal - draft.budget.fixed
            found = measure(
                stage,
                draft.messages,
                minimum=self._settings.min_messages,
                room=room - self._reserve(draft, room),
                size=self._drafter.size,
            )
            if found is None:
                continue
            last = self._apply(found, draft, room, trigger, appended)
            await self._announce(last, emit)
            draft = self._drafter.draft(self._ledger.view, appended)
        if last is not None:
            emit(Notice(_TRUNCATED, "warning"))
        return last

    def _apply(
        self, found: Drop | Shrink, draft: Draft, room: int, trigger: Trigger, appended: Sequence[Message]
    ) -> Compaction:
        clear: tuple[str, ...] = ()
        match found:
            case Drop(division, with_recap):
                limit = self._recap_limit(draft, division.kept, room)
                recap = self._recap(draft, division, "", limit) if with_recap else ""
            case Shrink(clear):
                own = tuple(
                    message for message in draft.view.messages if message.origin not in ("summary", "ack")
                )
                division, recap = Plan(own[0].id, own, ()), draft.view.summary
        return self._commit(draft, division, recap, appended, clear=clear, layer="TRUNCATE", trigger=trigger)

    def _divide(self, draft: Draft, room: int) -> Plan | None:
        """What stays and what leaves; None when there is too little, or nothing new since the last time."""
        view, messages = draft.view, draft.messages
        if len(view.messages) < self._settings.min_messages or (view.compactions and not view.fresh):
            return None
        if self._settings.keep == "minimal":
            return plan(messages, len(messages))
        cut = half_cut(messages, room=room - self._reserve(draft, room), size=self._drafter.size)
        return plan(messages, cut)

    def _clearable(self, messages: Sequence[Message]) -> tuple[str, ...]:
        """Results to clear in what a compaction keeps: the cached prefix ends there anyway (C22)."""
        if self._settings.micro == "off":
            return ()
        return candidates(messages, keep=self._settings.micro_keep, protected=self.protected)

    def _reserve(self, draft: Draft, room: int) -> int:
        """Own tokens kept free for the recap when the tail is chosen."""
        count = self._drafter.counter.text
        record = draft.view.record.absorb(draft.messages)
        facts = sections(
            record, draft.view.todo, limit=FACTS_TOKENS + self._settings.user_tokens,
            user_limit=self._settings.user_tokens, count=count,
        )  # fmt: skip
        wanted = LEAST_RECAP + self._settings.summary_max_tokens + sum(count(text) for text in facts.values())
        return min(self._drafter.counter.own(wanted), room // 2)

    def _recap_limit(self, draft: Draft, kept: Sequence[Message], room: int) -> int:
        """O200k tokens that summary and notes may have: what the kept messages leave of the room, and a little in
        any case as long as the request stays below the emergency line. The recap's frame is taken off."""
        used = self._drafter.size(kept)
        below_emergency = draft.budget.emergency - draft.budget.fixed - used
        left = max(self._drafter.plain(room - used), min(LEAST_RECAP, self._drafter.plain(below_emergency)))
        return left - self._drafter.counter.text(compose("", {}, transcript=self._transcript()))

    def _transcript(self) -> str:
        """Where the whole conversation can be read (J3)."""
        path = self._ledger.store.path
        return prompts.fill("context_transcript", path=path) if path else ""

    def _replaced(self, draft: Draft, division: Plan) -> int:
        """O200k tokens of all that a recap would replace, the previous one included."""
        return self._drafter.counter.messages(division.left) + self._drafter.counter.text(draft.view.summary)

    async def _summary(
        self, draft: Draft, division: Plan, emit: Emit, *, limit: int, replaced: int, focus: str
    ) -> Summary:
        """The model's summary; an empty one when the model cannot, and the user is told why (C04, C08)."""
        if not self._drafter.model.can_summarise:
            return Summary("")
        tokens = min(self._settings.summary_max_tokens, limit * 2 // 3)
        own = self._drafter.counter.own
        summariser = Summariser(
            self._drafter.provider,
            count=self._drafter.counter.text,
            room=self._drafter.plain(draft.budget.usable) - LEAST_RECAP,
            output=min(draft.budget.output, own(tokens) + THINKING_ROOM),
            observe=lambda request, completion: self._bill(request, completion, emit),
            pass_on=emit,
        )
        task = Task(
            messages=division.left,
            previous=summary_in(draft.view.summary),
            focus=focus.strip(),
            tokens=tokens,
            replaced=replaced,
            result_chars=self._settings.summary_result_chars,
        )
        summary = await summariser.write(task)
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

    def _recap(self, draft: Draft, division: Plan, summary: str, limit: int) -> str:
        """The text that stands for what leaves: a summary and the machine's notes in `limit` o200k tokens. Without
        a new summary the previous one stays. Empty when there is no room for anything."""
        if limit <= 0:
            return ""
        count = self._drafter.counter.text
        text = summary
        if not text:
            previous = summary_in(draft.view.summary)
            text = middle(previous, min(limit // 2, self._settings.summary_max_tokens), count)
        facts = sections(
            draft.view.record.absorb(division.left),
            draft.view.todo,
            limit=limit - count(text) - SECTION_MARKS,
            user_limit=self._settings.user_tokens,
            count=count,
        )
        return compose(text, facts, transcript=self._transcript(), stale=not summary)

    def _commit(
        self, draft: Draft, division: Plan, recap: str, appended: Sequence[Message], *, clear: tuple[str, ...],
        **fields: Any,
    ) -> Compaction:  # fmt: skip
        """Writes the clearing, then the compaction, which is last: up to it the view is as it was."""
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


def _goal(draft: Draft, trigger: Trigger) -> int:
    """Own tokens that the request may have afterwards. What is forced halves even a small view."""
    if trigger == "auto":
        return draft.budget.target
    return min(draft.budget.target, draft.budget.fixed + max(0, draft.size - draft.budget.fixed) // 2)


_TRUNCATED = (
    "The conversation did not fit the window, so its oldest part was dropped from what the model sees. "
    "The transcript keeps all of it."
)
_BY_MACHINE = "The model gave no usable summary ({}), so the conversation was compacted without one."
_PAUSED = (
    "Automatic compaction pauses for {} s: the last two freed too little. "
    "The fixed part (instructions and tools) alone has {:,} tokens, the trigger is {:,}."
)
