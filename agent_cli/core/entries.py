"""Entries of the ledger: what happened in a session, append-only. On disk they are the transcript's lines."""

from typing import Literal

import msgspec

from agent_cli.core.messages import Message
from agent_cli.core.usage import Usage

Layer = Literal["SUMMARIZE", "TRUNCATE"]
Trigger = Literal["auto", "manual", "tool", "overflow", "max_tokens", "resume"]
Keep = Literal["half", "minimal"]


class Header(msgspec.Struct, frozen=True, tag="header", omit_defaults=True):
    """The first line of a transcript. `parent` is the session this one was forked from."""

    v: int
    session: str
    created: str
    cwd: str
    model: str
    context_mode: str
    parent: str = ""


class UsageEntry(msgspec.Struct, frozen=True, tag="usage", omit_defaults=True):
    """One model call's usage; `estimated` is our own count of its input in o200k tokens, before any ratio."""

    id: str
    ts: str
    model: str
    usage: Usage
    purpose: Literal["step", "summary"] = "step"
    estimated: int = 0
    cost_usd: float | None = None


class Compaction(msgspec.Struct, frozen=True, tag="compaction", omit_defaults=True):
    """Older messages leave the view (K9). Holds no copy of history: `first_kept` is the id of the first
    message that stays, empty when none does. `summary` is the full text that stands in for what left."""

    id: str
    ts: str
    layer: Layer
    trigger: Trigger
    messages_before: int
    messages_after: int
    tokens_before: int
    tokens_after: int
    first_kept: str = ""
    summary: str = ""
    keep: Keep = "half"
    by: Literal["model", "machine"] = "machine"
    note: str = ""

    def line(self) -> str:
        """The event in one line for logs and screens (K9)."""
        return (
            f"compacted: layer={self.layer} trigger={self.trigger} "
            f"messages {self.messages_before}→{self.messages_after} "
            f"tokens {self.tokens_before}→{self.tokens_after}"
        )


class Clear(msgspec.Struct, frozen=True, tag="clear", omit_defaults=True):
    """Micro-compaction: the results of these calls become placeholders in the view (J1). `thinking` is the id of the
    newest message whose thinking leaves the view, with that of all before it: its provider refused it (C31)."""

    id: str
    ts: str
    call_ids: tuple[str, ...]
    thinking: str = ""


class Limit(msgspec.Struct, frozen=True, tag="limit"):
    """A provider's error named the true window of a model, `tokens` of its own (C11)."""

    id: str
    ts: str
    model: str
    tokens: int


class Mode(msgspec.Struct, frozen=True, tag="mode"):
    """The context mode was switched at run time; an empty `mode` means back to the default (G1)."""

    id: str
    ts: str
    mode: str


class Interrupt(msgspec.Struct, frozen=True, tag="interrupt"):
    """The user stopped a turn; `during` says what was going on."""

    id: str
    ts: str
    during: str


class Unknown(msgspec.Struct, frozen=True):
    """A line of a type this version does not know: kept in the file, skipped in the view."""

    type: str


Entry = Message | UsageEntry | Compaction | Clear | Limit | Mode | Interrupt
