"""The agent loop: one turn, from the user's message to the final answer (K10)."""

import asyncio
from dataclasses import dataclass, field
from typing import assert_never

import msgspec

from agent_cli import prompts
from agent_cli.agent.ask import Asker, Emit
from agent_cli.agent.dispatch import Dispatcher
from agent_cli.context.engine import ContextEngine
from agent_cli.context.ledger import Ledger
from agent_cli.core.errors import AgentError
from agent_cli.core.events import MessageAdded, Outcome, StepStarted, ToolFinished, TurnFinished
from agent_cli.core.messages import Part, Text, Thinking, ToolCall, ToolResult
from agent_cli.core.models import Completion, Request, StopReason

MAX_CONTINUATIONS = 8
"""Answers cut by the output limit in a row before a turn is given up."""
FULL_WINDOW = 0.97
"""Share of the window at which a cut answer means that the window, not the output budget, was full (K7)."""


@dataclass(slots=True)
class _Turn:
    """How far a turn has come."""

    emit: Emit
    steps: int = 0
    pieces: list[str] = field(default_factory=list)
    """Text of an answer that was cut and continued."""
    cut: int = 0
    empty: int = 0
    compacted_for_output: bool = False

    def end(
        self, outcome: Outcome, text: str = "", *, stop: StopReason | None = None, error: str = ""
    ) -> TurnFinished:
        answer = "".join([*self.pieces, text])
        return TurnFinished(outcome, answer, self.steps, stop, error)


class AgentLoop:
    """Drives model and tools until the model is done, a limit is reached, or something fails for good."""

    def __init__(
        self, *, engine: ContextEngine, ledger: Ledger, asker: Asker, dispatcher: Dispatcher, max_steps: int
    ) -> None:
        self._engine = engine
        self._ledger = ledger
        self._asker = asker
        self.dispatcher = dispatcher
        self._max_steps = max_steps

    async def run(self, emit: Emit) -> TurnFinished:
        """Runs the turn whose user message is already in the ledger. Never raises AgentError: failures are an
        outcome. Cancelling it is the user's interrupt; the ledger stays valid."""
        turn = _Turn(emit)
        try:
            while turn.steps < self._max_steps:
                turn.steps += 1
                emit(StepStarted(turn.steps))
                finished = await self._step(turn)
                if finished is not None:
                    return finished
        except asyncio.CancelledError:
            self._ledger.interrupt("turn")
            return turn.end("interrupted", error="Interrupted.")
        except AgentError as error:
            return turn.end("error", error=str(error))
        return turn.end("max_turns", error=_LIMIT.format(self._max_steps))

    async def _step(self, turn: _Turn) -> TurnFinished | None:
        request, completion = await self._asker.ask(turn.emit)
        match completion.stop:
            case StopReason.END_TURN | StopReason.STOP_SEQUENCE | StopReason.TOOL_USE:
                return await self._complete(turn, completion)
            case StopReason.MAX_TOKENS | StopReason.CONTEXT_WINDOW:
                return await self._cut(turn, request, completion)
            case StopReason.PAUSE:
                return await self._paused(turn, completion)
            case StopReason.REFUSAL | StopReason.ERROR:
                self._say(turn, completion.parts)
                text = _text(completion.parts)
                return turn.end("error", text, stop=completion.stop, error=text or _DECLINED)
            case _:
                assert_never(completion.stop)

    async def _paused(self, turn: _Turn, completion: Completion) -> TurnFinished | None:
        """A pause is no end: calls are run as ever, and without any the model is asked to go on."""
        if _calls(completion.parts):
            return await self._complete(turn, completion)
        self._say(turn, completion.parts)
        turn.pieces.append(_text(completion.parts))
        self._nudge(turn, "resume")
        return None

    async def _complete(self, turn: _Turn, completion: Completion) -> TurnFinished | None:
        calls = _calls(completion.parts)
        text = _text(completion.parts)
        if calls:
            self._say(turn, completion.parts)
            turn.cut = turn.empty = 0
            turn.compacted_for_output = False
            turn.pieces.clear()
            await self._run_calls(turn, calls)
            return None
        if text.strip() or any(map(str.strip, turn.pieces)):
            self._say(turn, completion.parts)
            return turn.end("ok", text, stop=completion.stop)
        turn.empty += 1
        if turn.empty == 1:
            return None
        return turn.end("error", stop=completion.stop, error=_EMPTY)

    async def _run_calls(self, turn: _Turn, calls: tuple[ToolCall, ...]) -> None:
        wanted: list[ToolCall] = []

        def watch(event: object) -> None:
            if isinstance(event, ToolFinished) and event.call.name == "compact" and not event.result.is_error:
                wanted.append(event.call)
            turn.emit(event)  # pyright: ignore[reportArgumentType] - the dispatcher emits only agent events

        await self.dispatcher.run(calls, watch)
        if wanted:
            await self._engine.compress(turn.emit, trigger="tool", focus=_focus(wanted[-1]))

    async def _cut(self, turn: _Turn, request: Request, completion: Completion) -> TurnFinished | None:
        """The answer was cut (K7): make room and ask again, or keep what is there and let it go on."""
        turn.cut += 1
        must_compact = self._engine.settings.on_max_tokens == "compact" or self._window_full(
            request, completion
        )
        if must_compact and not turn.compacted_for_output and self._engine.mode != "none":
            turn.compacted_for_output = True
            if await self._engine.compress(turn.emit, trigger="max_tokens") is not None:
                return None
        text = _text(completion.parts)
        calls = _calls(completion.parts)
        self._say(turn, completion.parts)
        for call in calls:
            result = ToolResult(call.id, prompts.load("cut_call"), is_error=True)
            turn.emit(MessageAdded(self._ledger.message("tool", (result,))))
        if must_compact or turn.cut > MAX_CONTINUATIONS:
            return turn.end("error", text, stop=completion.stop, error=_CUT)
        if calls:
            turn.pieces.clear()  # the answers to the calls come between: what follows is no continuation
            return None
        turn.pieces.append(text)
        self._nudge(turn, "continue")
        return None

    def _window_full(self, request: Request, completion: Completion) -> bool:
        if completion.stop == StopReason.CONTEXT_WINDOW:
            return True
        usage = completion.usage
        if usage is not None:
            return usage.input + usage.output >= FULL_WINDOW * self._engine.window
        used = self._engine.counter.own(self._engine.estimate(request)) + request.max_output
        return used >= FULL_WINDOW * self._engine.window

    def _say(self, turn: _Turn, parts: tuple[Part, ...]) -> None:
        kept = tuple(part for part in parts if not (isinstance(part, Text) and not part.text.strip()))
        if any(not isinstance(part, Thinking) for part in kept):
            turn.emit(MessageAdded(self._ledger.message("assistant", kept)))

    def _nudge(self, turn: _Turn, prompt: str) -> None:
        message = self._ledger.message("user", (Text(prompts.load(prompt)),), origin="loop")
        turn.emit(MessageAdded(message))


def _text(parts: tuple[Part, ...]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def _calls(parts: tuple[Part, ...]) -> tuple[ToolCall, ...]:
    return tuple(part for part in parts if isinstance(part, ToolCall))


def _focus(call: ToolCall) -> str:
    arguments = msgspec.json.decode(call.arguments or "{}")
    return str(arguments.get("focus") or "")


_LIMIT = 'Stopped after {} model calls (--max-turns). Go on with: agent -c -p "go on".'
_EMPTY = "The model gave an empty answer twice. Ask again, or try another model with -m."
_CUT = "The answer was cut off by the output limit and could not be completed. Ask for a shorter answer or in parts."
_DECLINED = (
    "The model declined to answer and gave no reason. Rephrase the request or try another model with -m."
)
