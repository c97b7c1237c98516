"""What a model call costs, from genai-prices; a price that is not known stays unknown."""

from agent_cli.core.usage import Usage


def cost(provider: str, model: str, usage: Usage, base_url: str | None = None) -> float | None:
    """USD for a call's usage, cached parts at their own price. None: the model or the server has no known price."""
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    counted = Priced(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cache_read,
        cache_write_tokens=usage.cache_write,
    )
    try:
        if base_url is not None:
            return float(calc_price(counted, model, provider_api_url=base_url).total_price)
        return float(calc_price(counted, model, provider_id=provider).total_price)
    except (LookupError, ValueError):
        return None
