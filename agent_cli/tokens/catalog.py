"""Finding a model in genai-prices, the table of models, prices and windows that ships with the package of that name."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, Provider

OFFICIAL = ("openai", "anthropic")


@lru_cache(maxsize=256)
def at_endpoint(provider: str, model: str, base_url: str | None) -> "tuple[Provider, ModelInfo] | None":
    """The model as sold at a base URL, or by the provider of that name where there is no URL; None: not listed."""
    name = model.removeprefix(f"{provider}/")
    if base_url:
        return _find(model, url=base_url)
    return _find(name, provider=provider)


@lru_cache(maxsize=256)
def by_name(model: str) -> "ModelInfo | None":
    """The model of that name, wherever it is served: only names of hosted OpenAI and Anthropic models say enough.

    Open-weight models are left out, since whoever serves one sets its window.
    """
    name = model.rsplit("/", 1)[-1]
    if name.lower().startswith("gpt-oss"):
        return None
    found = (_find(name, provider=provider) for provider in OFFICIAL)
    return next((entry[1] for entry in found if entry), None)


def _find(
    model: str, *, provider: str | None = None, url: str | None = None
) -> "tuple[Provider, ModelInfo] | None":
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - slow to import, needed only once a model is chosen

    try:
        return get_snapshot().find_provider_model(model, None, provider, url)
    except LookupError:
        return None
