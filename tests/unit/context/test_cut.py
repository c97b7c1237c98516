from agent_cli.context.cut import find_safe_cut
from agent_cli.context.repair import repair
from agent_cli.context.validate import problems
from tests.build import assistant, call, result, user

HISTORY = (
    user("start"),
    assistant("reading", call("a"), call("b"), call("c")),
    result("a"),
    result("b"),
    result("c"),
    assistant("done"),
    user("more"),
    assistant(call("d")),
    result("d"),
    assistant("end"),
)


def test_k3_a_cut_on_a_plain_message_stays_where_it_is():
    assert find_safe_cut(HISTORY, 4) == 6


def test_k3_a_cut_on_a_result_walks_back_to_its_call():
    assert find_safe_cut(HISTORY, 6) == 1
    assert find_safe_cut(HISTORY, 2) == 7


def test_k3_nothing_to_cut_when_all_is_kept():
    assert find_safe_cut(HISTORY, len(HISTORY)) == 0
    assert find_safe_cut(HISTORY, 99) == 0
    assert find_safe_cut((), 0) == 0


def test_k3_no_safe_cut_when_results_go_back_to_the_start():
    assert find_safe_cut((assistant(call("a"), call("b")), result("a"), result("b")), 1) == 0


def test_k3_keeping_nothing_cuts_at_the_end():
    assert find_safe_cut(HISTORY, 0) == len(HISTORY)


def test_c18_every_kept_tail_is_valid_at_every_length():
    for keep in range(1, len(HISTORY) + 1):
        tail = HISTORY[find_safe_cut(HISTORY, keep) :]
        assert problems((user("summary"), *tail)) == ()
        assert problems(repair(HISTORY[-keep:])) == ()
