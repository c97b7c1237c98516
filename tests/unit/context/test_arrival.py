"""What a tool answered, as it enters the ledger: cleaned and capped."""

import pytest

from agent_cli.core.tools import ToolOutput
from agent_cli.tokens.count import Counter
from tests.unit.context.doubles import Bench, words


def admit(output: ToolOutput, bench: Bench | None = None, share: int | None = None) -> str:
    return (bench or Bench(window=32_000)).engine.admit(output, "read_file", share)


def test_a_short_result_enters_as_it_is():
    assert admit(ToolOutput("hello\nworld")) == "hello\nworld"


def test_bytes_are_decoded_and_nothing_says_so():
    assert admit(ToolOutput("größe".encode())) == "größe"
    assert admit(ToolOutput(b"")) == "(no output)"


def test_shell_output_keeps_its_two_ends():
    bench = Bench(window=200_000)
    whole = words(5_000)
    content = admit(ToolOutput(whole, kind="shell"), bench)
    assert content.startswith("word0 word1 ")
    assert content.endswith(whole[-20:])
    assert 900 < bench.engine.counter.text(content) < 1_200


def test_shell_output_below_1200_tokens_is_whole():
    whole = words(1_100)
    assert admit(ToolOutput(whole, kind="shell")) == whole


def test_a_result_over_the_cap_names_its_size_and_where_the_whole_is():
    bench = Bench(window=200_000)
    whole = "\n".join(words(100, f"line{number}_") for number in range(200))
    content = admit(ToolOutput(whole), bench)
    (path,) = bench.store.texts
    assert bench.store.texts[path] == whole
    assert path in content
    assert "in 200 lines" in content
    assert f"{bench.engine.counter.text(whole):,} tokens" in content
    assert 7_000 < bench.engine.counter.text(content) < 8_200


def test_c05_a_result_never_takes_more_than_a_quarter_of_usable():
    bench = Bench(window=16_000)
    content = admit(ToolOutput("\n".join(words(100, f"line{number}_") for number in range(200))), bench)
    assert bench.engine.counter.text(content) < 0.25 * bench.engine.usable + 100


def test_c05_one_huge_line_is_cut_inside_itself_and_no_character_is_broken():
    bench = Bench(window=32_000)
    for whole in ("ab, " * 800_000, "设置🙂‍🔥é" * 300_000):
        content = admit(ToolOutput(whole), bench)
        assert bench.engine.counter.text(content) < 6_200
        assert "�" not in content
        start = content.split("\n")[0]
        assert whole.startswith(start)
        assert not whole[len(start)].startswith(("\u200d", "\u0301"))


def test_what_a_step_has_left_bounds_each_result():
    bench = Bench(window=32_000)
    content = admit(ToolOutput(words(3_000)), bench, share=500)
    assert bench.engine.counter.text(content) <= 510
    assert admit(ToolOutput("short"), bench, share=0) == "short"


def test_the_results_of_one_step_share_four_tenths_of_what_is_free():
    bench = Bench(window=32_000)
    assert 9_500 < bench.engine.step_room(1).next() <= 9_600


@pytest.mark.parametrize("results", [2, 10, 60])
def test_c05_the_results_of_a_large_step_fit_its_room_and_all_of_them_show_something(results):
    bench = Bench(window=16_000)
    most = bench.engine.step_room(1).next()
    room = bench.engine.step_room(results)
    tokens = []
    for number in range(results):
        content = admit(ToolOutput(words(3_000, f"r{number}_")), bench, room.next())
        tokens.append(bench.engine.counter.text(content))
        room.take(tokens[-1])
        assert content.startswith(f"r{number}_0")
    assert sum(tokens) <= 1.1 * most


def test_the_cap_scales_with_the_models_ratio():
    engine = Bench(window=16_000).engine
    whole = words(9_000)
    plain = engine.counter.text(engine.admit(ToolOutput(whole), "x"))
    for _ in range(60):
        engine.counter.learn(1_000, 1_800)
    assert engine.counter.text(engine.admit(ToolOutput(whole), "x")) < plain
    assert Counter(1.0).ratio == 1.0
