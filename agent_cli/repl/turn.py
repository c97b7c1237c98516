"""The events of a turn on the screen."""

import asyncio
from collections.abc import AsyncIterable

import msgspec

from agent_cli.core.events import (
    AgentEvent,
    CallDelta,
    Compacted,
    CompactionStarted,
    MessageAdded,
    Notice,
    Restarted,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFinished,
    UsageReported,
)
from agent_cli.render import events
from agent_cli.render.blocks import Block, Blocks, Code
from agent_cli.render.markdown import rendered
from agent_cli.repl.live import Running
from agent_cli.repl.surface import Surface
from agent_cli.repl.toolbar import Status


class Show:
    """Prints what is final and keeps the live area up to date, for one turn or command."""

    def __init__(self, screen: Surface, status: Status) -> None:
        self._screen = screen
        self._status = status
        self._blocks = Blocks()
        self._streamed = False
        """Whether any text of the current message has come as a stream."""
        self._summary_cost: float | None = None
        self.compacted = False

    async def all(self, stream: AsyncIterable[AgentEvent]) -> TurnFinished | None:
        """Shows a stream to its end; keys are read between events. Returns the event that ended the turn."""
        end: TurnFinished | None = None
        async for event in stream:
            self.event(event)
            if isinstance(event, TurnFinished):
                end = event
            await asyncio.sleep(0)
        return end

    def event(self, event: AgentEvent) -> None:
        """Shows one event."""
        self._screen.events += 1
        match event:
            case TextDelta() | ThinkingDelta() | CallDelta() | StepStarted() | Restarted() | MessageAdded():
                self._answer(event)
            case ToolStarted() | ToolProgress() | ToolFinished():
                self._tool(event)
            case CompactionStarted():
                self._screen.begin("compacting")
            case UsageReported(usage, cost, purpose):
                if purpose == "summary":
                    self._summary_cost = cost
                else:
                    self._status.used = usage.input + usage.output
            case Compacted(entry):
                self.compacted = True
                self._status.used = entry.tokens_after
                self._screen.print(events.compacted(entry, self._summary_cost), "compaction")
                self._summary_cost = None
            case Notice():
                self._screen.print(events.notice(event), "notice")
            case TurnFinished():
                self._end(event)

    def _answer(
        self, event: TextDelta | ThinkingDelta | CallDelta | StepStarted | Restarted | MessageAdded
    ) -> None:
        live = self._screen.live
        match event:
            case StepStarted():
                self._screen.begin("thinking")
                live.thought = ""
            case ThinkingDelta(text):
                live.thought = (live.thought + text)[-1_000:]
            case TextDelta(text):
                self._streamed = True
                self._screen.begin("answering")
                self._print(self._blocks.feed(text))
            case CallDelta(_, name, size):
                self._screen.begin(f"writing a call of {name} ({size:,} characters)")
            case Restarted():
                shown = self._streamed
                self._blocks, self._streamed = Blocks(), False
                self._screen.print(events.restarted(event, shown=shown), "notice")
                self._screen.begin("trying again")
            case MessageAdded(message):
                if message.role != "assistant":
                    return
                if not self._streamed:
                    self._print(self._blocks.feed(message.text))
                self._print(self._blocks.end())
                self._blocks, self._streamed = Blocks(), False
                live.thought = ""
        live.pending = self._blocks.pending

    def _print(self, blocks: list[Block]) -> None:
        for block in blocks:
            goes_on = isinstance(block, Code) and not block.begins
            self._screen.print(rendered(block), "code" if goes_on else "text")

    def _tool(self, event: ToolStarted | ToolProgress | ToolFinished) -> None:
        live = self._screen.live
        match event:
            case ToolStarted(call, title):
                live.tools[call.id] = Running(call.name, title)
                self._screen.begin(f"running {call.name}")
            case ToolProgress(call_id, text):
                if call_id in live.tools:
                    live.tools[call_id].output = text
            case ToolFinished(call):
                running = live.tools.pop(call.id, None)
                # A call that was stopped has no title of its own any more.
                title = event.title or (running.title if running else "")
                self._screen.print(events.finished(msgspec.structs.replace(event, title=title)), "tool")
                self._screen.begin("thinking")

    def _end(self, event: TurnFinished) -> None:
        self._print(self._blocks.end())
        self._blocks = Blocks()
        if event.outcome == "interrupted":
            self._screen.print(events.plain("interrupted", "yellow"), "notice")
        elif event.outcome != "ok" and event.error != event.answer:
            self._screen.print(events.failure(event.error))
