"""Keys, pastes, history, completion, shell lines, the queue."""

import json
import stat

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.screen.terminal import (
    CTRL_C,
    CTRL_D,
    CTRL_G,
    CTRL_J,
    CTRL_R,
    DOWN,
    ENTER,
    ESC,
    PAUSE,
    SHIFT_TAB,
    TAB,
    UP,
    pasted,
    terminal,
)


def sent(server: FakeServer) -> list[str]:
    """What the model was told by the user, newest request."""
    return [
        str(message["content"])
        for message in server.requests[-1].body["messages"]
        if message["role"] == "user"
    ]


def test_three_ways_to_a_new_line_and_enter_sends():
    with FakeServer([Reply("ok then")]) as server, terminal(server=server) as seen:
        seen.send("a", CTRL_J, "b", f"{ESC}{ENTER}", "c\\", ENTER, "d", ENTER)
        seen.until("ok then")
        assert sent(server) == ["a\nb\nc\nd"]


def test_c65_a_paste_is_one_message_and_its_slash_lines_are_text():
    script = [Reply("one message"), Reply("just text"), Reply("no codes")]
    with FakeServer(script) as server, terminal(server=server) as seen:
        seen.send(pasted("a\r\nb\r\n/exit\r\n"))
        seen.pump(0.3)
        assert server.requests == []
        seen.send(ENTER)
        seen.until("one message")
        seen.send(pasted("/exit\n!touch made\n"), ENTER)
        seen.until("just text")
        seen.send(pasted("red \x1b[31mtext\x1b[0m"), ENTER)
        seen.until("no codes")
        assert sent(server) == ["a\nb\n/exit", "/exit\n!touch made", "red text"]


def test_c65_five_megabytes_are_shown_folded_and_sent_whole(work):
    text = "\n".join(f"{n:07} {'x' * 92}" for n in range(52_000))
    script = [Reply("read all")]
    with FakeServer(script, window=10_000_000) as server:
        with terminal(server=server, env={}) as seen:
            seen.send("look: ")
            for start in range(0, len(whole := pasted(text)), 4_000):
                seen.child.send(whole[start : start + 4_000])
            seen.until("52,000 lines", 20)
            seen.send(ENTER)
            seen.until("does not fit", 40)
            assert "0001000" not in seen.text
        transcript = next((work / "transcripts").glob("*.jsonl")).read_text()
    lines = [json.loads(line) for line in transcript.splitlines()]
    assert next(line for line in lines if line.get("role") == "user")["parts"][0]["text"] == f"look: {text}"


def test_history_is_per_project_private_and_searched(home):
    with FakeServer([Reply("one"), Reply("two"), Reply("three")]) as server:
        with terminal(server=server) as seen:
            seen.say("find the needle")
            seen.until("one")
            seen.say("other words")
            seen.until("two")
        with terminal(server=server) as seen:
            seen.send(UP)
            seen.until("› other words")
            seen.send(CTRL_C, CTRL_R, "needle")
            seen.until("› find the needle")
            seen.send(ENTER)
            seen.send(ENTER)
            seen.until("three")
            assert sent(server)[-1] == "find the needle"
    files = list((home / "agent" / "state" / "history").iterdir())
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600]


def test_slash_completion_comes_from_the_registry():
    with terminal() as seen:
        seen.send("/comp")
        seen.until("replace older messages by a summary now")
        seen.send(TAB)
        seen.until("› /compress")
        seen.send(CTRL_C, CTRL_C)
        seen.send("/context mode ph")
        seen.until("mode phase2")


def test_file_completion_is_fuzzy_and_skips_ignored_files(work):
    (work / ".git").mkdir()
    (work / ".gitignore").write_text("build/\n")
    (work / "build").mkdir()
    (work / "build" / "special_module.py").write_text("")
    (work / "src").mkdir()
    (work / "src" / "special_module.py").write_text("")
    with FakeServer([Reply("seen")]) as server, terminal(server=server) as seen:
        seen.send("look at @spmod")
        seen.until("src/special_module.py")
        assert "build/" not in seen.text
        seen.send(TAB)
        seen.until("› look at @src/special_module.py")
        seen.send(ENTER)
        seen.send(ENTER)
        seen.until("seen")
        assert sent(server) == ["look at @src/special_module.py"]


def test_one_mark_joins_the_context_and_two_do_not():
    with FakeServer([Reply("noted")]) as server, terminal(server=server) as seen:
        seen.say("!!echo secret-$((40+2))")
        seen.until("secret-42")
        seen.say("!echo shared-$((40+2))")
        seen.until("shared-42")
        assert server.requests == []
        seen.say("what did I run")
        seen.until("noted")
        told = "\n".join(sent(server))
        assert "shared-42" in told
        assert "secret-42" not in told
        assert not server.refused


def test_the_editor_edits_the_message(work):
    editor = work / "editor.sh"
    editor.write_text(
        '#!/bin/sh\nprintf "%s and edited" "$(cat "$1")" > "$1.new"; cat "$1.new" > "$1"; rm "$1.new"\n'
    )
    editor.chmod(0o755)
    with FakeServer([Reply("fine")]) as server, terminal(server=server, env={"VISUAL": str(editor)}) as seen:
        for number, keys in enumerate((CTRL_G, "\x18\x05")):
            seen.send(f"draft{number}", keys)
            seen.until(f"› draft{number} and edited")
            seen.send(CTRL_C)
        seen.say("x")
        seen.until("fine")


def test_messages_sent_while_it_works_wait_and_the_last_can_be_taken_back():
    script = [Reply("first answer", delay=1.5), Reply("second answer")]
    with FakeServer(script) as server, terminal(server=server) as seen:
        seen.say("one")
        seen.until("thinking")
        seen.say("two")
        seen.until("1 queued")
        seen.say("three")
        seen.until("2 queued")
        seen.send(UP)
        seen.until("1 queued")
        seen.until("› three")
        seen.send(CTRL_J)
        seen.until("second answer")
        seen.idle()
        assert sent(server) == ["one", "two"]


def test_a_command_that_may_runs_beside_the_turn():
    with FakeServer([Reply("slow answer", delay=2)]) as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("thinking")
        seen.say("/context mode none")
        seen.until("Context mode: none", 1.5)
        assert "slow answer" not in seen.text
        seen.until("slow answer")


def test_shift_tab_goes_through_the_modes():
    with terminal() as seen:
        for mode in ("accept-edits", "plan", "ask"):
            seen.send(SHIFT_TAB)
            seen.until(f"· {mode} ·")


def test_ctrl_c_clears_and_quits_only_twice_and_on_an_empty_input():
    with terminal() as seen:
        seen.send("some words", CTRL_D)
        seen.send(CTRL_C)
        seen.gone("some words")
        seen.send(CTRL_C)
        seen.until("Ctrl+C again to quit")
        seen.pump(1.3)
        seen.send(CTRL_C)
        seen.pump(0.3)
        assert seen.child.isalive()
        seen.send(CTRL_C)
        assert seen.ended() == 0


def test_resume_offers_a_choice_and_model_goes_on_with_another():
    script = [Reply("about apples"), Reply("about pears"), Reply("apples again")]
    with (
        FakeServer(script, models=("scripted", "other")) as server,
        terminal("-m", "openai/scripted", server=server) as seen,
    ):
        seen.say("apples?")
        seen.until("about apples")
        seen.idle()
        seen.say("/clear")
        seen.until("New session")
        seen.say("pears?")
        seen.until("about pears")
        seen.idle()
        seen.say("/resume")
        seen.until("Go on with which session?")
        seen.send(ENTER)
        seen.until("› apples?")
        seen.pump(0.5)
        seen.say("/model anthropic/claude-none")
        seen.until_times("openai/scripted · context", 4)
        seen.pump(0.3)
        assert "✗" in seen.text
        seen.say("/model openai/other")
        seen.until("openai/other · context")
        seen.say("again")
        seen.until("apples again")
        assert server.requests[-1].body["model"] == "other"
        assert sent(server) == ["apples?", "again"]


def test_a_wrong_command_is_told_and_not_sent():
    with FakeServer([]) as server, terminal(server=server) as seen:
        seen.say("/contxt")
        seen.until("/context?")
        assert server.requests == []


def test_keys_typed_before_the_session_is_open_are_kept():
    with FakeServer([Reply("early bird")]) as server, terminal(server=server, ready=False) as seen:
        seen.until("›")
        seen.send("typed early")
        seen.until("typed early")
        seen.send(ENTER)
        seen.until("early bird")


def test_a_menu_of_calls_with_arrows_and_numbers(work):
    call = Call("shell", {"command": "touch made"})
    with FakeServer([Reply(calls=(call,)), Reply("told")]) as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("Allow shell?")
        seen.pump(PAUSE)
        seen.send(DOWN, DOWN)
        seen.until("› 3")
        seen.send("4")
        seen.until("› 4")
        seen.send(ENTER)
        seen.until("told")
        assert not (work / "made").exists()
