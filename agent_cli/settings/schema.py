"""Every setting with its default. `config.example.toml` shows the same and is tested against this file."""

from typing import Annotated, Literal

import msgspec

ContextMode = Literal["phase1", "phase2", "none"]
PermissionMode = Literal["ask", "accept-edits", "plan", "yolo"]
Wire = Literal["openai-chat", "anthropic"]

# The descriptions are shown to a user whose value is refused.
AboveZero = Annotated[int, msgspec.Meta(gt=0, description="a whole number above 0")]
ZeroOrMore = Annotated[int, msgspec.Meta(ge=0, description="a whole number, 0 or more")]
Share = Annotated[float, msgspec.Meta(gt=0, lt=1, description="a number between 0 and 1, both excluded")]
Seconds = Annotated[float, msgspec.Meta(gt=0, description="a number of seconds above 0")]
Delay = Annotated[float, msgspec.Meta(ge=0, description="a number of seconds, 0 or more")]
Variable = Annotated[
    str, msgspec.Meta(pattern=r"^[A-Za-z_]\w*$", description="the name of an environment variable")
]


class ContextSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[context]: when and how the conversation is compacted. Tokens are o200k tokens unless said otherwise."""

    mode: ContextMode = "phase1"
    max_context_tokens: AboveZero | None = None
    """Caps the model's window, in the model's own tokens."""
    compression_threshold: Share = 0.8
    """Share of the usable window at which the conversation is compacted (K2)."""
    hard_tokens: AboveZero = 140_000
    """Compact at this size at the latest, however large the window."""
    keep: Literal["half", "minimal"] = "half"
    """half: rolling summary + recent tail (K5); minimal: summary + acknowledgement (J3)."""
    micro: Literal["cache_aware", "every_call", "off"] = "cache_aware"
    """When old tool results become placeholders (J1)."""
    micro_keep: ZeroOrMore = 3
    """The newest results that are never cleared."""
    summary_max_tokens: AboveZero = 2048
    """Cap of a summary (K5)."""
    summary_result_chars: ZeroOrMore = 100
    """Characters kept of each tool result in a summary request (K4)."""
    min_messages: ZeroOrMore = 4
    """Fewer messages than this are never compacted (K5)."""
    on_max_tokens: Literal["auto", "compact"] = "auto"
    """What to do when an answer is cut by the output limit (K7)."""
    tool_result_tokens: AboveZero = 8_000
    """Cap of one tool result; the rest is kept in a file beside the transcript."""
    user_tokens: ZeroOrMore = 20_000
    """Newest user words that a compaction keeps in full."""
    cache_minutes: ZeroOrMore = 60
    """Idle time after which the prompt cache is taken to be cold."""


class PermissionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[permissions]: `Tool` or `Tool(pattern)` rules. Lists of all layers add up; deny wins."""

    mode: PermissionMode = "ask"
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


class ProviderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[providers.NAME]: an account. NAME is `openai`, `anthropic` or your own."""

    wire: Wire | None = None
    base_url: str | None = None
    api_key_env: Variable | None = None
    model: str | None = None
    """Default model of this provider."""
    window: AboveZero | None = None
    """Context window in tokens, where the built-in tables do not know the model."""


class RetrySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[retry]: what to do when a provider is down or busy. Times are in seconds."""

    tries: AboveZero = 5
    base_delay: Delay = 0.5
    max_delay: Delay = 20.0
    max_wait: Delay = 60.0
    """A server that asks for a longer wait than this is not waited for."""
    idle_timeout: Seconds = 120.0
    """A stream silent for this long counts as cut."""


class ShellSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[shell]: the shell tool. Times are in seconds."""

    timeout: Seconds = 120.0
    max_timeout: Seconds = 600.0


class TranscriptSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """[transcripts]: where sessions are kept."""

    dir: str = "project"
    """project: `transcripts/` of the project; state: the platform's state folder; else a path."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings."""

    model: str | None = None
    provider: str | None = None
    max_turns: AboveZero = 200
    """Model calls in one turn before the run stops."""
    system_prompt: str | None = None
    append_system_prompt: str | None = None
    aliases: dict[str, str] = {}
    """Short names for models: alias = "provider/name"."""
    context: ContextSettings = ContextSettings()
    permissions: PermissionSettings = PermissionSettings()
    providers: dict[str, ProviderSettings] = {}
    retry: RetrySettings = RetrySettings()
    shell: ShellSettings = ShellSettings()
    transcripts: TranscriptSettings = TranscriptSettings()
