"""The context modes: presets of one pipeline behind one interface."""

import pytest

from agent_cli.context.strategy import PRESETS, ContextStrategy
from agent_cli.core.entries import Mode
from tests.unit.context.doubles import Bench, texts, words


def crowded(**settings) -> Bench:
    bench = Bench("## State\nSUMMARY", **settings)
    bench.user("read every file")
    for number in range(18):
        bench.step(words(1_500, f"s{number}_"))
    return bench


@pytest.mark.parametrize("mode", list(PRESETS))
def test_g1_every_mode_offers_the_same_interface(mode):
    strategy: ContextStrategy = Bench(mode=mode).engine.strategy
    assert strategy.mode == mode
    assert callable(strategy.session_hook)


def test_g1_phase1_compacts_by_itself():
    bench = crowded(mode="phase1")
    bench.prepare()
    assert [entry.trigger for entry in bench.compactions] == ["auto"]


def test_g1_phase2_says_once_that_it_is_not_there_and_runs_phase1():
    bench = crowded(mode="phase2")
    bench.prepare()
    bench.prepare()
    assert [text for text in bench.notices if "phase2" in text] == [PRESETS["phase2"].notice]
    assert bench.compactions
    assert bench.engine.mode == "phase2"


@pytest.mark.parametrize("micro", ["cache_aware", "every_call"])
def test_g6_mode_none_sends_everything_as_it_is(micro):
    bench = crowded(mode="none", micro=micro)
    before = list(bench.store.entries)
    request = bench.prepare()
    assert bench.own(request) > bench.engine.usable
    assert bench.store.entries == before


@pytest.mark.parametrize("trigger", ["overflow", "max_tokens"])
def test_g6_c10_mode_none_does_not_compact_on_an_overflow_either(trigger):
    bench = crowded(mode="none")
    assert bench.compress(trigger) is None
    assert bench.provider.requests == []


@pytest.mark.parametrize("mode", list(PRESETS))
def test_g3_a_manual_compaction_works_in_every_mode(mode):
    bench = crowded(mode=mode)
    entry = bench.compress("manual", focus="the tests")
    assert entry.trigger == "manual"
    assert "the tests" in texts(bench.provider.requests[0])
    assert bench.own(bench.prepare()) < bench.engine.usable


def test_g3_a_manual_compaction_halves_even_a_small_conversation():
    bench = Bench("## State\nSUMMARY", window=200_000)
    bench.user("hello")
    for number in range(6):
        bench.step(words(1_000, f"s{number}_"))
    bench.say("done")
    entry = bench.compress()
    assert entry.tokens_after <= entry.tokens_before // 2 + 10


def test_g7_an_overflow_compacts_without_a_threshold_check():
    bench = Bench("## State\nSUMMARY", window=200_000)
    bench.user("go")
    for number in range(6):
        bench.step(words(1_000, f"s{number}_"))
    entry = bench.compress("overflow")
    assert entry.trigger == "overflow"
    assert entry.tokens_after < 0.6 * entry.tokens_before


def test_g7_an_overflow_with_too_few_messages_for_a_summary_is_truncated():
    bench = Bench("## State\nSUMMARY", window=200_000)
    bench.user("go")
    bench.step(words(20_000, "huge"))
    entry = bench.compress("overflow")
    assert entry.layer == "TRUNCATE"
    assert entry.tokens_after < entry.tokens_before // 10


def test_k7_a_cut_answer_compacts_without_a_threshold_check():
    bench = Bench("## State\nSUMMARY", window=200_000)
    bench.user("go")
    bench.step(words(3_000))
    bench.step(words(3_000))
    assert bench.compress("max_tokens").trigger == "max_tokens"


def test_g1_a_switch_counts_from_the_next_call_and_default_takes_it_back():
    bench = crowded(mode="phase1")
    bench.engine.switch("none")
    assert (bench.engine.mode, bench.engine.override, bench.engine.default_mode) == ("none", "none", "phase1")
    bench.prepare()
    assert not bench.compactions
    bench.engine.switch(None)
    assert (bench.engine.mode, bench.engine.override) == ("phase1", None)
    bench.prepare()
    assert bench.compactions
    assert [entry.mode for entry in bench.store.entries if isinstance(entry, Mode)] == ["none", ""]


def test_g1_a_switch_while_a_summary_is_being_written_lets_it_finish():
    bench = crowded(mode="phase1")

    def switching(request):
        bench.engine.switch("none")
        return "## State\nSUMMARY"

    bench.provider._replies[:] = [switching]
    request = bench.prepare()
    assert len(bench.compactions) == 1
    assert bench.engine.mode == "none"
    assert bench.own(request) <= bench.engine.usable


def test_g9_the_session_hook_is_called_after_a_compaction_was_persisted():
    bench = crowded()
    assert bench.engine.strategy.session_hook == bench.hooks.on_compact
    bench.prepare()
    assert bench.hooks.compactions == bench.compactions


def test_g8_results_of_memory_tools_are_never_cleared():
    bench = Bench(micro="every_call")
    bench.engine.strategy.set_memory_tools(["recall_memory"])
    bench.user("go")
    bench.step(words(300), "recall_memory", query="x")
    for number in range(4):
        bench.step(words(300, f"s{number}_"))
    results = [result.content for message in bench.prepare().messages for result in message.results]
    assert results[0].startswith("word0")
    assert results[1].startswith("[read_file")


def test_g11_an_unknown_mode_in_a_transcript_leaves_the_default():
    bench = Bench(mode="none")
    bench.ledger.mode("phase9")
    assert bench.engine.mode == "none"
    assert bench.engine.override is None
