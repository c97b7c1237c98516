"""What the screen shows: banner, toolbar, answers, tool calls, compaction, at both sizes."""

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.screen.terminal import CTRL_D, ENTER, terminal

SIZES = [(80, 24), (120, 40)]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_banner_and_toolbar_name_what_is_in_force(size):
    with FakeServer([Reply("four")]) as server, terminal(server=server, size=size) as seen:
        for word in ("agent 0.", "openai/scripted", "context phase1", "permissions ask", "/help", "work"):
            assert word in seen.text
        seen.say("two plus two")
        seen.until("four")
        seen.idle()
        bar = next(line for line in reversed(seen.lines) if line)
        assert bar.startswith("  openai/scripted · ask · ")
        assert "k/24.6k " in bar
        assert "↑" in bar
        assert "↓" in bar
        assert all(len(line) <= size[0] for line in seen.lines)


def test_markdown_is_rendered_and_code_stays_code():
    answer = (
        "# Plan\n\nUse **bold** and `code`.\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    with FakeServer([Reply(answer)]) as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("x = 1")
        seen.idle()
        assert "**" not in seen.text
        assert "```" not in seen.text
        assert "# Plan" not in seen.text
        assert "  x = 1" in seen.lines


def test_an_edit_is_shown_as_a_diff_and_a_call_by_name_and_argument(work):
    (work / "a.txt").write_text("one\ntwo\n")
    edit = Call("edit_file", {"path": "a.txt", "old_text": "two", "new_text": "zwei"})
    script = [Reply(calls=(Call("read_file", {"path": "a.txt"}),)), Reply(calls=(edit,)), Reply("edited")]
    with FakeServer(script) as server, terminal("--permission-mode", "accept-edits", server=server) as seen:
        seen.say("translate")
        seen.until("edited")
        for line in ("● read_file a.txt", "● edit_file a.txt", "  -two", "  +zwei"):
            assert line in seen.lines


def test_a_running_tool_shows_its_output_and_seconds():
    call = Call("shell", {"command": "echo early; sleep 1.5; echo late"})
    with (
        FakeServer([Reply(calls=(call,)), Reply("finished")]) as server,
        terminal("--yolo", server=server) as seen,
    ):
        seen.say("go")
        seen.until("running shell 1 s")
        assert "  early" in seen.lines
        seen.until("finished")


def test_compaction_is_one_line_with_tokens_before_and_after():
    replies = [Reply("word " * 400) for _ in range(4)] + [Reply("## Goal\nsummary of it all")]
    with FakeServer(replies) as server, terminal(server=server, size=(120, 40)) as seen:
        for number in range(4):
            seen.say(f"question {number}")
            seen.until(f"› question {number}")
            seen.idle()
        seen.say("/compress")
        seen.until("⇣ compacted (manual):")
        line = next(line for line in seen.lines if "⇣" in line)
        assert "→" in line
        assert line.count("tokens") == 1
        assert "8 → " in line


BRACKETS = ("[/path]", "[/]", "{type}[/{x}...]/read", "[\\]", "[link=x]", "<b>tag</b>", "[red]no[/red]")


def test_c63_brackets_are_literal_in_every_place():
    call = Call("shell", {"command": "\n".join(f"echo '{text}'" for text in BRACKETS)})
    script = [Reply("\n\n".join(f"said {text} so" for text in BRACKETS), calls=(call,)), Reply("after")]
    with FakeServer(script) as server, terminal(server=server, size=(120, 40)) as seen:
        seen.say(" ".join(BRACKETS))
        seen.until("Allow shell?")
        assert f"› {' '.join(BRACKETS)}" in seen.lines
        for text in BRACKETS:
            assert f"said {text} so" in seen.lines
            assert f"    echo '{text}'" in seen.lines
        seen.answer("y")
        seen.until("after")
        for text in BRACKETS[3:]:
            assert f"  {text}" in seen.lines


def test_c63_control_characters_from_outside_never_reach_the_terminal():
    evil = "a\x1b]0;owned\x07b\x1b[2Jc\u202ed"
    with FakeServer([Reply(evil)]) as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("abcd")
        assert b"owned" not in seen.raw
        assert b"\x1b[2J" not in seen.raw


def test_no_color_has_no_colour():
    with (
        FakeServer([Reply("`code` and\n\n```python\nx = 'a'\n```\n")]) as server,
        terminal(server=server, env={"NO_COLOR": "1"}) as seen,
    ):
        seen.say("go")
        seen.until("x = 'a'")
        seen.idle()
    colours = [
        f"\x1b[{start}{code}m".encode()
        for start in ("", "0;", "1;")
        for code in (31, 32, 33, 34, 35, 36, 90, 94)
    ]
    assert [colour for colour in colours if colour in seen.raw] == []


def test_c67_a_long_answer_is_printed_once_and_nothing_clears_the_scrollback():
    rows = "\n".join(f"| row{n:03} | 日本語{n} |" for n in range(120))
    code = "\n".join(f"line{n:03} = '漢字 😀'" for n in range(100))
    answer = f"| name | text |\n|---|---|\n{rows}\n\n```python\n{code}\n```\nend of it\n"
    with FakeServer([Reply(answer, chunk=60, pace=0.002)]) as server, terminal(server=server) as seen:
        seen.say("go")
        seen.until("line020")
        seen.child.setwinsize(24, 40)
        seen.screen.resize(24, 40)
        seen.until("end of it", 20)
        seen.idle()
        for n in range(120):
            assert seen.text.count(f"row{n:03}") == 1
        for n in range(100):
            assert seen.text.count(f"line{n:03}") <= 1 + (15 <= n <= 60)
        assert b"\x1b[3J" not in seen.raw
        assert b"\x1b[2J" not in seen.raw


def test_a_resumed_session_shows_its_last_messages_and_the_end_says_how_to_resume():
    with FakeServer([Reply("the answer is blue"), Reply("still blue")]) as server:
        with terminal(server=server) as seen:
            seen.say("which colour")
            seen.until("the answer is blue")
            seen.idle()
            seen.send(CTRL_D)
            assert seen.ended() == 0
            assert "agent -r " in seen.text
        with terminal("-c", server=server) as seen:
            assert "› which colour" in seen.text
            assert "  the answer is blue" in seen.lines
            seen.say("and now")
            seen.until("still blue")


def test_a_prompt_on_the_command_line_is_the_first_message():
    with FakeServer([Reply("hello there")]) as server, terminal("say", "hello", server=server) as seen:
        seen.until("› say hello")
        seen.until("hello there")


def test_a_narrow_terminal_still_works():
    with (
        FakeServer([Reply("a narrow answer of some words")]) as server,
        terminal(server=server, size=(20, 24), ready=False) as seen,
    ):
        seen.until("scripted")
        seen.say("hi")
        seen.until("narrow")
        seen.send("x" * 30)
        seen.send(ENTER)
        assert all(len(line) <= 20 for line in seen.lines)
