"""Permission questions: what they show, which keys answer them, and which never do."""

import json

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.screen.terminal import PAUSE, pasted, terminal

TOUCH = Call("shell", {"command": "touch made"})


def asks(call=TOUCH, last="told"):
    return FakeServer([Reply(calls=(call,)), Reply(last)])


def test_once_session_always_and_no_mean_what_they_say(work):
    """Each request runs its command twice."""

    def script(seen):
        last = seen.body["messages"][-1]
        if last["role"] == "user":
            return Reply(
                calls=tuple(Call("shell", {"command": f"echo x >> {last['content']}"}) for _ in "ab")
            )
        return Reply(f"end of {len(seen.body['messages'])}")

    with FakeServer(script) as server, terminal(server=server) as seen:
        for name, keys in {"once": "yy", "session": "a", "always": "p", "refused": "nn"}.items():
            seen.say(name)
            for key in keys:
                seen.answer(key)
            seen.idle()
    with FakeServer(script) as server, terminal(server=server) as seen:
        seen.say("always")
        seen.until("end of")
        seen.say("session")
        seen.answer("n")
    lines = {path.name: path.read_text().count("x") for path in work.iterdir() if path.is_file()}
    assert lines == {"once": 2, "session": 2, "always": 4}


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


def test_c65_pasted_keys_never_answer(work):
    with asks() as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("Allow shell?")
        for keys in (pasted("y\n"), "y\n", "y\r"):
            seen.pump(PAUSE)
            seen.send(keys)
            seen.pump(0.3)
            assert "Allow shell?" in "\n".join(seen.screen.display)
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
