"""Estimates without a tokenizer."""

import base64
import random
from pathlib import Path

import pytest

from agent_cli.core.messages import Image, ToolCall
from agent_cli.tokens.estimate import by_characters, conservative, mixed_script
from tests import build
from tests.unit.tokens.reference import expected


def test_k1_a_third_of_text_names_arguments_result_ids_and_contents():
    call = ToolCall("id456", "name", "x" * 30)
    messages = (build.user("u" * 60), build.assistant("a" * 21, call), build.result("id456", "r" * 90))
    assert by_characters(messages) == (60 + 21 + 5 + 4 + 30 + 5 + 90) // 3
    assert by_characters((build.assistant(Image("image/png", "A" * 900)),)) == 0


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("abcd", 1), ("abcde", 2), ("汉字", 2), ("汉字abc", 3), ("𠀀鿿", 2), ("かな", 1), ("，。", 1)],
)
def test_j2_one_per_han_character_and_a_quarter_per_other_rounded_up(text, tokens):
    assert mixed_script(text) == tokens


@pytest.mark.parametrize(
    "text",
    [
        Path(__file__).read_text(encoding="utf-8"),
        "Ein größerer Absatz über Äpfel und Öl. Привет, как дела сегодня? Καλημέρα κόσμε. " * 5,
        "今天天气很好，我们去公园散步。日本語のテキスト。한국어 문장입니다. " * 5,
        "สวัสดีชาวโลก नमस्ते दुनिया مرحبا بالعالم " * 5,
        "😀🎉👩‍👩‍👧🏳️‍🌈" * 9,
        base64.b64encode(random.Random(7).randbytes(6_000)).decode(),
    ],
    ids=["code", "European", "East Asian", "other scripts", "emoji", "base64"],
)
def test_the_conservative_rule_is_seldom_below_the_real_count_and_never_wild(text):
    assert 0.95 * expected(text) <= conservative(text) <= 3 * expected(text)
