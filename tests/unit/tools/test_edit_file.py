"""Edits: exact, unique, byte for byte outside (C51, C52, C54, C55)."""

import pytest

from agent_cli.core.tools import ToolFailure, WritePath
from agent_cli.tools.base import parse_arguments


def edited(tools, work, before, old, new, **more):
    path = work / "f"
    path.write_bytes(before)
    tools.run("edit_file", path="f", old_text=old, new_text=new, **more)
    return path.read_bytes()


def refused(tools, work, before, old, new, **more):
    path = work / "f"
    path.write_bytes(before)
    with pytest.raises(ToolFailure) as failure:
        tools.run("edit_file", path="f", old_text=old, new_text=new, **more)
    assert path.read_bytes() == before
    return str(failure.value)


@pytest.mark.parametrize("replace_all", [False, True])
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc", "a\nb", "A\nB", b"A\r\nB\r\nc"),
        (b"a\r\nb\r\nc", "b", "x\ny", b"a\r\nx\r\ny\r\nc"),
        (b"a\r\nb\r\nc", "c", "x\ny", b"a\r\nb\r\nx\r\ny"),
        (b"a\r\nb\r\nc", "a\r\nb", "A\r\nB", b"A\r\nB\r\nc"),
        (b"a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", b"a\r\nB\nc\r\n"),
        (b"a\r\nb\nc\r\n", "b\n", "", b"a\r\nc\r\n"),
        (b"a\r\nb\nc\r\n", "a\nb\nc\n", "a\nnew\nb\nc\n", b"a\r\nnew\r\nb\nc\r\n"),
        (b"a\rb\rc", "b", "x\ny", b"a\rx\ry\rc"),
        (b"a\rb\nc", "a\nb", "A\nB", b"A\rB\nc"),
        (b"a\nb", "b", "B", b"a\nB"),
        (b"a\nb", "\nb", "", b"a"),
        (b"\r\n\r\nx", "\n\nx", "\ny", b"\r\ny"),
        (b"one", "one", "1\n2", b"1\n2"),
    ],
)
def test_c51_line_ends_match_and_are_kept(tools, work, before, old, new, after, replace_all):
    assert edited(tools, work, before, old, new, replace_all=replace_all) == after


def test_c51_replace_all_in_a_windows_file(tools, work):
    after = edited(tools, work, b"x\r\ny\r\nx\r\ny\r\n", "x\ny", "1\n2", replace_all=True)
    assert after == b"1\r\n2\r\n1\r\n2\r\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"const x = 1;\n// caf\xe9\n", "x = 1", "x = 2", b"const x = 2;\n// caf\xe9\n"),
        (b"a = 1\n# \xd6\xd0\xce\xc4\n", "a = 1", "a = 2", b"a = 2\n# \xd6\xd0\xce\xc4\n"),
        (b"\xef\xbb\xbfa = 1\n", "a = 1", "a = 2", b"\xef\xbb\xbfa = 2\n"),
        ("a = 1\r\n".encode("utf-16"), "a = 1\n", "ä = 2\n", "ä = 2\r\n".encode("utf-16")),
        ("é\n".encode() + b"\xff x", "x", "ü", "é\n".encode() + b"\xff \xc3\xbc"),
    ],
)
def test_c52_other_bytes_are_untouched(tools, work, before, old, new, after):
    assert edited(tools, work, before, old, new) == after


def test_c52_no_utf8_is_put_into_a_file_in_another_encoding(tools, work):
    assert "8-bit encoding" in refused(tools, work, b"x = 1 # caf\xe9\n", "x = 1", "x = 'é'")


def test_c54_ambiguous_match_is_refused_with_line_numbers(tools, work):
    told = refused(tools, work, b"x = 1\ny\nx = 1\n\nx = 1\n", "x = 1", "x = 2")
    assert "at lines 1, 3, 5" in told
    assert (
        edited(tools, work, b"x = 1\ny\nx = 1\n", "x = 1", "x = 2", replace_all=True) == b"x = 2\ny\nx = 2\n"
    )


def test_c54_overlapping_matches_are_ambiguous(tools, work):
    assert "more than once" in refused(tools, work, b"aaa", "aa", "b")
    assert edited(tools, work, b"aaa", "aa", "b", replace_all=True) == b"ba"


def test_c54_tabs_against_spaces_are_named_and_shown(tools, work):
    told = refused(tools, work, b"def f():\n\treturn 1\n", "def f():\n    return 1\n", "x")
    assert "tabs against spaces" in told
    assert "1→def f():\n2→⇥return 1" in told


def test_c54_line_number_prefixes_are_named(tools, work):
    told = refused(tools, work, b"a = 1\nb = 2\n", "1→a = 1\n2→b = 2", "x")
    assert "line-number prefixes" in told
    assert "1→a = 1\n2→b = 2" in told
    assert "line-number prefixes" in refused(tools, work, b"x\ny\n", "  12→x\n  13→y", "z")


@pytest.mark.parametrize(
    ("before", "old", "told"),
    [
        (b"say('it\xe2\x80\x99s')\n", "say('it's')", "quotes or dashes"),
        (b"def total(items):\n    return sum(items)\n", "def totals(items):\n", "1→def total(items):"),
        (b"a  \nb\n", "a\nb", "1→a··"),
        (b"x = foo(1, 2)\n", "y = foo(1,2)\n", "nearest lines differ"),
        (b"one\n", "nothing like it at all", "Nothing in the file comes near"),
        (b"", "x", "Nothing in the file"),
        (b"one caf\xe9\n", "one caf\ufffd", "bytes that are not UTF-8"),
    ],
)
def test_c54_no_match_shows_the_nearest_lines(tools, work, before, old, told):
    assert told in refused(tools, work, before, old, "new text")


def test_c54_senseless_edits_are_refused(tools, work):
    assert "empty" in refused(tools, work, b"x", "", "y")
    assert "same" in refused(tools, work, b"x", "x", "x")
    assert "same" in refused(tools, work, b"x\r\ny", "x\ny", "x\r\ny")
    assert "half a character" in refused(tools, work, b"x", "x", "\udc80")
    assert "binary" in refused(tools, work, b"\0\0x", "x", "y")


@pytest.mark.parametrize("new", [r"\1 \g<0>", "$& $1", "{} {x}", "%s", "\\n"])
def test_c54_the_replacement_is_literal(tools, work, new):
    assert edited(tools, work, b"a = old\n", "old", new) == f"a = {new}\n".encode()


def test_c54_tabs_elsewhere_stay_tabs(tools, work):
    assert edited(tools, work, b"\ta\n\tb\n", "b", "c") == b"\ta\n\tc\n"


def test_c55_a_changed_file_is_edited_where_the_text_still_stands(tools, work):
    (work / "f").write_text("a = 1\nb = 2\n")
    tools.run("read_file", path="f")
    (work / "f").write_text("a   = 1\nb = 2\n# formatted\n")
    tools.run("edit_file", path="f", old_text="b = 2", new_text="b = 3")
    assert (work / "f").read_text() == "a   = 1\nb = 3\n# formatted\n"
    with pytest.raises(ToolFailure, match="Only the white space"):
        tools.run("edit_file", path="f", old_text="a = 1", new_text="a = 2")


def test_c55_the_failure_says_that_the_file_changed(tools, work):
    (work / "f").write_text("a = 1\n")
    tools.run("read_file", path="f")
    (work / "f").write_text("a = 100\n")
    with pytest.raises(ToolFailure, match=r"(?s)changed on disk.*1→a = 100"):
        tools.run("edit_file", path="f", old_text="a = 1\n", new_text="a = 2\n")


def test_c55_a_formatter_run_by_the_shell_between_two_edits_does_no_harm(tools, work):
    (work / "f").write_text("a=1\nb=2\n")
    tools.run("edit_file", path="f", old_text="a=1", new_text="a=3")
    tools.run("shell", command="sed -i 's/=/ = /' f")
    tools.run("edit_file", path="f", old_text="b = 2", new_text="b = 4")
    assert (work / "f").read_text() == "a = 3\nb = 4\n"


def test_the_result_is_a_short_diff(tools, work):
    (work / "f").write_text("".join(f"{i}\n" for i in range(20)))
    output = tools.run("edit_file", path="f", old_text="10\n", new_text="ten\n")
    assert output.content == f"Edited f in 1 place.\n{output.display}"
    assert output.display == "--- f\n+++ f\n@@ -8,7 +8,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13"
    (work / "f").write_text("x\n" * 2000)
    output = tools.run("edit_file", path="f", old_text="x", new_text="y", replace_all=True)
    assert "in 2,000 places" in output.content
    assert output.content.count("\n") < 50
    assert output.display.count("+y") == 2000


def test_a_missing_file_and_a_preview(tools, work):
    (work / "main.py").write_text("x = 1\n")
    with pytest.raises(ToolFailure, match=r"Did you mean main\.py"):
        tools.run("edit_file", path="mian.py", old_text="x", new_text="y")
    tool = tools.by_name["edit_file"]
    args = parse_arguments(tool, '{"path": "main.py", "old_text": "x", "new_text": "y"}')
    assert tool.access(args) == (WritePath(work / "main.py"),)
    assert "-x = 1\n+y = 1" in tool.preview(args)
    assert (work / "main.py").read_text() == "x = 1\n"
