"""What the pieces of a conversation look like."""

import re

import pytest
from rich.cells import cell_len

from agent_cli.core.entries import Compaction
from agent_cli.core.events import ToolFinished
from agent_cli.core.messages import ToolCall, ToolResult
from agent_cli.render import events
from agent_cli.render.blocks import Code, Prose
from agent_cli.render.markdown import rendered
from agent_cli.render.paint import Painter

PLAIN = Painter(plain=True)


def shown(renderable, width=80) -> str:
    return PLAIN.ansi(renderable, width)


def finished(name="shell", content="out", title="ls", **fields):
    error = fields.pop("is_error", False)
    return ToolFinished(ToolCall("c", name, "{}"), ToolResult("c", content, error), title, **fields)


@pytest.mark.parametrize(
    "text",
    [
        "[/path] [/] {type}[/{x}...]/read",
        "[\\]",
        "[link=x]",
        "[x]: http://y",
        "a <b> c </b>",
        "back\\slash \\*",
    ],
)
def test_c63_nothing_that_was_written_vanishes(text):
    assert shown(rendered(Prose(text))) == text


def test_c63_code_is_literal():
    assert shown(rendered(Code("[/] <b> `x`", "no-such-language", True))) == "  [/] <b> `x`"


@pytest.mark.parametrize("width", [20, 40, 80, 120])
def test_c67_lines_never_pass_the_width_in_cells(width):
    table = "| name | text |\n|---|---|\n| 漢字漢字 | 日本語のテキスト 😀 and words |"
    for block in (
        Prose("漢字 😀 " * 40),
        Prose(table),
        Code("漢字 = 1 " * 20, "python", True),
        Prose("- " + "ab " * 60),
    ):
        assert max(cell_len(line) for line in shown(rendered(block), width).split("\n")) <= width


def test_a_heading_stands_at_the_left():
    assert shown(rendered(Prose("# Title"))) == "Title"


def test_the_end_of_a_command_is_shown_and_its_beginning_counted():
    lines = shown(events.finished(finished(content="\n".join(f"line {n}" for n in range(50))))).split("\n")
    assert lines[0] == "● shell ls"
    assert lines[1] == "  … 45 lines above"
    assert lines[-1] == "  line 49"


def test_of_a_file_only_the_number_of_lines_is_shown():
    assert shown(events.finished(finished("read_file", "a\nb\nc", "x.py"))) == "● read_file x.py\n  3 lines"


def test_an_edit_is_its_diff_without_the_header():
    event = finished("edit_file", "ok", "x.py", display="--- x.py\n+++ x.py\n@@ -1 +1 @@\n-a\n+b")
    assert shown(events.finished(event)) == "● edit_file x.py\n  @@ -1 +1 @@\n  -a\n  +b"


def test_a_long_diff_is_cut_and_says_so():
    text = shown(events.diff("\n".join(f"+{n}" for n in range(100)), 10))
    assert text.endswith("… 90 more lines")


def test_a_denied_call_says_so():
    assert "not allowed: because" in shown(
        events.finished(finished(content="because", is_error=True, denied=True))
    )


def test_a_compaction_is_one_line_with_its_money():
    entry = Compaction("c1", "", "SUMMARIZE", "auto", 84, 12, 45_200, 9_800)
    line = shown(events.compacted(entry, 0.0123))
    assert line == "⇣ compacted (auto): 84 → 12 messages, 45,200 → 9,800 tokens · $0.0123"
    assert "$" not in shown(events.compacted(entry, None))


def test_without_colour_only_weight_is_left_and_plain_has_no_codes():
    block = Code("x = 'a'", "python", True)
    codes = re.findall(r"\x1b\[([0-9;]*)m", Painter(colour=False).ansi(rendered(block), 80))
    assert all(code in ("", "0", "1", "2", "3", "4") for code in codes)
    assert re.search(r"\x1b\[[0-9;]*3[0-7]", Painter().ansi(rendered(block), 80))
    assert "\x1b" not in PLAIN.ansi(rendered(block), 80)
