import pytest

from agent_cli.context.ledger import Ledger
from agent_cli.context.view import View, fold_all
from agent_cli.core.errors import AgentError
from agent_cli.core.messages import Image, Text
from agent_cli.core.usage import Usage
from tests.build import FakeClock, assistant, call, result, user
from tests.unit.context.doubles import Bench, MemoryStore


def test_the_ledger_stamps_ids_that_go_on_after_a_resume():
    bench = Bench()
    bench.user("one")
    bench.say("two")
    assert [entry.id for entry in bench.store.entries] == ["m1", "m2"]
    again = bench.resumed()
    assert again.user("three").id == "m3"
    assert again.ledger.view.messages[:2] == bench.ledger.view.messages


def test_an_entry_the_store_refuses_does_not_change_the_view():
    class Full(MemoryStore):
        def append(self, entry):
            raise AgentError("the disk is full")

    ledger = Ledger(Full(), FakeClock())
    with pytest.raises(AgentError):
        ledger.message("user", (Text("hi"),))
    assert ledger.view == View()


def test_the_pending_message_is_the_last_one_typed_until_the_turn_has_its_answer():
    first = user("go")
    assert fold_all([first]).pending is first
    assert fold_all([first, assistant(call("a"))]).pending is first
    assert fold_all([first, assistant(call("a")), result("a")]).pending is first
    assert fold_all([first, user("[output]", origin="shell")]).pending is first
    assert fold_all([first, assistant("done")]).pending is None
    assert fold_all([first, assistant(" ")]).pending is first
    assert fold_all([]).pending is None


def test_the_todo_list_is_the_last_one_the_tool_rendered():
    view = fold_all(
        [
            user("go"),
            assistant(call("a", "todo")),
            result("a", "1. [ ] one"),
            assistant(call("b", "todo"), call("c", "shell")),
            result("b", "1. [x] one"),
            result("c", "output"),
        ]
    )
    assert view.todo == "1. [x] one"


def test_usage_of_a_summary_is_no_anchor_for_the_next_count():
    bench = Bench()
    bench.user("go")
    bench.ledger.usage("test/model", Usage(100, 5), purpose="summary", estimated=90)
    assert bench.ledger.view.anchor is None
    entry = bench.ledger.usage("test/model", Usage(100, 5), estimated=90)
    assert bench.ledger.view.anchor is entry


def test_images_the_user_sent_are_named_in_the_record():
    bench = Bench("SUMMARY")
    bench.ledger.message("user", (Text("look"), Image("image/png", "aGk=")))
    bench.step("seen")
    bench.say("ok")
    bench.user("next")
    entry = bench.compress()
    assert "look\n[image]" in entry.summary
