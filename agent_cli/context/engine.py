"""The context engine: from the ledger to a request that fits and that every provider accepts."""

import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import get_args

import msgspec

from agent_cli import prompts
from agent_cli.context.arrival import StepRoom, admit
from agent_cli.context.compaction import Compactor, Emit, Price
from agent_cli.context.draft import Draft, Drafter
from agent_cli.context.fixed import FixedPart
from agent_cli.context.ledger import Ledger
from agent_cli.context.micro import WORTHWHILE, due
from agent_cli.context.planner import ASKED
from agent_cli.context.report import ContextInfo
from agent_cli.context.strategy import PRESETS, PresetStrategy
from agent_cli.context.validate import Checker
from agent_cli.context.view import cleared, has_thinking
from agent_cli.core.entries import Compaction, Trigger
from agent_cli.core.errors import ContextError
from agent_cli.core.events import Notice
from agent_cli.core.hooks import Hooks
from agent_cli.core.messages import Message, Text
from agent_cli.core.models import Request
from agent_cli.core.ports import Clock, Provider
from agent_cli.core.tools import ToolOutput
from agent_cli.core.usage import Usage
from agent_cli.settings.schema import ContextMode, ContextSettings
from agent_cli.tokens.count import Counter

RESULT_SHARE = 0.25
"""Share of usable that one tool result may take."""
LEAST_WINDOW = 1_000
"""Tokens: an error that names a smaller window than this is not believed."""
STEP_SHARE = 0.4
"""Share of usable, the fixed part taken off, that the results of one step may take together."""

_log = logging.getLogger("agent_cli")


async def _unknown_price(usage: Usage) -> float | None:
    return None


class ContextEngine:
    """One pipeline before every model call:

    micro → repair → count → summarise? → truncate? → validate → request
    """

    def __init__(
        self,
        *,
        ledger: Ledger,
        settings: ContextSettings,
        provider: Provider,
        counter: Counter,
        fixed: FixedPart,
        clock: Clock,
        hooks: Hooks,
        price: Price = _unknown_price,
    ) -> None:
        self.settings = settings
        self.fixed = fixed
        self._ledger = ledger
        self._clock = clock
        self._drafter = Drafter(provider=provider, counter=counter, fixed=fixed, settings=settings)
        self._compactor = Compactor(
            ledger=ledger, drafter=self._drafter, clock=clock, hooks=hooks, price=price
        )
        self._strategies = {mode: PresetStrategy(mode, self._compactor, self._drafter) for mode in PRESETS}
        self._counters = {provider.model.id: counter}
        self._checker = Checker()
        self._cache_lost = False
        self._said: set[str] = set()
        self._drafter.learned = self._known_limit()
        anchor = ledger.view.anchor
        if anchor is not None and anchor.model == provider.model.id:
            counter.learn(anchor.estimated, anchor.usage.input)

    @property
    def counter(self) -> Counter:
        """Counts tokens for the model in use."""
        return self._drafter.counter

    @property
    def provider(self) -> Provider:
        """The model in use. Setting another one drops what was learned of the last one's limits and cache."""
        return self._drafter.provider

    @provider.setter
    def provider(self, provider: Provider) -> None:
        model = provider.model
        self._drafter.provider = provider
        self._drafter.counter = self._counters.setdefault(model.id, Counter(model.ratio))
        self._drafter.learned = self._known_limit()
        self._cache_lost = True
        self._compactor.reset()

    @property
    def window(self) -> int:
        """The window in the model's own tokens."""
        return self._drafter.window

    @property
    def usable(self) -> int:
        """What the window leaves for input, in the model's own tokens."""
        return self._drafter.budget().usable

    @property
    def default_mode(self) -> ContextMode:
        """The mode of the settings."""
        return self.settings.mode

    @property
    def override(self) -> ContextMode | None:
        """The mode chosen at run time, if any (G1)."""
        return next((mode for mode in get_args(ContextMode) if mode == self._ledger.view.mode), None)

    @property
    def mode(self) -> ContextMode:
        """The mode in force."""
        return self.override or self.default_mode

    @property
    def strategy(self) -> PresetStrategy:
        """The mode in force behind the interface all modes share (G1)."""
        return self._strategies[self.mode]

    def switch(self, mode: ContextMode | None) -> None:
        """Chooses a mode from the next model call on, also while a turn runs; None: back to the default (G1)."""
        self._ledger.mode(mode or "")

    async def prepare(self, emit: Emit, appended: Sequence[Message] = ()) -> Request:
        """The next request: valid, and at most `usable` own tokens. In mode none it is sent as it is (G6).

        `appended` are messages that hooks add to this request alone; they count. Raises ContextError: what must be
        sent does not fit; the message names the sizes.
        """
        strategy = self.strategy
        self._say_once(strategy.notice, emit)
        draft = self._draft(appended)
        if not strategy.automatic:
            return self._checked(draft)
        self._refuse_what_cannot_fit(draft)
        draft = self._without_old_results(draft, appended)
        if draft.budget.fixed_over_trigger:
            self._say_once(_FIXED_OVER_TRIGGER, emit, draft.budget.fixed, draft.budget.emergency)
        if strategy.should_compress(draft):
            await strategy.compress(emit, "auto", appended)
            draft = self._draft(appended)
        if draft.size > draft.budget.emergency:
            await self._compactor.truncate(emit, trigger="auto", appended=appended)
            draft = self._draft(appended)
        if draft.size > draft.budget.usable:
            raise ContextError(self._does_not_fit(draft))
        return self._checked(draft)

    async def compress(self, emit: Emit, *, trigger: Trigger, focus: str = "") -> Compaction | None:
        """Compacts now: `manual` and `tool` in every mode (G3, J4), the others unless the mode is none (G6, G7, K7).
        No threshold is checked. None: nothing to compact."""
        if trigger in ASKED:
            return await self.strategy.manual_compress(emit, trigger, focus)
        return await self.strategy.compress(emit, trigger)

    def observe(self, usage: Usage, estimated: int) -> None:
        """Learns from what the provider counted for a request of `estimated` o200k tokens. The usage entry in the
        ledger anchors the next count."""
        self._cache_lost = False
        if usage.input > 0:
            self.counter.learn(estimated, usage.input)

    def estimate(self, request: Request) -> int:
        """The request's input in o200k tokens."""
        return self.counter.fixed(request.system, request.tools) + self._drafter.tokens(request.messages)

    def learn_limit(self, tokens: int, used: int | None = None) -> bool:
        """A provider's error named its true window, in its own tokens (C11); it is remembered with the session.

        `used` is what the error said of the request's size. True: that limit explains the refusal, and with the output
        budget it leaves the next request fits as it is.
        """
        before = self._draft()
        if not LEAST_WINDOW <= tokens < before.budget.window:
            return False
        self._drafter.learned = self._ledger.limit(self._drafter.model.id, tokens).tokens
        after = self._draft()
        explained = used is None or used <= before.size + before.budget.output
        return explained and after.size < after.budget.trigger

    def drop_thinking(self) -> bool:
        """Takes the model's earlier thinking out of the view, since the provider refuses it (C31). False: there is
        none."""
        messages = self._ledger.view.messages
        thoughtful = (message.id for message in reversed(messages) if has_thinking(message))
        newest = next(thoughtful, "")
        if newest:
            self._ledger.clear((), thinking=newest)
        return bool(newest)

    def step_room(self, results: int) -> StepRoom:
        """What the results of one step may have together."""
        numbers = self._drafter.budget()
        return StepRoom(self._drafter.plain(int(STEP_SHARE * (numbers.usable - numbers.fixed))), results)

    def admit(self, output: ToolOutput, name: str, share: int | None = None) -> str:
        """A tool's output as it enters the ledger: cleaned and capped (C05). `share` is what it may
        have of its step's room, in o200k tokens."""
        caps = [self.settings.tool_result_tokens, self._drafter.plain(int(RESULT_SHARE * self.usable))]
        limit = min(caps if share is None else [*caps, share])
        return admit(output, name, limit=limit, count=self.counter.text, offload=self._ledger.store.offload)

    def info(self) -> ContextInfo:
        """What fills the window now (G2)."""
        return self.strategy.context_info(self._draft(), self.override, self.default_mode)

    def _known_limit(self) -> int | None:
        limit = self._ledger.view.limit
        return limit.tokens if limit is not None and limit.model == self._drafter.model.id else None

    def _draft(self, appended: Sequence[Message] = ()) -> Draft:
        return self._drafter.draft(self._ledger.view, appended)

    def _without_old_results(self, draft: Draft, appended: Sequence[Message]) -> Draft:
        """Micro-compaction (J1): the draft itself when nothing is cleared, as is the rule between compactions."""
        messages = self._ledger.view.messages

        def worthwhile(call_ids: Collection[str]) -> bool:
            freed = self._drafter.size(messages) - self._drafter.size(cleared(messages, call_ids))
            return freed >= WORTHWHILE * draft.budget.usable

        found = due(
            messages,
            policy=self.settings.micro,
            keep=self.settings.micro_keep,
            protected=self._compactor.planner.protected,
            cache_lost=self._cache_lost or self._cache_is_cold() or not self._drafter.model.reports_cache,
            worthwhile=worthwhile,
        )
        _log.debug("micro-compaction: %d results cleared", len(found))
        if not found:
            return draft
        self._ledger.clear(found)
        return self._draft(appended)

    def _cache_is_cold(self) -> bool:
        last_call = self._ledger.view.last_call
        if not last_call:
            return False
        idle = self._clock.now() - datetime.fromisoformat(last_call)
        return idle > timedelta(minutes=self.settings.cache_minutes)

    def _refuse_what_cannot_fit(self, draft: Draft) -> None:
        pending = draft.view.pending
        needed = draft.budget.fixed + (self._drafter.size([pending]) if pending else 0)
        if needed > draft.budget.usable:
            raise ContextError(self._does_not_fit(draft))

    def _does_not_fit(self, draft: Draft) -> str:
        pending = draft.view.pending
        return _DOES_NOT_FIT.format(
            fixed=draft.budget.fixed,
            pending=self._drafter.size([pending]) if pending else 0,
            usable=draft.budget.usable,
            window=draft.budget.window,
        )

    def _say_once(self, text: str, emit: Emit, *numbers: int) -> None:
        if text and text not in self._said:
            self._said.add(text)
            emit(Notice(text.format(*numbers), "warning"))

    def _checked(self, draft: Draft) -> Request:
        """The request, once more looked at: an invalid one is never sent."""
        request = _ending_with_the_user(draft.request)
        found = self._checker.problems(request.messages)
        if found:
            _log.error("invalid request: %s", "; ".join(found))
            raise ContextError(f"The conversation cannot be sent: {found[0]}. Start a new one with /clear.")
        return request


def _ending_with_the_user(request: Request) -> Request:
    """Wires take a final assistant message for the beginning of the answer, and many models refuse that."""
    if not request.messages or request.messages[-1].role != "assistant":
        return request
    last = request.messages[-1]
    go_on = Message(f"{last.id}-on", last.ts, "user", (Text(prompts.load("resume")),), "loop")
    return msgspec.structs.replace(request, messages=(*request.messages, go_on))


_FIXED_OVER_TRIGGER = (
    "Instructions and tools alone have {:,} tokens, more than the size at which the conversation would be compacted; "
    "it is compacted at {:,} tokens instead. Shorten AGENTS.md, or choose a model with a larger window."
)
_DOES_NOT_FIT = (
    "The request does not fit the model's window: instructions and tools have {fixed:,} tokens, your message {pending:,}, "
    "and {usable:,} of {window:,} can be used for input. Shorten the message, or choose a model with a larger window."
)
