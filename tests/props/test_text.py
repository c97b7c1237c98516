"""Cleaning of anything that a program may print."""

import time

from hypothesis import given
from hypothesis import strategies as st

from agent_cli.tools.text import clean

PIECES = st.sampled_from(
    ["\x1b[", "\x1b]", "\x1b", "\x9b", "\r", "\n", "\r\n", "\b", "\0", "2K", "K", "1G", "31m", ";", "?", "\x07", "\x1b\\",
     "\ud83d", "\ude00", "\udcff", "A1b" * 700, "abc", " ", "中", "\x1bP", "\t", "\x85", "\u200d"]
)  # fmt: skip
SOUP = st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=40).map("".join)


@given(SOUP)
def test_cleaning_twice_changes_nothing(text):
    once = clean(text)
    assert clean(once) == once


@given(st.one_of(SOUP, st.binary(max_size=300)))
def test_what_is_left_is_plain_text_and_never_empty(given):
    text = clean(given)
    assert text.strip()
    assert not any((ord(char) < 32 and char not in "\t\n") or 0x7F <= ord(char) < 0xA0 for char in text)
    text.encode()


@given(st.lists(PIECES, min_size=1, max_size=6).map("".join))
def test_any_pattern_repeated_is_cleaned_in_linear_time(pattern):
    text = pattern * (200_000 // len(pattern) + 1)
    started = time.perf_counter()
    clean(text)
    assert time.perf_counter() - started < 2.0


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=200))
def test_plain_text_stays_as_it_is(text):
    assert clean(text) == (text if text.strip() else "(no output)")
