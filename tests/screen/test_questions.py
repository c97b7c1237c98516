"""Permission questions: what they show, which keys answer them, and which never do."""

import json

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.screen.terminal import DOWN, ENTER, PAUSE, pasted, terminal

TOUCH = Call("shell", {"command": "touch made"})


def asks(call=TOUCH, times=1, last="told"):
    return FakeServer([*(Reply(calls=(call,)) for _ in range(times)), Reply(last)])


@pytest.mark.parametrize(("key", "made"), [("y", True), ("a", True), ("p", True), ("n", False)])
def test_letters_answer(key, made, work):
    with asks() as server, terminal(server=server) as seen:
        seen.say("go")
        seen.answer(key)
        seen.until("told")
        assert (work / "made").exists() is made


@pytest.mark.parametrize(("key", "again"), [("y", True), ("a", False), ("p", False)])
def test_once_is_asked_again_and_session_and_always_are_not(key, again):
    with asks(times=2) as server, terminal(server=server) as seen:
        seen.say("go")
        seen.answer(key)
        if again:
            seen.answer("y")
        seen.until("told")


def test_always_holds_in_the_next_run():
    with asks() as server, terminal(server=server) as seen:
        seen.say("go")
        seen.answer("p")
        seen.until("told")
    with asks() as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("told")


def test_what_to_do_instead_is_told_to_the_model_and_the_draft_comes_back(work):
    with asks(last="understood") as server, terminal(server=server) as seen:
        seen.say("go")
        seen.send("my dra")
        seen.until("Allow shell?")
        seen.send("ft")
        seen.answer("e")
        seen.until("instead ›")
        seen.say("use mkdir")
        seen.until("understood")
        seen.until("› my draft")
        assert "use mkdir" in json.dumps(server.requests[-1].body)
        assert not (work / "made").exists()


def test_c65_keys_typed_ahead_never_answer(work):
    with asks() as server, terminal(server=server) as seen:
        seen.say("go")
        for _ in range(12):
            seen.send("y", "n")
            seen.pump(0.1)
        seen.until("Allow shell?")
        assert not (work / "made").exists()
        assert "told" not in seen.text
        seen.answer("y")
        seen.until("told")
        assert (work / "made").exists()


@pytest.mark.parametrize(
    "keys", [pasted("y\n"), "y\n", "y\r"], ids=["paste", "unmarked paste", "two keys at once"]
)
def test_c65_pasted_keys_never_answer(keys, work):
    with asks() as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("Allow shell?")
        seen.pump(PAUSE)
        seen.send(keys)
        seen.pump(0.5)
        assert "Allow shell?" in "\n".join(seen.screen.display)
        assert not (work / "made").exists()


def test_arrows_choose_and_enter_accepts(work):
    with asks() as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("Allow shell?")
        seen.pump(PAUSE)
        seen.send(DOWN, DOWN, DOWN)
        seen.until("› 4")
        seen.send(ENTER)
        seen.until("refused")
        assert not (work / "made").exists()


def test_c63_hidden_characters_of_a_command_are_spelled_out():
    call = Call("shell", {"command": "ls \u202egnp\u202c \u200b\x07 caf\u00e9 \u65e5\u672c # \u00a0"})
    with asks(call) as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("Allow shell?")
        assert "    ls <U+202E>gnp<U+202C> <U+200B><U+0007> café 日" in seen.text
        assert "<U+00A0>" in seen.text
        assert "\u202e".encode() not in seen.raw


def test_a_diff_is_shown_before_an_edit(work):
    (work / "a.txt").write_text("one\ntwo\n")
    edit = Call("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "zwei"})
    with (
        FakeServer([Reply(calls=(Call("read_file", {"path": "a.txt"}), edit)), Reply("told")]) as server,
        terminal(server=server) as seen,
    ):
        seen.say("go")
        seen.until("Allow edit_file?")
        assert "-two" in seen.lines
        assert "+zwei" in seen.lines
        assert (work / "a.txt").read_text() == "one\ntwo\n"
        seen.answer("y")
        seen.until("told")
        assert (work / "a.txt").read_text() == "one\nzwei\n"


def test_the_question_stands_below_what_the_model_said_before_it():
    script = [Reply("First I say this.", calls=(TOUCH,)), Reply("told")]
    with FakeServer(script) as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("Allow shell?")
        assert seen.text.index("First I say this.") < seen.text.index("? shell")
