import pytest

from agent_cli.context.repair import repair
from agent_cli.context.validate import problems
from agent_cli.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from tests.build import assistant, call, result, user
from tests.unit.context.doubles import Bench


def contents(messages):
    return [(r.call_id, r.content) for message in messages for r in message.results]


def test_a_sound_history_is_returned_as_the_very_same_object():
    history = (user("hi"), assistant("ok", call("a")), result("a"), assistant("done"))
    assert repair(history) is history
    assert problems(history) == ()


def test_c18_a_call_without_result_gets_one_that_says_so():
    mended = repair((user("hi"), assistant(call("a"), call("b")), result("a", "one"), user("again")))
    assert [message.role for message in mended] == ["user", "assistant", "tool", "tool", "user"]
    assert contents(mended)[0] == ("a", "one")
    assert mended[3].results[0].is_error
    assert problems(mended) == ()


def test_a_request_ends_on_the_users_side_since_an_answer_cannot_be_begun_for_the_model():
    bench = Bench()
    bench.user("hi")
    bench.say("Let me see. ")
    request = bench.prepare()
    assert [message.role for message in request.messages] == ["user", "assistant", "user"]
    assert request.messages[-1].origin == "loop"
    assert problems(request.messages) == ()


def test_c18_an_orphaned_or_doubled_result_is_dropped():
    mended = repair(
        (user("hi"), result("x", "orphan"), assistant(call("a")), result("a", "1"), result("a", "2"))
    )
    assert contents(mended) == [("a", "1")]


def test_results_are_put_in_the_order_of_their_calls():
    mended = repair(
        (user("hi"), assistant(call("a"), call("b")), result("b", "2"), user("wait"), result("a", "1"))
    )
    assert contents(mended) == [("a", "1"), ("b", "2")]
    assert [message.role for message in mended] == ["user", "assistant", "tool", "tool", "user"]


def test_repeated_call_ids_are_told_apart_and_keep_their_own_results():
    history = (
        user("hi"),
        assistant(call("a")),
        result("a", "first"),
        assistant(call("a")),
        result("a", "second"),
        assistant(call(""), call("")),
        result("", "third"),
    )
    mended = repair(history)
    assert [c.id for message in mended for c in message.calls] == ["a", "a-2", "call", "call-2"]
    assert contents(mended)[:3] == [("a", "first"), ("a-2", "second"), ("call", "third")]
    assert repair(history) == mended
    assert problems(mended) == ()


def test_a_result_that_came_after_its_id_was_used_again_belongs_to_the_second_call():
    mended = repair((user("hi"), assistant(call("a")), assistant(call("a")), result("a", "late")))
    assert [r.is_error for message in mended for r in message.results] == [True, False]


@pytest.mark.parametrize("arguments", ["", '{"path": "a', "[1]", "null"])
def test_half_or_wrong_arguments_become_an_empty_object(arguments):
    mended = repair((user("hi"), assistant(ToolCall("a", "shell", arguments)), result("a", "bad arguments")))
    assert mended[1].calls[0].arguments == "{}"
    assert contents(mended) == [("a", "bad arguments")]


def test_blank_parts_and_empty_messages_are_left_out():
    history = (
        user("hi"),
        assistant(Thinking("only thoughts", "sig")),
        assistant("  ", "said", Thinking()),
        Message("x", "t", "user", (Text(" "), Image("image/png", "aGk="))),
        user("\n"),
    )
    mended = repair(history)
    assert [message.parts for message in mended] == [
        (Text("hi"),),
        (Text("said"),),
        (Image("image/png", "aGk="),),
    ]


def test_an_empty_result_says_that_there_was_no_output():
    mended = repair((user("hi"), assistant(call("a")), result("a", " ")))
    assert contents(mended) == [("a", "(no output)")]


def test_signed_thinking_stays_with_its_call_byte_for_byte():
    history = (user("hi"), assistant(Thinking("why", "sig", wire="anthropic"), call("a")), result("a"))
    assert repair(history) is history


def test_results_inside_a_user_message_become_tool_messages():
    carried = Message("x", "t", "user", (ToolResult("a", "1"), ToolResult("b", "2"), Text("go on")))
    mended = repair((user("hi"), assistant(call("a"), call("b")), carried))
    assert [message.role for message in mended] == ["user", "assistant", "tool", "tool", "user"]
    assert problems(mended) == ()


def test_the_first_message_is_always_the_users():
    assert repair((assistant("hello"),))[0].role == "user"
    assert repair(())[0].role == "user"


@pytest.mark.parametrize(
    "broken",
    [
        (),
        (assistant("first"),),
        (user(" "),),
        (user("hi"), assistant(call("a"))),
        (user("hi"), assistant(call("a")), user("x"), result("a")),
        (user("hi"), assistant(call("a"), call("b")), result("b"), result("a")),
        (user("hi"), assistant(call("a")), result("a"), result("a")),
        (user("hi"), result("a")),
        (user("hi"), assistant("x"), result("a")),
        (user("hi"), assistant(call("a"), call("a")), result("a"), result("a")),
        (user("hi"), assistant(call("")), result("")),
        (user("hi"), assistant(ToolCall("a", "no name!", "{}")), result("a")),
        (user("hi"), assistant(ToolCall("a", "shell", "{")), result("a")),
        (user("hi"), assistant(call("a")), result("a", "")),
        (user("hi"), assistant(Thinking("only"))),
        (user("hi"), Message("x", "t", "user", (ToolCall("a", "shell", "{}"),))),
    ],
)
def test_the_validator_finds_what_a_wire_would_refuse_and_repair_mends_it(broken):
    assert problems(broken)
    assert problems(repair(broken)) == ()
