"""Events of a running turn, for front ends: the REPL, headless mode and any later one listen to the same stream."""

from typing import Literal

import msgspec

from agent_cli.core.entries import Compaction
from agent_cli.core.messages import Message, ToolCall, ToolResult
from agent_cli.core.models import Completion, StopReason
from agent_cli.core.usage import Usage


class TextDelta(msgspec.Struct, frozen=True):
    """A piece of the answer's text."""

    text: str


class ThinkingDelta(msgspec.Struct, frozen=True):
    """A piece of the model's reasoning."""

    text: str


class CallDelta(msgspec.Struct, frozen=True):
    """A tool call is being written; `size` is the number of argument characters so far."""

    index: int
    name: str
    size: int


class Finished(msgspec.Struct, frozen=True):
    """The model's answer is complete. Always the last event of a provider's stream."""

    completion: Completion


class Restarted(msgspec.Struct, frozen=True):
    """The call is tried again: text shown so far in this step is void. `delay` is in seconds."""

    attempt: int
    attempts: int
    delay: float
    reason: str


ProviderEvent = TextDelta | ThinkingDelta | CallDelta | Finished | Restarted


class StepStarted(msgspec.Struct, frozen=True):
    """A model call begins; `number` counts from 1 within the turn."""

    number: int


class MessageAdded(msgspec.Struct, frozen=True):
    """A message has entered the ledger (user, assistant or tool)."""

    message: Message


class ToolStarted(msgspec.Struct, frozen=True):
    """A permitted call starts to run; `title` is its main argument for screens."""

    call: ToolCall
    title: str


class ToolProgress(msgspec.Struct, frozen=True):
    """Live output of a running tool, cleaned for display."""

    call_id: str
    text: str


class ToolFinished(msgspec.Struct, frozen=True):
    """A call has its result; `display` is a diff or other text for screens, empty when the content serves."""

    call: ToolCall
    result: ToolResult
    title: str
    display: str = ""
    denied: bool = False


class CompactionStarted(msgspec.Struct, frozen=True):
    """The context engine begins to compact."""

    trigger: str


class Compacted(msgspec.Struct, frozen=True):
    """A compaction is in the ledger (K9)."""

    entry: Compaction


class UsageReported(msgspec.Struct, frozen=True):
    """A model call was billed."""

    usage: Usage
    cost_usd: float | None
    purpose: Literal["step", "summary"]


class Notice(msgspec.Struct, frozen=True):
    """A line for the user."""

    text: str
    level: Literal["info", "warning", "error"] = "info"


Outcome = Literal["ok", "error", "max_turns", "budget", "interrupted"]


class TurnFinished(msgspec.Struct, frozen=True):
    """The turn is over. `answer` is the final text; `error` says what went wrong and what to do next."""

    outcome: Outcome
    answer: str
    steps: int
    stop: StopReason | None = None
    error: str = ""


AgentEvent = (
    TextDelta
    | ThinkingDelta
    | CallDelta
    | Restarted
    | StepStarted
    | MessageAdded
    | ToolStarted
    | ToolProgress
    | ToolFinished
    | CompactionStarted
    | Compacted
    | UsageReported
    | Notice
    | TurnFinished
)
