"""Counting holds for any text."""

import json

from hypothesis import given
from hypothesis import strategies as st

from agent_cli.core.messages import ToolCall
from agent_cli.tokens.count import Counter
from agent_cli.tokens.estimate import conservative, mixed_script
from tests import build
from tests.unit.tokens.reference import expected

ANY = st.text(st.characters())
ODD = st.text(st.sampled_from(list("aA1 \t\n\r/'=漢é\u0301\u3000\0\x1c😀\ud800\udfff<|>")))
PIECES = st.lists(
    st.sampled_from(["word ", "  ", "\n", "\n\n", "/", "//\n", "it's", "X", "12345", "漢字", "\x1c", "!?\n"]),
    min_size=1,
    max_size=12,
)


@given(ANY | ODD)
def test_any_text_is_counted_and_as_tiktoken_does(text):
    counted = Counter().text(text)
    assert counted == expected(text)
    assert 0 <= counted <= 4 * len(text) + 1


@given(PIECES, st.integers(1, 6_000))
def test_long_texts_with_places_to_cut_count_exactly(pieces, times):
    text = (("".join(pieces) + " end\n") * times)[:150_000].replace("X", "x" * 90)
    assert Counter().text(text) == expected(text)


@given(ODD, ODD)
def test_more_text_hardly_ever_counts_less(first, second):
    assert Counter().text(first + second) >= Counter().text(first) - 3


@given(ANY, ANY)
def test_a_message_counts_at_least_what_its_strings_do(name, value):
    counter = Counter()
    message = build.assistant(value, ToolCall("c1", name, json.dumps({"value": value})))
    assert counter.message(message) >= counter.text(value) + counter.text(name)


@given(ANY | ODD)
def test_estimates_are_never_negative_and_zero_only_for_nothing(text):
    assert (mixed_script(text) > 0) == (conservative(text) > 0) == bool(text)


@given(st.lists(st.tuples(st.integers(0, 200_000), st.integers(0, 900_000))), st.floats(0.5, 3.0))
def test_whatever_is_reported_the_ratio_stays_between_a_half_and_three(reports, start):
    counter = Counter(start)
    for estimated, reported in reports:
        counter.learn(estimated, reported)
    assert 0.5 <= counter.ratio <= 3.0
    assert counter.own(1_000) >= 500
