"""The context modes behind one interface (G1). There is one pipeline; a mode is a preset of it."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol

import msgspec

from agent_cli.context.compaction import Compactor, Emit
from agent_cli.context.draft import Draft, Drafter
from agent_cli.context.report import ContextInfo, measure
from agent_cli.core.entries import Compaction, Trigger
from agent_cli.core.messages import Message
from agent_cli.settings.schema import ContextMode


class Preset(msgspec.Struct, frozen=True):
    """What a mode means. `automatic`: it clears, compacts and truncates by itself; `notice` is said once."""

    automatic: bool
    notice: str = ""


PRESETS: dict[ContextMode, Preset] = {
    "phase1": Preset(automatic=True),
    "phase2": Preset(
        automatic=True, notice="Context mode phase2 is not there yet; phase1 is used in its place."
    ),
    "none": Preset(automatic=False),
}


class ContextStrategy(Protocol):
    """What every mode offers."""

    @property
    def mode(self) -> ContextMode:
        """The mode's name."""
        ...

    @property
    def session_hook(self) -> Callable[[Compaction], Awaitable[None]]:
        """Called after a compaction has been persisted (G9)."""
        ...

    def should_compress(self, draft: Draft) -> bool:
        """Whether this request is to be compacted before it is sent (K2)."""
        ...

    async def compress(
        self, emit: Emit, trigger: Trigger, appended: Sequence[Message] = ()
    ) -> Compaction | None:
        """Compacts by itself: at the trigger, after an overflow (G7) or a cut answer (K7)."""
        ...

    async def manual_compress(self, emit: Emit, trigger: Trigger, focus: str = "") -> Compaction | None:
        """Compacts because the user or the model asked for it; works in every mode (G3)."""
        ...

    def context_info(self, draft: Draft, override: ContextMode | None, default: ContextMode) -> ContextInfo:
        """What fills the window (G2)."""
        ...

    def set_memory_tools(self, names: Iterable[str]) -> None:
        """Names the tools whose results are memories and are never cleared (G8)."""
        ...


class PresetStrategy:
    """A mode on the one pipeline."""

    def __init__(self, mode: ContextMode, compactor: Compactor, drafter: Drafter) -> None:
        self._mode: ContextMode = mode
        self._preset = PRESETS[mode]
        self._compactor = compactor
        self._drafter = drafter

    @property
    def mode(self) -> ContextMode:
        """The mode's name."""
        return self._mode

    @property
    def automatic(self) -> bool:
        """Whether the pipeline acts by itself (G6)."""
        return self._preset.automatic

    @property
    def notice(self) -> str:
        """What the user is told once when the mode is chosen."""
        return self._preset.notice

    @property
    def session_hook(self) -> Callable[[Compaction], Awaitable[None]]:
        """Called after a compaction has been persisted (G9)."""
        return self._compactor.hooks.on_compact

    def should_compress(self, draft: Draft) -> bool:
        """Whether the size has reached the trigger and compacting has lately been of use (K2, C01)."""
        return self.automatic and draft.size >= draft.budget.trigger and not self._compactor.holding

    async def compress(
        self, emit: Emit, trigger: Trigger, appended: Sequence[Message] = ()
    ) -> Compaction | None:
        """Compacts unless the mode forbids it (C10). A proven overflow is truncated where a summary cannot help."""
        if not self.automatic:
            return None
        entry = await self._compactor.summarise(emit, trigger=trigger, appended=appended)
        if entry is None and trigger == "overflow":
            return await self._compactor.truncate(emit, trigger=trigger, appended=appended)
        return entry

    async def manual_compress(self, emit: Emit, trigger: Trigger, focus: str = "") -> Compaction | None:
        """Compacts in every mode (G3, J4)."""
        return await self._compactor.summarise(emit, trigger=trigger, focus=focus)

    def context_info(self, draft: Draft, override: ContextMode | None, default: ContextMode) -> ContextInfo:
        """What fills the window (G2)."""
        return measure(draft, self._drafter, mode=self._mode, override=override, default=default)

    def set_memory_tools(self, names: Iterable[str]) -> None:
        """Adds tools to those whose results are never cleared (G8)."""
        self._compactor.planner.protect(names)
