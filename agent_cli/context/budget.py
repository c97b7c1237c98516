"""The numbers of a request: what the window leaves for input, and where compaction begins and ends."""

import math

import msgspec

from agent_cli.core.models import ModelSpec
from agent_cli.settings.schema import ContextSettings

MAX_OUTPUT = 16_384
"""Output budget at most, in tokens."""
FREE_FIXED = 4_000
"""Fixed part, in o200k tokens, that the trigger already allows for; what is above comes on top."""
TRIGGER_CAP = 0.9
EMERGENCY = 0.95
"""Shares of usable: the trigger is never above the first, truncation starts at the second (K6)."""
TARGET = 0.5
"""Share of (trigger − fixed part) that a compaction leaves at most: the hysteresis between two of them (K5)."""


class Budget(msgspec.Struct, frozen=True):
    """All in the model's own tokens. `fixed` is what every request carries besides the view."""

    window: int
    output: int
    usable: int
    fixed: int
    trigger: int
    emergency: int

    @property
    def target(self) -> int:
        """The most that a request may hold right after a compaction."""
        return self.fixed + int(TARGET * (self.trigger - self.fixed))

    @property
    def fixed_over_trigger(self) -> bool:
        """Whether the configured trigger lies below the fixed part, so that only the emergency line counts."""
        return self.trigger == self.emergency


def window_of(model: ModelSpec, settings: ContextSettings, learned: int | None = None) -> int:
    """The window in the model's own tokens: the model's, capped by the settings and by a learned limit (C11)."""
    caps = (model.window, settings.max_context_tokens, learned)
    return min(cap for cap in caps if cap is not None)


def budget(*, model: ModelSpec, settings: ContextSettings, window: int, fixed: int, ratio: float) -> Budget:
    """Divides the window; `ratio` is the model's own tokens per o200k token."""
    output = min(model.max_output or MAX_OUTPUT, MAX_OUTPUT, window // 4)
    usable = window - output
    emergency = int(EMERGENCY * usable)
    hard = min(settings.compression_threshold * usable, settings.hard_tokens * ratio)
    hard += max(0, fixed - math.ceil(FREE_FIXED * ratio))
    trigger = int(min(hard, TRIGGER_CAP * usable))
    if fixed >= trigger:
        trigger = emergency
    return Budget(window, output, usable, fixed, trigger, emergency)
