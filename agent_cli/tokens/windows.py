"""Context windows, default models and first ratios; what is not known is stated, never guessed, and never raises."""

import re

import msgspec

from agent_cli.tokens.catalog import at_endpoint, by_name

UNKNOWN = 128_000
"""Window taken for an unknown model at a known provider, in its own tokens."""
UNKNOWN_LOCAL = 32_768
"""Window taken for an unknown model behind a base URL of the user's own: local servers often have small ones."""
OPENAI_RATIO, CLAUDE_RATIO, OTHER_RATIO = 1.0, 1.6, 1.2

_DEFAULTS = {"anthropic": "claude-sonnet-5-5", "openai": "gpt-5.4"}
_OPENAI_NAME = re.compile(r"(ft:)?(gpt-|chatgpt-|codex-|o\d+(-|$))")
# Models that refuse more output than this although their window would let us ask for more. genai-prices has no
# output limits; these are from the two providers' model pages.
_SMALL_OUTPUTS = (
    ("claude-2", 4096),
    ("claude-3-5", 8192),
    ("claude-3-haiku", 4096),
    ("claude-3-opus", 4096),
    ("claude-3-sonnet", 4096),
    ("gpt-4-turbo", 4096),
    ("gpt-4-vision", 4096),
    ("gpt-4o-2024-05-13", 4096),
)


class Window(msgspec.Struct, frozen=True):
    """A model's window in its own tokens and where the number comes from.

    `max_output` is None where no limit below the usual output budget is known.
    """

    tokens: int
    source: str
    max_output: int | None = None


def resolve(provider: str, model: str, base_url: str | None) -> Window:
    """The window of a model, from genai-prices; never raises, also for odd names (C39)."""
    sold = at_endpoint(provider, model, base_url)
    for known in (sold and sold[1], by_name(model)):
        if known and known.context_window:
            return Window(known.context_window, f"genai-prices: {known.id}", _small_output(known.id))
    how = f"set providers.{provider}.window"
    if base_url is not None:
        return Window(UNKNOWN_LOCAL, f"unknown model on a server of your own: 32,768 taken; {how}")
    return Window(UNKNOWN, f"unknown model: 128,000 taken; {how}")


def start_ratio(provider: str, model: str) -> float:
    """Own tokens per o200k token until usage teaches better: 1.0 OpenAI's models, 1.6 Claude, 1.2 others."""
    name = model.rpartition("/")[2].lower()
    if "claude" in name:
        return CLAUDE_RATIO
    if _OPENAI_NAME.match(name):
        return OPENAI_RATIO
    return CLAUDE_RATIO if provider == "anthropic" else OTHER_RATIO


def default_model(provider: str) -> str:
    """The model used when only an account is named. Raises KeyError: the provider has none.

    Chosen on 2026-12-01 among the mid-priced general coding models that genai-prices 0.2.3 lists, by the providers'
    model pages. claude-sonnet-5-5 is the current Sonnet. gpt-5.4 is the newest OpenAI one that calls function tools
    over Chat Completions in a plain request: the 5.6 and 6 families refuse that unless reasoning is off, and ask
    for the Responses API.
    """
    return _DEFAULTS[provider]


def _small_output(model: str) -> int | None:
    return next((limit for prefix, limit in _SMALL_OUTPUTS if model.startswith(prefix)), None)
