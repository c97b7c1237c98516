"""Streamed Markdown is cut where nothing can change any more (C67)."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from agent_cli.render.blocks import PIECE_LINES, Blocks, Code, Prose


def cut(*pieces: str):
    blocks = Blocks()
    return [block for piece in pieces for block in blocks.feed(piece)] + blocks.end()


def test_a_paragraph_is_final_when_the_next_begins():
    blocks = Blocks()
    assert blocks.feed("one\nstill one\n\n") == []
    assert blocks.feed("two\n") == [Prose("one\nstill one")]
    assert blocks.pending == "two\n"
    assert blocks.end() == [Prose("two")]


def test_a_list_with_blank_lines_stays_together():
    text = "1. one\n\n   more\n\n2. two\n\nafter"
    assert cut(text) == [Prose("1. one\n\n   more\n\n2. two"), Prose("after")]


def test_code_keeps_blank_lines_and_its_language():
    assert cut("so:\n```py\na\n\nb\n```\nend") == [Prose("so:"), Code("a\n\nb", "py", True), Prose("end")]


def test_a_fence_ends_only_with_its_own_kind_and_length():
    assert cut("````\n```\n~~~\n````\n") == [Code("```\n~~~", "", True)]


def test_a_long_code_block_is_given_out_in_pieces():
    lines = [f"line {n}" for n in range(PIECE_LINES + 5)]
    first, second = cut("```\n" + "\n".join(lines) + "\n```\n")
    assert first == Code("\n".join(lines[:PIECE_LINES]), "", True)
    assert second == Code("\n".join(lines[PIECE_LINES:]), "", False)


def test_code_that_never_ends_is_given_out_at_the_end():
    assert cut("```\nabc") == [Code("abc", "", True)]


MARKDOWN = st.text(alphabet="ab `~\n-1.|#>", max_size=120)


@given(MARKDOWN, st.lists(st.integers(0, 120), max_size=6))
def test_how_the_text_arrives_makes_no_difference(text, places):
    edges = [0, *sorted(min(place, len(text)) for place in places), len(text)]
    pieces = [text[a:b] for a, b in itertools.pairwise(edges)]
    assert cut(*pieces) == cut(text)


@given(MARKDOWN)
def test_no_word_is_lost(text):
    kept = "".join(block.text for block in cut(text))
    assert kept.count("a") + kept.count("b") >= text.count("a") + text.count("b") - fenced_words(text)


def fenced_words(text: str) -> int:
    """Words on a line that opens a fence name its language."""
    lines = [line for line in text.split("\n") if line.strip().startswith(("```", "~~~"))]
    return sum(line.count("a") + line.count("b") for line in lines)
