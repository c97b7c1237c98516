"""Every stop reason of both wires ends in an answer, or in an error that keeps what was said (K7, K10)."""

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.flow.running import FAST, WIRES, run

CUT = {"openai": "length", "anthropic": "max_tokens"}
FULL = "model_context_window_exceeded"
DECLINED = {"openai": "content_filter", "anthropic": "refusal"}
SUMMARY = "## State\nAt work on it.\n## Next step\nGo on."


@pytest.mark.parametrize("wire", WIRES)
def test_k10_a_declined_answer_is_an_error_that_shows_what_was_said(wire):
    with FakeServer([Reply("I will not do that.", stop=DECLINED[wire]), Reply("hello")]) as server:
        done = run("-p", "x", "--output-format", "json", server=server, wire=wire)
        assert (done.code, done.result["is_error"]) == (1, True)
        assert "I will not do that." in done.result["error"]
        assert run("-c", "-p", "hi", server=server, wire=wire).out == "hello\n"
        assert server.refused == []


@pytest.mark.parametrize("wire", WIRES)
def test_k10_a_declined_answer_with_a_call_runs_nothing_and_leaves_a_valid_history(wire, work):
    declined = Reply("No.", calls=(Call("shell", {"command": "touch ran"}),), stop=DECLINED[wire])
    with FakeServer([declined, Reply("hello")]) as server:
        assert run("-p", "x", "--yolo", server=server, wire=wire).code == 1
        assert run("-c", "-p", "hi", server=server, wire=wire).out == "hello\n"
        assert server.refused == []
    assert not (work / "ran").exists()


def test_k10_a_paused_answer_goes_on_and_its_calls_are_run(work):
    paused = Reply("Working.", calls=(Call("shell", {"command": "touch ran"}),), stop="pause_turn")
    with FakeServer([Reply("One moment. ", stop="pause_turn"), paused, Reply("done")]) as server:
        done = run("-p", "x", "--yolo", server=server, wire="anthropic")
        assert (done.code, done.out, server.refused) == (0, "done\n", [])
    assert (work / "ran").exists()


@pytest.mark.parametrize("wire", WIRES)
def test_k7_an_answer_after_a_cut_call_stands_alone(wire):
    cut = Reply(
        "Let me write.", calls=(Call("write_file", '{"path": "a.txt", "content": "aaa'),), stop=CUT[wire]
    )
    with FakeServer([cut, Reply("It is too long, sorry.")]) as server:
        done = run("-p", "x", "--yolo", server=server, wire=wire)
    assert (done.code, done.out) == (0, "It is too long, sorry.\n")


@pytest.mark.parametrize("wire", WIRES)
def test_k7_a_cut_answer_without_a_word_does_not_excuse_an_empty_one(wire):
    cut = Reply("", thinking="so long a thought", stop=CUT[wire])
    with FakeServer([cut, Reply(""), Reply("")]) as server:
        done = run("-p", "x", *FAST, server=server, wire=wire)
        assert len(server.requests) == 3
    assert (done.code, done.out) == (1, "")
    assert "empty" in done.err


@pytest.mark.parametrize("wire", WIRES)
def test_k7_an_answer_that_is_always_cut_is_given_up_with_all_its_pieces(wire):
    with FakeServer(lambda request: Reply("more ", stop=CUT[wire])) as server:
        done = run("-p", "x", "--output-format", "json", server=server, wire=wire)
        assert (done.code, server.refused) == (1, [])
        assert len(server.requests) <= 10
    assert done.result["result"].count("more") == len(server.requests)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("how", ["full", "compact"])
def test_k7_where_the_window_is_full_the_step_is_compacted_and_asked_again(wire, how):
    stop, extra = (FULL, ()) if how == "full" else (CUT[wire], ("--set", "context.on_max_tokens=compact"))

    def script(request):
        if not request.tools:
            return Reply(SUMMARY)
        script.asked += 1
        if script.asked == 5:
            return Reply("half an ans", stop=stop)
        return Reply("fine " * 300)

    script.asked = 0
    with FakeServer(script) as server:
        for turn in range(4):
            run("-p", "x", *(["-c"] if turn else []), server=server, wire=wire)
        done = run("-c", "-p", "y", "--output-format", "json", *extra, server=server, wire=wire)
        assert server.refused == []
    assert (done.code, done.result["compactions"]) == (0, 1)
    assert "half" not in done.result["result"]


@pytest.mark.parametrize("wire", WIRES)
def test_k7_with_nothing_to_compact_the_partial_answer_is_returned_as_an_error(wire):
    with FakeServer(lambda request: Reply("half an ans", stop=CUT[wire])) as server:
        done = run(
            "-p",
            "x",
            "--output-format",
            "json",
            "--set",
            "context.on_max_tokens=compact",
            server=server,
            wire=wire,
        )
        assert len(server.requests) == 1
    assert (done.code, done.result["result"]) == (1, "half an ans")


@pytest.mark.parametrize("wire", WIRES)
def test_c05_a_step_of_thirty_large_results_is_seen_whole_in_a_small_window(wire):
    calls = tuple(
        Call("shell", {"command": f"echo result {number}; seq {number} 2000"}) for number in range(30)
    )
    with FakeServer([Reply("go", calls=calls), Reply("seen")], window=16_384) as server:
        done = run("-p", "x", "--yolo", "--max-context-tokens", "16384", server=server, wire=wire)
        assert (done.code, done.out, server.refused) == (0, "seen\n", [])
        last = str(server.requests[-1].body["messages"])
        assert server.requests[-1].input_tokens <= 12_288
    assert [number for number in range(30) if f"result {number}\\n" not in last] == []
