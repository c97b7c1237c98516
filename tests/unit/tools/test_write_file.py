"""Whole files: created, replaced, never over what was not seen (C52, C55)."""

import os

import pytest

from agent_cli.core.tools import ToolFailure, WritePath
from agent_cli.tools.base import parse_arguments


def test_a_new_file_is_created_with_its_folders(tools, work):
    output = tools.run("write_file", path="a/b.txt", content="x\ny\n")
    assert output.content == "Created a/b.txt (2 lines)."
    assert output.display == "--- a/b.txt\n+++ a/b.txt\n@@ -0,0 +1,2 @@\n+x\n+y"
    assert (work / "a" / "b.txt").read_bytes() == b"x\ny\n"


def test_a_file_that_was_read_or_written_may_be_replaced(tools, work):
    (work / "f").write_text("old\n")
    tools.run("read_file", path="f")
    assert tools.text("write_file", path="f", content="new\n") == "Replaced f (1 lines)."
    assert tools.text("write_file", path="f", content="newer\n") == "Replaced f (1 lines)."
    assert tools.text("write_file", path="f", content="newer\n") == "Unchanged: f (1 lines)."


def test_c55_a_file_never_read_is_refused_with_its_text_and_the_next_try_works(tools, work):
    (work / "f").write_text("of the user\n")
    with pytest.raises(ToolFailure, match=r"(?s)has not been read in this session.*1→of the user"):
        tools.run("write_file", path="f", content="mine")
    assert (work / "f").read_text() == "of the user\n"
    tools.run("write_file", path="f", content="mine")
    assert (work / "f").read_text() == "mine"


def test_c55_a_file_changed_since_is_refused_also_with_the_same_time_and_size(tools, work):
    path = work / "f"
    path.write_text("one\n")
    tools.run("read_file", path="f")
    before = path.stat()
    path.write_text("two\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(ToolFailure, match=r"(?s)has changed on disk.*1→two"):
        tools.run("write_file", path="f", content="mine")
    assert path.read_text() == "two\n"


def test_c52_mark_encoding_and_line_ends_of_the_old_file_are_kept(tools, work):
    cases = {
        "bom": (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfx\ny\n"),
        "crlf": (b"a\r\nb\r\n", b"x\r\ny\r\n"),
        "wide": ("a\n".encode("utf-16"), "x\ny\n".encode("utf-16")),
        "plain": (b"a\n", b"x\ny\n"),
    }
    for name, (old, new) in cases.items():
        (work / name).write_bytes(old)
        tools.run("read_file", path=name)
        tools.run("write_file", path=name, content="x\ny\n")
        assert (work / name).read_bytes() == new, name


def test_c52_bytes_the_model_could_not_see_are_not_destroyed(tools, work):
    (work / "f").write_bytes(b"// caf\xe9\nx = 1\n")
    tools.run("read_file", path="f")
    with pytest.raises(ToolFailure, match="edit_file"):
        tools.run("write_file", path="f", content="// caf\ufffd\nx = 2\n")
    assert (work / "f").read_bytes() == b"// caf\xe9\nx = 1\n"


def test_half_characters_folders_and_pipes_are_refused(tools, work):
    os.mkfifo(work / "pipe")
    (work / "d").mkdir()
    for path, content, told in (
        ("f", "\udcff", "half a character"),
        ("pipe", "x", "named pipe"),
        ("d", "x", "directory"),
    ):
        with pytest.raises(ToolFailure, match=told):
            tools.run("write_file", path=path, content=content)
    assert not (work / "f").exists()


def test_preview_is_the_diff_and_access_the_real_target(tools, work, tmp_path):
    (work / "link").symlink_to(tmp_path / "elsewhere")
    tool = tools.by_name["write_file"]
    args = parse_arguments(tool, '{"path": "link", "content": "x"}')
    assert tool.access(args) == (WritePath(tmp_path / "elsewhere"),)
    assert "+x" in tool.preview(args)
    assert not (tmp_path / "elsewhere").exists()
