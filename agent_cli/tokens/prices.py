"""What model calls cost in USD, from genai-prices; a price that is not known stays unknown."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from agent_cli.core.usage import Usage
from agent_cli.tokens.catalog import at_endpoint

if TYPE_CHECKING:
    from genai_prices.types import TieredPrices


def cost(provider: str, model: str, usage: Usage, base_url: str | None = None) -> float | None:
    """USD for a call's usage, cached parts at their own price. None: the model or the server has no known price."""
    from genai_prices import Usage as Billed  # noqa: PLC0415 - slow to import, needed only after a call

    sold = at_endpoint(provider, model, base_url)
    if sold is None:
        return None
    seller, listed = sold
    try:
        billed = Billed(
            input_tokens=usage.input,
            cache_read_tokens=usage.cache_read,
            cache_write_tokens=usage.cache_write,
            output_tokens=usage.output,
        )
        price = listed.calc_price(billed, seller)
    except ValueError:
        # A count below zero, or more cached tokens than input: the server's report makes no sense.
        return None
    return None if price.model_price.input_mtok is None else float(price.total_price)


def cached_read_share(provider: str, model: str, base_url: str | None = None) -> float | None:
    """The price of a cached input token relative to a plain one. None: one of the two is not known."""
    sold = at_endpoint(provider, model, base_url)
    if sold is None:
        return None
    prices = sold[1].get_prices(datetime.now(tz=UTC))
    plain, cached = _base(prices.input_mtok), _base(prices.cache_read_mtok)
    return float(cached / plain) if plain and cached is not None else None


def _base(price: "Decimal | TieredPrices | None") -> Decimal | None:
    """USD per million tokens, of the first tier where there are several."""
    return price if price is None or isinstance(price, Decimal) else price.base
