"""One model call: prepare the request, stream the answer, recover from an overflow, keep what was said."""

import asyncio
from collections.abc import Awaitable, Callable

from agent_cli.context.engine import ContextEngine
from agent_cli.context.ledger import Ledger
from agent_cli.core.errors import Overflow, ProviderError, ThinkingRefused
from agent_cli.core.events import (
    AgentEvent,
    Finished,
    MessageAdded,
    Notice,
    Restarted,
    TextDelta,
    UsageReported,
)
from agent_cli.core.hooks import Hooks
from agent_cli.core.messages import Text
from agent_cli.core.models import Completion, Request
from agent_cli.core.usage import Usage

Emit = Callable[[AgentEvent], None]
Price = Callable[[Usage], Awaitable[float | None]]


class Asker:
    """Calls the model for one step."""

    def __init__(self, *, engine: ContextEngine, ledger: Ledger, hooks: Hooks, price: Price) -> None:
        self._engine = engine
        self._ledger = ledger
        self._hooks = hooks
        self._price = price

    async def ask(self, emit: Emit) -> tuple[Request, Completion]:
        """Runs the call. An overflow is answered by one forced compaction and one retry (G7), except in mode
        none (G6); where the error names a smaller window that alone explains it, by a retry within that window
        (C11). Thinking that is refused is left out from then on (C31). Raises ProviderError, ContextError."""
        shrunk = compacted = False
        while True:
            try:
                return await self._once(emit)
            except Overflow as overflow:
                window = self._engine.window
                if self._smaller_window(overflow, emit) and not shrunk:
                    shrunk = True
                    continue
                if compacted or not (await self._compact(overflow, emit) or self._engine.window < window):
                    raise
                compacted = True
            except ThinkingRefused as refused:
                if not self._engine.drop_thinking():
                    raise
                emit(Notice(f"Asking again without the model's earlier thinking. ({refused})", "warning"))

    def _smaller_window(self, overflow: Overflow, emit: Emit) -> bool:
        if overflow.limit is None or not self._engine.learn_limit(overflow.limit, overflow.used):
            return False
        emit(Notice(f"The model's window is {overflow.limit:,} tokens, smaller than thought; asking again."))
        return True

    async def _compact(self, overflow: Overflow, emit: Emit) -> bool:
        if self._engine.mode == "none":
            raise Overflow(
                _MODE_NONE.format(overflow), limit=overflow.limit, used=overflow.used
            ) from overflow
        emit(Notice(f"The provider says the input is too long; compacting. ({overflow})", "warning"))
        return await self._engine.compress(emit, trigger="overflow") is not None

    async def _once(self, emit: Emit) -> tuple[Request, Completion]:
        appended = await self._hooks.pre_request(self._ledger.view.messages)
        request = await self._engine.prepare(emit, appended)
        completion = await self._stream(request, emit)
        if completion.usage is not None:
            await self._bill(request, completion.usage, emit)
        return request, completion

    async def _stream(self, request: Request, emit: Emit) -> Completion:
        said: list[str] = []
        stream = self._engine.provider.stream(request)
        try:
            async for event in stream:
                match event:
                    case Finished(completion):
                        return completion
                    case TextDelta(text):
                        said.append(text)
                    case Restarted():
                        said.clear()
                    case _:
                        pass
                emit(event)
        except (asyncio.CancelledError, ProviderError):
            self._keep(said, emit)
            raise
        finally:
            await stream.aclose()
        raise ProviderError("The provider's stream ended without an answer. Try again.")

    def _keep(self, said: list[str], emit: Emit) -> None:
        """What the model had said before it was stopped stays in the conversation (cases C24, C34)."""
        text = "".join(said).rstrip()
        if text:
            emit(MessageAdded(self._ledger.message("assistant", (Text(text),))))

    async def _bill(self, request: Request, usage: Usage, emit: Emit) -> None:
        estimated = self._engine.estimate(request)
        self._engine.observe(usage, estimated)
        cost = await self._price(usage)
        model = self._engine.provider.model.id
        self._ledger.usage(model, usage, estimated=estimated, cost_usd=cost)
        emit(UsageReported(usage, cost, "step"))


_MODE_NONE = (
    "{} The context mode is `none`, so nothing is compacted by itself. Compact with /compress "
    "(headless: agent -c -p /compress), or switch with /context mode phase1."
)
