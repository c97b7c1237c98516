"""When automatic compaction holds back because it does not help (C01)."""

from datetime import datetime, timedelta

import msgspec

from agent_cli.context.budget import Budget
from agent_cli.core.entries import Compaction

STRIKES = 2
"""Ineffective compactions in a row that start a cool-down."""
COOL_DOWNS = (60, 300, 900)
"""Seconds; each cool-down in a row is longer."""
LEAST_FREED = 0.10
"""Share of the tokens before that a compaction must free to count as effective."""


class Hold(msgspec.Struct, frozen=True):
    """Whether automatic compaction pauses; a new value after each compaction."""

    strikes: int = 0
    pauses: int = 0
    until: datetime | None = None

    def active(self, now: datetime) -> bool:
        """Whether automatic compaction waits. What is forced (manual, overflow) does not ask."""
        return self.until is not None and now < self.until

    def after(self, entry: Compaction, budget: Budget, now: datetime) -> "Hold":
        """The state that follows a compaction."""
        if is_effective(entry, budget):
            return Hold()
        if self.strikes + 1 < STRIKES:
            return Hold(self.strikes + 1, self.pauses)
        seconds = COOL_DOWNS[min(self.pauses, len(COOL_DOWNS) - 1)]
        return Hold(0, self.pauses + 1, now + timedelta(seconds=seconds))


def is_effective(entry: Compaction, budget: Budget) -> bool:
    """Whether a compaction freed enough and brought the request below the trigger."""
    freed = entry.tokens_before - entry.tokens_after
    return freed >= LEAST_FREED * entry.tokens_before and entry.tokens_after < budget.trigger
