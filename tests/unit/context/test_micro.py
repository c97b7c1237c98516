from agent_cli.context.micro import PROTECTED, candidates
from agent_cli.context.view import cleared
from agent_cli.core.entries import Clear
from agent_cli.core.usage import Usage
from tests.build import assistant, call, result, user
from tests.unit.context.doubles import Bench, spec, texts, words


def history(count, tokens=300):
    messages = [user("read")]
    for number in range(count):
        messages += [assistant(call(f"c{number}", path=f"f{number}.py")), result(f"c{number}", words(tokens))]
    return tuple(messages)


def filled(count=12, tokens=1_000, **fields):
    bench = Bench(**fields)
    bench.user("read them all")
    for number in range(count):
        bench.step(words(tokens, f"w{number}_"))
    return bench


def test_j1_old_results_become_placeholders_and_the_newest_three_stay_whole():
    bench = filled(6, micro="every_call")
    results = [r.content for message in bench.prepare().messages for r in message.results]
    assert all(content.startswith("[read_file src/file") for content in results[:3])
    assert [content.startswith("w") for content in results[3:]] == [True, True, True]


def test_j1_three_results_or_fewer_are_left_alone():
    bench = filled(3, micro="every_call")
    bench.prepare()
    assert not any(isinstance(entry, Clear) for entry in bench.store.entries)


def test_j1_the_pass_runs_before_every_call_and_clears_each_result_once():
    bench = filled(4, micro="every_call")
    bench.prepare()
    bench.prepare()
    bench.step(words(900))
    bench.prepare()
    clears = [entry.call_ids for entry in bench.store.entries if isinstance(entry, Clear)]
    assert clears == [("call_1",), ("call_2",)]


def test_j1_the_placeholder_names_tool_argument_and_size_through_the_call_id():
    messages = cleared(history(1), ["c0"])
    assert messages[2].results[0].content.startswith("[read_file f0.py: ")
    assert "characters" in messages[2].results[0].content
    assert cleared(history(1), ["c0"])[2].results == messages[2].results


def test_c20_never_a_placeholder_longer_than_the_result():
    assert candidates(history(5, tokens=6), keep=0, protected=()) == ()


def test_protected_kinds_and_errors_are_not_cleared():
    messages = (
        user("go"),
        assistant(call("a", "todo"), call("b", "shell", command="x"), call("c", "shell", command="y")),
        result("a", words(500)),
        result("b", words(500), is_error=True),
        result("c", words(500)),
    )
    assert candidates(messages, keep=0, protected=PROTECTED) == ("c",)


def test_a_call_id_used_twice_is_not_cleared_for_it_would_be_ambiguous():
    messages = (*history(1), assistant(call("c0")), result("c0", words(300)))
    assert candidates(messages, keep=0, protected=()) == ()


def test_c20_nothing_changes_without_token_pressure():
    bench = filled(12, tokens=60, window=128_000)
    before = bench.prepare()
    assert bench.prepare().messages is before.messages
    assert not any(isinstance(entry, Clear) for entry in bench.store.entries)


def test_c22_requests_only_grow_at_their_end_between_compactions():
    bench = Bench(window=200_000)
    bench.user("work")
    before = bench.prepare().messages
    for number in range(20):
        bench.step(words(900, f"w{number}_"))
        after = bench.prepare().messages
        assert after[: len(before)] == before
        before = after


def test_an_endpoint_without_cache_is_cleared_in_a_batch_worth_it():
    bench = Bench(model=spec(32_000, reports_cache=False))
    bench.user("work")
    cleared_at = []
    for number in range(9):
        bench.step(words(800, f"w{number}_"))
        bench.prepare()
        cleared_at += [number] if isinstance(bench.store.entries[-1], Clear) else []
    assert len(cleared_at) in (1, 2)
    first = next(entry for entry in bench.store.entries if isinstance(entry, Clear))
    assert len(first.call_ids) >= 3


def test_a_cold_cache_is_the_moment_to_clear():
    bench = filled(8, tokens=2_500, window=64_000)
    request = bench.prepare()
    bench.ledger.usage("test/model", Usage(9_000, 10), estimated=bench.engine.estimate(request))
    bench.prepare()
    assert not any(isinstance(entry, Clear) for entry in bench.store.entries)
    bench.clock.seconds += 61 * 60
    assert "cleared" in texts(bench.prepare())


def test_a_switch_of_the_model_is_the_moment_to_clear():
    bench = filled(8, tokens=2_500, window=64_000)
    assert "cleared" not in texts(bench.prepare())
    other = Bench(model=spec(64_000, name="other")).provider
    bench.engine.provider = other
    assert "cleared" in texts(bench.prepare())


def test_micro_off_never_clears_not_even_in_a_compaction():
    bench = filled(20, tokens=1_000, window=24_000, micro="off")
    bench.prepare()
    assert bench.compactions
    assert not any(isinstance(entry, Clear) for entry in bench.store.entries)
