"""Estimates without a tokenizer."""

import base64
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from agent_cli.core.messages import Image, ToolCall
from agent_cli.tokens.estimate import (
    by_characters,
    conservative,
    conservative_message,
    mixed_script,
    readable,
)
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


@pytest.mark.parametrize(
    "text",
    [
        "for number in range(10): print(number)\n" * 20,
        "设置 settings.toml 文件 of the 项目\n" * 20,
        "Проверка настроек\n" * 20,
    ],
    ids=["code", "Han among others", "Cyrillic"],
)
def test_the_fallback_stands_on_k1_and_j2(text):
    call = ToolCall("c1", "shell", json.dumps({"command": text}, ensure_ascii=False))
    messages = (build.assistant(text, call), build.result("c1", text))
    assert conservative(text) >= max(mixed_script(text), expected(text))
    for message in messages:
        pieces = [piece for part in message.parts for piece in readable(part)]
        assert conservative_message(message) >= max(by_characters((message,)), sum(map(expected, pieces)))


def test_without_a_tokenizer_every_message_is_counted_by_k1_and_what_it_falls_short_of(work):
    code = """
import sys
sys.modules["tiktoken"] = None
from agent_cli.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from agent_cli.tokens.count import CALL_OVERHEAD, IMAGE_TOKENS, MESSAGE_OVERHEAD, Counter
from agent_cli.tokens.estimate import by_characters

parts = (Text("plain words " * 50), ToolCall("c1", "shell", "{}"), Thinking(signature="A" * 160))
message = Message("m1", "", "assistant", parts)
beside = MESSAGE_OVERHEAD + CALL_OVERHEAD + 30
assert Counter().message(message) == by_characters((message,)) + beside, Counter().message(message)
seen = Message("m2", "", "tool", (ToolResult("c1", "ok"), Image("image/png", "A" * 9000)))
assert Counter().message(seen) == MESSAGE_OVERHEAD + CALL_OVERHEAD + IMAGE_TOKENS + 1
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
