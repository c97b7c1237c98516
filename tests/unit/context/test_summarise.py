"""The gate and the failure ladder of the summary call."""

import pytest

from agent_cli.core.errors import AuthFailed, ConnectionFailed, Overflow, RateLimited, ServerFailed
from agent_cli.core.messages import Thinking, ToolCall
from agent_cli.core.models import Request, StopReason
from agent_cli.tokens.count import Counter
from tests.unit.context.doubles import Bench, finished, spec, texts, words


def conversation(*replies, **fields) -> Bench:
    bench = Bench(*replies, **fields)
    bench.user("fix the parser")
    for number in range(5):
        bench.step(words(900, f"s{number}_"))
    bench.say("done")
    return bench


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        (finished(Thinking("hm")), "only thought"),
        (finished("calling", ToolCall("a", "shell", "{}")), "called a tool"),
        (finished("## Goal\nhalf", stop=StopReason.MAX_TOKENS), "cut off"),
        ('<tool_call>{"name": "shell"}</tool_call>', "wrote a tool call"),
        ('{"name": "shell", "arguments": {}}', "wrote a tool call"),
        ("<analysis>thinking aloud</analysis>", "empty"),
        (words(30_000), "longer than what it replaces"),
        (finished("no", stop=StopReason.REFUSAL), "declined"),
        ('I\'ll go on reading.\n<function_calls>\n<invoke name="read_file">', "wrote a tool call"),
        ('[TOOL_CALLS] [{"name": "shell"}]', "wrote a tool call"),
        ("<|tool_call|>shell", "wrote a tool call"),
        ('```json\n{"name": "shell", "arguments": {}}\n```', "wrote a tool call"),
        ("I'm sorry, I can't help with that.", "said too little"),
        ("x", "said too little"),
    ],
)
def test_c08_what_is_no_summary_is_rejected_and_the_machine_steps_in(answer, reason):
    bench = conversation(answer, window=128_000)
    entry = bench.compress()
    assert entry.by == "machine"
    assert reason in entry.note
    assert len(bench.provider.requests) == 3
    assert "fix the parser" in entry.summary
    assert any(reason in text for text in bench.notices)


def test_c08_a_good_answer_after_a_bad_one_is_taken():
    bench = conversation("", finished(Thinking("hm")), "## Goal\nFix the parser.")
    entry = bench.compress()
    assert entry.by == "model"
    assert "Fix the parser." in entry.summary
    assert bench.notices == []


def test_c08_scratch_pad_sections_are_stripped():
    bench = conversation("<analysis>let me see</analysis>\n<summary>## State\nGOOD</summary>")
    entry = bench.compress()
    assert "GOOD" in entry.summary
    assert "let me see" not in entry.summary


def test_the_summary_call_is_isolated():
    bench = conversation("## State\nGOOD")
    bench.compress()
    request = bench.provider.requests[0]
    assert request.tools == ()
    assert len(request.messages) == 1
    assert request.system != bench.prepare().system


def test_the_summariser_knows_what_the_user_waits_for():
    bench = conversation("## State\nGOOD")
    bench.user("and now the lexer")
    bench.step(words(900, "more"))
    bench.compress()
    asked = texts(bench.provider.requests[0])
    assert "<current_request>\nand now the lexer\n</current_request>" in asked
    assert bench.ledger.view.pending.text == "and now the lexer"


def test_c04_the_summary_request_fits_the_summariser():
    sizes = []

    def strict(request: Request):
        counter = Counter(1.0)
        sizes.append(counter.fixed(request.system, request.tools) + counter.messages(request.messages))
        return Overflow("context_length_exceeded") if sizes[-1] > 12_000 else "## State\nGOOD"

    bench = Bench(strict, window=16_000)
    for number in range(150):
        bench.user(words(700, f"u{number}_"))
        bench.say(words(900, f"a{number}_"))
    bench.user("and now?")
    request = bench.prepare()
    assert bench.compactions[0].by == "model"
    assert max(sizes) <= 12_000
    assert request.messages[-1].text == "and now?"


def test_c04_an_overflow_of_the_summariser_walks_down_the_ladder():
    def tiny(request: Request):
        return Overflow("too long") if len(texts(request)) > 2_200 else "## State\nSHORT BUT GOOD"

    bench = conversation(tiny)
    entry = bench.compress()
    asked = [len(texts(request)) for request in bench.provider.requests]
    assert asked == sorted(set(asked), reverse=True)
    assert entry.by == "model"


def test_c04_when_the_summariser_never_accepts_the_session_goes_on():
    bench = conversation(Overflow("too long"))
    entry = bench.compress()
    assert entry.by == "machine"
    assert "too long" in entry.note
    assert len(bench.provider.requests) <= 8
    bench.user("next")
    assert bench.prepare().messages[-1].text == "next"


@pytest.mark.parametrize("failure", [ServerFailed("500"), RateLimited("busy"), AuthFailed("bad key")])
def test_c35_what_the_retry_layer_gave_up_is_not_tried_again(failure):
    bench = conversation(failure)
    assert bench.compress().by == "machine"
    assert len(bench.provider.requests) == 1


def test_an_unreachable_server_costs_no_history_unless_a_compaction_was_asked_for():
    bench = conversation(ConnectionFailed("no route"), window=6_000)
    bench.user("go on")
    with pytest.raises(ConnectionFailed):
        bench.prepare()
    assert bench.compactions == []
    assert len(bench.provider.requests) == 1
    assert bench.compress().by == "machine"


def test_the_previous_summary_stays_when_the_next_one_fails():
    bench = conversation("## State\nTHE FIRST SUMMARY", "")
    bench.compress()
    for number in range(5):
        bench.step(words(900, f"t{number}_"))
    bench.say("more done")
    entry = bench.compress()
    assert entry.by == "machine"
    assert "THE FIRST SUMMARY" in entry.summary
    assert "could not be summarised" in entry.summary


def test_a_model_that_cannot_summarise_is_not_asked():
    bench = conversation("never", model=spec(32_000, can_summarise=False))
    entry = bench.compress()
    assert entry.by == "machine"
    assert entry.note == ""
    assert bench.provider.requests == []
    assert "fix the parser" in entry.summary
