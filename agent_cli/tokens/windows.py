"""Context windows and first ratios of models, from genai-prices; what it does not know is stated, never guessed."""

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo

UNKNOWN = 128_000
"""Window taken for an unknown model at a known provider, in its own tokens."""
UNKNOWN_LOCAL = 32_768
"""Window taken for an unknown model behind a base URL of the user's own: local servers often have small ones."""
_DEFAULTS = {"anthropic": "claude-sonnet-5-5", "openai": "gpt-6.1-sol"}
_RATIOS = (("claude", 1.6), ("gpt", 1.0), ("chatgpt", 1.0), ("codex", 1.0), ("o1", 1.0), ("o3", 1.0), ("o4", 1.0))
OTHER_RATIO = 1.2
HOW_TO_SET = "set providers.{}.window or --max-context-tokens"


class Window(msgspec.Struct, frozen=True):
    """A model's window in its own tokens and where the number comes from."""

    tokens: int
    source: str
    max_output: int | None = None


def resolve(provider: str, model: str, base_url: str | None) -> Window:
    """The window of a model; never raises, also for odd names (C39)."""
    known = _lookup(provider, model, base_url)
    if known is not None and known.context_window:
        return Window(known.context_window, "genai-prices")
    how = HOW_TO_SET.format(provider)
    if base_url is not None:
        return Window(UNKNOWN_LOCAL, f"unknown model on a server of your own: 32,768 taken; {how}")
    return Window(UNKNOWN, f"unknown model: 128,000 taken; {how}")


def start_ratio(provider: str, model: str) -> float:
    """Own tokens per o200k token until usage teaches better: 1.0 OpenAI, 1.6 Claude, 1.2 others."""
    name = model.rpartition("/")[2].lower()
    return next((ratio for prefix, ratio in _RATIOS if name.startswith(prefix)), OTHER_RATIO)


def default_model(provider: str) -> str:
    """The model used when only an account is named: the newest mid-priced general one that genai-prices 0.2.3
    (2026-12) lists for it. Raises KeyError: the provider has none."""
    return _DEFAULTS[provider]


def _lookup(provider: str, model: str, base_url: str | None) -> "ModelInfo | None":
    from genai_prices.data_snapshot import get_snapshot

    snapshot = get_snapshot()
    where = (None, base_url) if base_url is not None else (provider, None)
    try:
        return snapshot.find_provider_model(model, None, *where)[1]
    except (LookupError, ValueError):
        return None
