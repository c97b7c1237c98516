"""Windows, first ratios, default models and prices."""

import pytest

from agent_cli.core.usage import Usage
from agent_cli.tokens.prices import cached_read_share, cost
from agent_cli.tokens.windows import default_model, resolve, start_ratio

LOCAL = "http://127.0.0.1:8000/v1"
MILLION = 1_000_000


@pytest.mark.parametrize(
    ("provider", "model", "base_url", "tokens"),
    [
        ("openai", "gpt-4o-mini", None, 128_000),
        ("openai", "gpt-4o-mini", "https://api.openai.com/v1", 128_000),
        ("openai", "o1", None, 200_000),
        ("openai", "openai/o1", None, 200_000),
        ("anthropic", "claude-haiku-4-5-20251001", None, 200_000),
        ("anthropic", "claude-haiku-4-5", "http://localhost:4000", 200_000),
        ("proxy", "anthropic/claude-haiku-4-5", LOCAL, 200_000),
    ],
)
def test_known_models_have_their_listed_window(provider, model, base_url, tokens):
    window = resolve(provider, model, base_url)
    assert (window.tokens, window.source.split(":")[0]) == (tokens, "genai-prices")


@pytest.mark.parametrize(
    "model", ["my-model", "claude-x", "", "/", "\0", "ü/😀", "x" * 9_999, "(", "gpt-99-none"]
)
@pytest.mark.parametrize("provider", ["openai", "anthropic", "mine", "", "OFFLINE"])
def test_c39_unknown_names_get_an_assumed_window_that_says_so_and_how_to_set_it(provider, model):
    hosted, custom = resolve(provider, model, None), resolve(provider, model, LOCAL)
    assert (hosted.tokens, custom.tokens) == (128_000, 32_768)
    for window in (hosted, custom):
        assert "unknown model" in window.source
        assert f"providers.{provider}.window" in window.source
    assert cost(provider, model, Usage(input=5)) is None
    assert cached_read_share(provider, model) is None
    assert 1.0 <= start_ratio(provider, model) <= 1.6


@pytest.mark.parametrize("model", ["gpt-oss-20b", "gpt-oss:20b", "openai/gpt-oss-120b"])
def test_who_serves_an_open_model_sets_its_window(model):
    assert resolve("openai", model, LOCAL).tokens == 32_768


def test_models_with_a_small_output_limit_say_so():
    assert resolve("anthropic", "claude-3-5-sonnet-20241022", None).max_output == 8_192
    assert resolve("anthropic", "claude-3-haiku-20240307", None).max_output == 4_096
    assert resolve("openai", "gpt-4-turbo", None).max_output == 4_096
    assert resolve("openai", "gpt-4o", None).max_output is None
    assert resolve("anthropic", default_model("anthropic"), None).max_output is None


@pytest.mark.parametrize(
    ("provider", "model", "ratio"),
    [
        ("openai", "gpt-4o", 1.0),
        ("openai", "o3-mini", 1.0),
        ("mine", "openai/gpt-4.1", 1.0),
        ("anthropic", "claude-sonnet-5", 1.6),
        ("openrouter", "anthropic/claude-sonnet-5", 1.6),
        ("anthropic", "my-model", 1.6),
        ("openai", "qwen3-coder", 1.2),
        ("openai", "olmo-2", 1.2),
        ("openai", "", 1.2),
    ],
)
def test_first_ratios_go_by_the_models_family(provider, model, ratio):
    assert start_ratio(provider, model) == ratio


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_default_models_are_priced_listed_and_large(provider):
    model = default_model(provider)
    assert resolve(provider, model, None).tokens >= 200_000
    assert resolve(provider, model, None).source.startswith("genai-prices")
    assert (cost(provider, model, Usage(input=MILLION, output=MILLION)) or 0) > 1
    assert 0 < (cached_read_share(provider, model) or 0) <= 0.5


def test_plain_cached_and_written_input_have_their_own_price():
    model = "claude-haiku-4-5"
    assert cost("anthropic", model, Usage(input=MILLION)) == pytest.approx(1.0)
    assert cost("anthropic", model, Usage(input=MILLION, cache_read=MILLION)) == pytest.approx(0.10)
    assert cost("anthropic", model, Usage(input=MILLION, cache_write=MILLION)) == pytest.approx(1.25)
    mixed = Usage(input=MILLION, cache_read=600_000, cache_write=100_000, output=200_000)
    assert cost("anthropic", model, mixed) == pytest.approx(0.3 + 0.06 + 0.125 + 1.0)
    assert cached_read_share("anthropic", model) == pytest.approx(0.1)
    half = Usage(input=MILLION, cache_read=500_000, output=100_000)
    assert cost("openai", "gpt-4o-mini", half) == pytest.approx(0.075 + 0.0375 + 0.06)
    assert cached_read_share("openai", "gpt-4o-mini") == pytest.approx(0.5)


def test_writes_to_a_cache_that_costs_nothing_extra_are_plain_input():
    written = Usage(input=MILLION, cache_write=MILLION)
    assert cost("openai", "gpt-4o-mini", written) == cost("openai", "gpt-4o-mini", Usage(input=MILLION))


def test_no_usage_costs_nothing():
    assert cost("openai", "gpt-4o-mini", Usage()) == 0.0


@pytest.mark.parametrize("model", ["gpt-4o-mini", "my-model"])
def test_a_server_of_ones_own_has_no_prices(model):
    assert cost("openai", model, Usage(input=MILLION), LOCAL) is None
    assert cached_read_share("openai", model, LOCAL) is None


def test_the_base_url_of_a_listed_provider_has_its_prices():
    usage = Usage(input=MILLION)
    official = cost("openai", "gpt-4o-mini", usage, "https://api.openai.com/v1")
    assert official == cost("openai", "gpt-4o-mini", usage)
    assert (cost("mine", "anthropic/claude-haiku-4.5", usage, "https://openrouter.ai/api/v1") or 0) > 0


@pytest.mark.parametrize(
    "usage", [Usage(input=10, cache_read=20), Usage(input=-1), Usage(input=5, output=-5)]
)
def test_a_report_that_makes_no_sense_has_no_price(usage):
    assert cost("openai", "gpt-4o-mini", usage) is None
