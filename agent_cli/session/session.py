"""One conversation: send a message, interrupt it, compact it, and what it has used so far."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from agent_cli.agent.loop import AgentLoop
from agent_cli.context.engine import ContextEngine
from agent_cli.context.ledger import Ledger
from agent_cli.core.events import (
    AgentEvent,
    Compacted,
    MessageAdded,
    ToolFinished,
    TurnFinished,
    UsageReported,
)
from agent_cli.core.messages import Text
from agent_cli.core.usage import Usage
from agent_cli.session import debug


@dataclass(slots=True)
class Totals:
    """What a run of the program has used; `cost_usd` is None once a price is unknown."""

    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    compactions: int = 0
    denials: list[dict[str, str]] = field(default_factory=list)

    def add(self, event: AgentEvent) -> None:
        """Takes an event into account."""
        match event:
            case UsageReported(usage, cost, _):
                self.usage = self.usage + usage
                known = self.cost_usd is not None and cost is not None
                self.cost_usd = self.cost_usd + cost if known else None  # pyright: ignore[reportOperatorIssue, reportOptionalOperand]
            case Compacted():
                self.compactions += 1
            case ToolFinished(call, result, title, denied=True):
                self.denials.append({"tool": call.name, "input": title, "reason": result.content})
            case _:
                pass


class Session:
    """A conversation's life once it is open. One turn at a time."""

    def __init__(
        self,
        *,
        name: str,
        ledger: Ledger,
        engine: ContextEngine,
        loop: AgentLoop,
        close: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        self.id = name
        self.ledger = ledger
        self.engine = engine
        self.loop = loop
        self.totals = Totals()
        self._close = close
        self._running: asyncio.Task[TurnFinished] | None = None

    @property
    def busy(self) -> bool:
        """Whether a turn is running."""
        return self._running is not None and not self._running.done()

    async def send(self, text: str) -> AsyncGenerator[AgentEvent, None]:
        """Runs one turn; the last event is `TurnFinished`. Leaving the generator early ends the turn.

        Raises AgentError: the transcript cannot be written.
        """

        async def turn(emit: Callable[[AgentEvent], None]) -> None:
            emit(MessageAdded(self.ledger.message("user", (Text(text),))))
            emit(await self.loop.run(emit))

        async for event in self._events(turn):
            yield event

    async def compress(self, focus: str = "") -> AsyncGenerator[AgentEvent, None]:
        """Compacts now, in every mode (G3); the events tell how it went."""

        async def work(emit: Callable[[AgentEvent], None]) -> None:
            await self.engine.compress(emit, trigger="manual", focus=focus)

        async for event in self._events(work):
            yield event

    def interrupt(self) -> None:
        """Stops the running turn at once; its last event still comes."""
        if self._running is not None:
            self._running.cancel()

    async def aclose(self) -> None:
        """Ends a running turn, flushes the transcript and closes connections."""
        if self._running is not None and not self._running.done():
            self._running.cancel()
            await asyncio.wait([self._running])
        await self._close()

    async def _events(
        self, work: Callable[[Callable[[AgentEvent], None]], Coroutine[Any, Any, None]]
    ) -> AsyncGenerator[AgentEvent, None]:
        queue: asyncio.Queue[AgentEvent | None] = asyncio.Queue()
        task: asyncio.Task[Any] = asyncio.create_task(work(queue.put_nowait))
        task.add_done_callback(lambda _: queue.put_nowait(None))
        self._running = task
        try:
            while (event := await queue.get()) is not None:
                self.totals.add(event)
                debug.trace(event)
                yield event
            if not task.cancelled():
                task.result()
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait([task])
            self.ledger.store.sync()
