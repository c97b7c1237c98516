"""Text from outside is safe to show (C63)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.render.text import clean, one_line, visible


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("a\x1b[31mb\x1b[0m", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;http://x\x1b\\b", "ab"),
        ("a\x00\x07b\r\nc", "ab\nc"),
        ("x\u202ey\u200bz\ufeff", "xyz"),
        ("\ud800", ""),
        ("a\tb", "a   b"),
        ("日本 e\u0301 👩\u200d💻", "日本 e\u0301 👩\u200d💻"),
    ],
)
def test_c63_clean_keeps_letters_and_drops_what_a_terminal_would_obey(given_text, shown):
    assert clean(given_text) == shown


@pytest.mark.parametrize(
    ("given_text", "shown"),
    [
        ("rm\u202e -rf", "rm<U+202E> -rf"),
        ("a\u00a0b", "a<U+00A0>b"),
        ("a\x1b[2J", "a<U+001B>[2J"),
        ("ㅤx\u2800", "<U+3164>x<U+2800>"),
        ("a\ufe0fb\U000e0041", "a<U+FE0F>b<U+E0041>"),
        ("café 日本 e\u0301\nü", "café 日本 e\u0301\nü"),
    ],
)
def test_c63_visible_spells_out_what_could_hide(given_text, shown):
    assert visible(given_text) == shown


@given(st.text())
def test_no_control_character_is_left(text):
    for shown in (clean(text), visible(text), one_line(text)):
        assert all(char == "\n" or (ord(char) >= 0x20 and not 0x7F <= ord(char) < 0xA0) for char in shown)
        shown.encode()
