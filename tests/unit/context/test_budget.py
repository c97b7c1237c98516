import pytest

from agent_cli.context.budget import budget, window_of
from agent_cli.settings.schema import ContextSettings
from tests.unit.context.doubles import spec


def numbers(window=200_000, fixed=4_000, ratio=1.0, max_output=None, **settings):
    return budget(
        model=spec(window, max_output=max_output),
        settings=ContextSettings(**settings),
        window=window,
        fixed=fixed,
        ratio=ratio,
    )


@pytest.mark.parametrize(
    ("window", "max_output", "output"),
    [(200_000, None, 16_384), (200_000, 8_000, 8_000), (32_000, None, 8_000)],
)
def test_the_output_budget_is_the_least_of_the_models_16384_and_a_quarter(window, max_output, output):
    made = numbers(window, max_output=max_output)
    assert made.output == output
    assert made.usable == window - output


def test_k2_the_trigger_is_a_share_of_usable():
    assert numbers(32_000).trigger == int(0.8 * 24_000)
    assert numbers(32_000, compression_threshold=0.5).trigger == 12_000


def test_the_trigger_is_capped_in_tokens_that_scale_with_the_ratio():
    assert numbers(1_000_000).trigger == 140_000
    assert numbers(1_000_000, ratio=1.5).trigger == 210_000


def test_a_large_fixed_part_comes_on_top_but_never_over_nine_tenths():
    assert numbers(1_000_000, fixed=10_000).trigger == 146_000
    assert numbers(32_000, fixed=9_000).trigger == int(0.9 * 24_000)


def test_c01_a_fixed_part_over_the_trigger_leaves_the_emergency_line():
    made = numbers(8_000, fixed=5_000, compression_threshold=0.6)
    assert made.fixed_over_trigger
    assert made.trigger == made.emergency == int(0.95 * 6_000)


def test_k5_the_target_is_half_of_what_the_trigger_leaves_to_the_conversation():
    made = numbers(32_000, fixed=2_000)
    assert made.target == 2_000 + (made.trigger - 2_000) // 2


def test_c11_the_smallest_known_window_counts():
    assert window_of(spec(200_000), ContextSettings()) == 200_000
    assert window_of(spec(200_000), ContextSettings(max_context_tokens=50_000)) == 50_000
    assert window_of(spec(200_000), ContextSettings(max_context_tokens=50_000), 40_000) == 40_000
