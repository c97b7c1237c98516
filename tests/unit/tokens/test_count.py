"""Counting: exact, never raising, once per content, and learning a model's own size."""

import base64
import random
import string
import time
from pathlib import Path

import pytest

from agent_cli.core.messages import Image, Thinking, ToolCall
from agent_cli.core.models import ToolSpec
from agent_cli.tokens.count import CALL_OVERHEAD, IMAGE_TOKENS, MESSAGE_OVERHEAD, Counter
from tests import build
from tests.unit.tokens.reference import expected

HERE = Path(__file__).parent
PROSE = "The quick brown fox jumps over the lazy dog. Größe, naïve café; 汉字和假名のテスト, 한국어, привет, שלום, 😀👩‍👩‍👧!\n"
MIB = 1_000_000


def letters(size, alphabet=string.ascii_letters + string.digits):
    return "".join(random.Random(7).choices(alphabet, k=size))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        PROSE,
        "def f(x):\n    return x  # it's\n\n\n\tdone\r\n",
        "a/b/c\n//\n/x  \n  \n end   ",
        "1234567 3.14159 0x1F",
        "e\u0301 \u3000\u00a0\u2028x",
        "\0\x01\x1b[0m\x7f",
    ],
)
def test_short_texts_count_as_tiktoken_counts_them(text):
    assert Counter().text(text) == expected(text)


@pytest.mark.parametrize(
    "text",
    [
        PROSE * 2_000,
        (HERE / "test_count.py").read_text(encoding="utf-8") * 40,
        "\n".join(letters(76) for _ in range(2_000)),
        "  {\n\n    x;\n  }\n\n" * 9_000,
        '{"a": 1, "b": [1, 2, 3]}, ' * 9_000,
        "word\n\n\n   \n" * 15_000,
    ],
    ids=["prose", "code", "wrapped base64", "indented", "one line of JSON", "blank lines"],
)
def test_long_texts_are_cut_only_where_the_count_stays_exact(text):
    assert len(text) > 100_000
    assert Counter().text(text) == expected(text)


@pytest.mark.parametrize(
    "text",
    ["<|endoftext|>", "<|im_end|>", "<|fim_prefix|>", "<|endofprompt|>", "x" * 40_000 + "<|endoftext|>"],
)
def test_c38_special_tokens_are_plain_text(text):
    assert Counter().text(text) > 3
    assert abs(Counter().text(text) - expected(text)) <= 1


def test_lone_surrogates_are_counted():
    assert Counter().text("bad \ud83d text \udc00") > 3


@pytest.mark.parametrize(
    "text",
    [
        "a" * 5 * MIB,
        base64.b64encode(random.Random(7).randbytes(3_750_000)).decode(),
        " " * MIB,
        "\n" * MIB,
        "\0" * MIB,
        "=" * MIB,
        "漢" * MIB,
        "\u3000" * MIB,
    ],
    ids=["letter", "base64", "blanks", "newlines", "NUL", "signs", "Han", "wide blanks"],
)
def test_giant_runs_are_counted_in_time_that_grows_with_their_length(text):
    start = time.perf_counter()
    whole = Counter().text(text)
    assert time.perf_counter() - start < 20
    piece = 50_000
    assert whole == pytest.approx(Counter().text(text[:piece]) * len(text) / piece, rel=0.02)


def test_c41_base64_in_text_counts_nearly_a_token_a_character():
    data = base64.b64encode(random.Random(7).randbytes(750_000)).decode()
    assert 0.6 * len(data) < Counter().text(f"data:image/png;base64,{data}") < len(data)


def test_c41_an_image_costs_the_same_whatever_its_bytes():
    small, large = (Image("image/png", "A" * size) for size in (8, 4 * MIB))
    message = build.assistant(small, large)
    assert Counter().message(message) == 2 * IMAGE_TOKENS + MESSAGE_OVERHEAD


def test_a_message_counts_call_names_arguments_ids_results_and_thinking():
    counter = Counter()
    call = ToolCall("call_9fZ", "read_file", '{"path": "src/settings.py"}')
    asking = build.assistant(Thinking("Let me look at the settings first."), "I look.", call)
    strings = ["Let me look at the settings first.", "I look.", call.id, call.name, call.arguments]
    assert counter.message(asking) == MESSAGE_OVERHEAD + CALL_OVERHEAD + sum(map(expected, strings))
    answer = build.result("call_9fZ", "beta = 2\n" * 50)
    assert counter.message(answer) == MESSAGE_OVERHEAD + CALL_OVERHEAD + expected("call_9fZ") + expected(
        "beta = 2\n" * 50
    )
    assert counter.messages((asking, answer)) == counter.message(asking) + counter.message(answer)


def test_sealed_reasoning_costs_about_what_it_hides_and_visible_reasoning_its_text():
    hidden = Thinking(data=letters(5_300))
    assert 900 < Counter().message(build.assistant(hidden)) < 1_100
    signed = Thinking("Short.", signature=letters(5_300))
    assert Counter().message(build.assistant(signed)) == MESSAGE_OVERHEAD + expected("Short.")


def test_equal_content_is_counted_once_however_often_it_is_asked_for():
    text = letters(2 * MIB)
    counter = Counter()
    start = time.perf_counter()
    first = counter.message(build.user(text))
    once = time.perf_counter() - start
    start = time.perf_counter()
    assert {counter.message(build.user(text)) for _ in range(50)} == {first}
    assert time.perf_counter() - start < 25 * once


def test_the_fixed_part_is_its_system_blocks_and_tool_definitions():
    counter = Counter()
    tool = ToolSpec(
        "grep", "Searches files.", {"type": "object", "properties": {"pattern": {"type": "string"}}}
    )
    wordy = ToolSpec("grep", "Searches files. " * 50, tool.schema)
    assert counter.fixed(("You are an agent.",), ()) == expected("You are an agent.")
    assert counter.fixed(("You are an agent.",), (tool,)) == expected("You are an agent.") + counter.spec(
        tool
    )
    assert counter.spec(wordy) > counter.spec(tool) + 100
    assert counter.spec(tool) > expected("grep Searches files.") + expected('{"pattern": "string"}')


def test_c11_the_first_report_is_adopted_and_later_ones_move_it_by_a_fifth():
    counter = Counter(1.2)
    counter.learn(10_000, 15_000)
    assert counter.ratio == pytest.approx(1.5)
    counter.learn(10_000, 20_000)
    assert counter.ratio == pytest.approx(1.6)


def test_small_requests_teach_nothing():
    counter = Counter(1.2)
    counter.learn(499, 900)
    assert counter.ratio == 1.2


@pytest.mark.parametrize("reported", [0, 2_051])
def test_a_report_far_below_the_estimate_teaches_nothing(reported):
    counter = Counter(1.2)
    counter.learn(15_700, reported)
    assert counter.ratio == 1.2


def test_an_unbelievably_high_report_is_not_adopted_at_once_and_never_passes_three():
    counter = Counter(1.0)
    counter.learn(1_000, 5_000)
    assert counter.ratio == pytest.approx(1.8)
    for _ in range(50):
        counter.learn(1_000, 90_000)
    assert counter.ratio == 3.0


def test_own_tokens_are_rounded_up_but_not_by_a_binary_hair():
    assert Counter(1.1).own(10) == 11
    assert Counter(1.6).own(1) == 2
    assert Counter(1.0).own(0) == 0
