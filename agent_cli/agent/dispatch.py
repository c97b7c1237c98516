"""Runs the tool calls of one step: every call gets exactly one result, in the order of the calls."""

import asyncio
import difflib
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agent_cli import prompts
from agent_cli.agent.gate import Gate
from agent_cli.context.engine import ContextEngine
from agent_cli.context.ledger import Ledger
from agent_cli.core.errors import AgentError
from agent_cli.core.events import AgentEvent, MessageAdded, ToolFinished, ToolProgress, ToolStarted
from agent_cli.core.hooks import Hooks
from agent_cli.core.messages import ToolCall, ToolResult
from agent_cli.core.ports import Tool
from agent_cli.core.tools import ToolFailure, ToolOutput
from agent_cli.tools.base import parse_arguments

Emit = Callable[[AgentEvent], None]
_log = logging.getLogger("agent_cli")


@dataclass(frozen=True, slots=True)
class _Outcome:
    output: ToolOutput
    title: str = ""
    denied: bool = False


class Dispatcher:
    """Knows the tools and how a call passes the gate, runs and is recorded."""

    def __init__(
        self, *, tools: Sequence[Tool], gate: Gate, engine: ContextEngine, ledger: Ledger, hooks: Hooks
    ) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self.gate = gate
        self._engine = engine
        self._ledger = ledger
        self._hooks = hooks

    async def run(self, calls: Sequence[ToolCall], emit: Emit) -> None:
        """Runs the calls; reading ones that follow each other run side by side. Cancellation still leaves one
        result per call in the ledger (case C24)."""
        outcomes: list[_Outcome | None] = [None] * len(calls)
        started: set[int] = set()
        room = self._engine.step_room(len(calls))
        written = 0

        async def one(index: int) -> None:
            started.add(index)
            outcomes[index] = await self._outcome(calls[index], emit)

        def record(index: int, outcome: _Outcome) -> None:
            room.take(self._record(calls[index], outcome, room.next(), emit))

        try:
            for group in self._groups(calls):
                await _side_by_side(one, group)
                for index in group:
                    outcome = outcomes[index]
                    assert outcome is not None
                    record(index, outcome)
                    written = index + 1
        except asyncio.CancelledError:
            for index in range(written, len(calls)):
                record(index, outcomes[index] or _unfinished(ran=index in started))
            raise

    def _groups(self, calls: Sequence[ToolCall]) -> Iterator[list[int]]:
        group: list[int] = []
        for index, call in enumerate(calls):
            tool = self._tools.get(call.name)
            if tool is not None and tool.read_only:
                group.append(index)
                continue
            if group:
                yield group
            yield [index]
            group = []
        if group:
            yield group

    async def _outcome(self, call: ToolCall, emit: Emit) -> _Outcome:
        tool = self._tools.get(call.name)
        if tool is None:
            return _Outcome(ToolOutput(self._unknown(call.name), is_error=True))
        try:
            args = parse_arguments(tool, call.arguments)
            return await self._gated(tool, call, args, emit)
        except ToolFailure as failure:
            return _Outcome(ToolOutput(str(failure), is_error=True))

    async def _gated(self, tool: Tool, call: ToolCall, args: Any, emit: Emit) -> _Outcome:
        title = tool.title(args)
        reason = await self._hooks.before_tool(call) or await self.gate.refusal(tool, args)
        if reason is not None:
            text = prompts.fill("denied", reason=reason)
            return _Outcome(ToolOutput(text, is_error=True), title, denied=True)
        blocked = await self._hooks.pre_tool(call)
        if blocked is not None:
            return _Outcome(ToolOutput(prompts.fill("blocked", reason=blocked), is_error=True), title)
        emit(ToolStarted(call, title))
        output = await self._run(tool, call, args, emit)
        return _Outcome(await self._hooks.post_tool(call, output), title)

    async def _run(self, tool: Tool, call: ToolCall, args: Any, emit: Emit) -> ToolOutput:
        def progress(text: str) -> None:
            emit(ToolProgress(call.id, text))

        try:
            return await tool.run(args, progress)
        except (ToolFailure, AgentError):
            raise
        except Exception as error:  # noqa: BLE001 - the named border: a tool's fault must not end the turn
            _log.exception("tool %s failed", call.name)
            text = prompts.fill("tool_crashed", error=f"{type(error).__name__}: {error}")
            return ToolOutput(text, is_error=True)

    def _record(self, call: ToolCall, outcome: _Outcome, share: int, emit: Emit) -> int:
        output = outcome.output
        content = self._engine.admit(output, call.name, share)
        result = ToolResult(call.id, content, output.is_error)
        message = self._ledger.message("tool", (result, *output.images))
        emit(MessageAdded(message))
        emit(ToolFinished(call, result, outcome.title, output.display, outcome.denied))
        return self._engine.counter.text(content)

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._tools, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        return prompts.fill("unknown_tool", name=name, hint=hint, names=", ".join(self._tools))


def _unfinished(*, ran: bool) -> _Outcome:
    return _Outcome(ToolOutput(prompts.load("interrupted" if ran else "not_run"), is_error=True))


async def _side_by_side(one: Callable[[int], Any], group: Sequence[int]) -> None:
    if len(group) == 1:
        await one(group[0])
        return
    async with asyncio.TaskGroup() as tasks:
        for index in group:
            tasks.create_task(one(index))
