"""Reading: numbered, bounded in bytes, every kind of path answered (C05, C52)."""

import os
import re

import pytest

from agent_cli.core.tools import ReadPath, ToolFailure
from agent_cli.tools.base import parse_arguments
from agent_cli.tools.page import MAX_BYTES


def test_lines_are_numbered_from_1(tools, work):
    (work / "f").write_text("a\n\tb\n\nc")
    assert tools.text("read_file", path="f") == "1→a\n2→\tb\n3→\n4→c"


def test_offset_and_limit_choose_lines_and_the_rest_is_told(tools, work):
    (work / "f").write_text("".join(f"l{i}\n" for i in range(1, 11)))
    assert tools.text("read_file", path="f", offset=4, limit=2) == (
        "4→l4\n5→l5\n[lines 4-5 of 10; 31 bytes. Go on with offset=6]"
    )
    assert tools.text("read_file", path="f", offset=9) == "9→l9\n10→l10\n[end of the file, 10 lines]"
    with pytest.raises(ToolFailure, match="no line 11: the file has 10 lines"):
        tools.text("read_file", path="f", offset=11)


def test_c05_a_large_log_is_read_in_bounded_pages_that_join_up(tools, work):
    lines = [f"{i} {'x' * (i % 90)}" for i in range(1, 4001)]
    (work / "log").write_text("\n".join(lines))
    read, offset = [], 1
    while offset:
        text = tools.text("read_file", path="log", offset=offset)
        assert len(text.encode()) < MAX_BYTES + 200
        read += [line.partition("→")[2] for line in text.split("\n") if "→" in line]
        further = re.search(r"Go on with offset=(\d+)", text)
        offset = int(further[1]) if further else 0
    assert read == lines


def test_c05_one_huge_line_is_read_in_slices_that_join_up(tools, work):
    line = "".join(f"{i}é中," for i in range(9_000))
    (work / "min.js").write_text(f"short\n{line}\nend\n")
    assert "Go on with offset=2" in tools.text("read_file", path="min.js")
    read, column = "", 1
    while column:
        text = tools.text("read_file", path="min.js", offset=2, column=column)
        assert len(text.encode()) < MAX_BYTES + 200
        read += text.split("\n")[0].partition("→")[2]
        further = re.search(r"offset=2 column=(\d+)", text)
        column = int(further[1]) if further else 0
    assert read == line


def test_c05_limits_of_three_megabytes_without_a_newline(tools, work):
    (work / "f").write_text("x" * 3_000_000)
    text = tools.text("read_file", path="f")
    assert "characters 1-19900 of 3,000,000 in line 1 of 1; go on with offset=1 column=19901" in text
    with pytest.raises(ToolFailure, match="no column 3000001"):
        tools.text("read_file", path="f", column=3_000_001)


def test_empty_binary_and_image_files_are_said(tools, work):
    (work / "empty").write_text("")
    (work / "prog").write_bytes(b"\x7fELF\0\0\0")
    (work / "i.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    assert tools.text("read_file", path="empty") == "[the file is empty]"
    assert "binary file of 7 bytes" in tools.text("read_file", path="prog")
    assert "PNG image of 10 bytes" in tools.text("read_file", path="i.png")


def test_c52_a_mark_is_not_shown_and_other_encodings_are_read_and_named(tools, work):
    (work / "bom").write_bytes(b"\xef\xbb\xbfhi\r\nyou")
    (work / "wide").write_bytes("hé\n".encode("utf-16"))
    (work / "stray").write_bytes(b"caf\xe9\n")
    assert tools.text("read_file", path="bom") == "1→hi\n2→you"
    assert tools.text("read_file", path="wide") == "1→hé\n[encoded as utf-16-le; edits keep that]"
    assert tools.text("read_file", path="stray").startswith("1→caf\ufffd\n[1 bytes are not UTF-8")


def test_a_folder_a_pipe_and_a_missing_file_say_what_to_do(tools, work):
    (work / "src").mkdir()
    (work / "src" / "settings.py").write_text("x")
    (work / "README.md").write_text("x")
    os.mkfifo(work / "pipe")
    for path, told in (
        ("src", "Use list_files"),
        ("pipe", "named pipe"),
        ("REDME.md", "Did you mean README.md"),
        ("settings.py", "Did you mean src/settings.py"),
        ("none-such", "Use glob or list_files"),
    ):
        with pytest.raises(ToolFailure, match=told):
            tools.text("read_file", path=path)


def test_c61_what_is_read_is_the_links_target(tools, work, tmp_path):
    (tmp_path / "secret").write_text("s")
    (work / "link").symlink_to(tmp_path / "secret")
    tool = tools.by_name["read_file"]
    args = parse_arguments(tool, '{"path": "link"}')
    assert tool.access(args) == (ReadPath(tmp_path / "secret"),)
