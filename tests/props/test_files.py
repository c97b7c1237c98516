"""Edits of any bytes, writes of any text, paths of any spelling."""

import os
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agent_cli.core.tools import ToolFailure
from agent_cli.tools.diff import unified
from agent_cli.workspace.decode import decode, split_lines
from agent_cli.workspace.paths import Workspace
from tests.unit.tools.running import Tools

BYTES = st.lists(
    st.sampled_from([b"a", b"b", b" ", b"\t", b"\n", b"\r\n", b"\r", b"\xff", b"\xe9", "é".encode(), "中".encode(),
                     b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"a\0", b"\n\0", b"\0b", b"foo", b"\xed\xa0\x80"]),
    max_size=30,
).map(b"".join)  # fmt: skip
WORDS = st.text(st.sampled_from("ab \t\n\r中é"), max_size=6)


@given(BYTES)
def test_decoding_goes_back_to_the_same_bytes(data):
    decoded = decode(data)
    assert decoded.encode(decoded.text) == data


@given(st.data(), BYTES, WORDS, st.booleans())
def test_an_edit_leaves_every_byte_outside_it_or_the_file_untouched(data, before, new, replace_all):
    shown = decode(before).text.replace("\r\n", "\n").replace("\r", "\n")
    start = data.draw(st.integers(0, len(shown)))
    old = data.draw(st.one_of(WORDS, st.just(shown[start : start + data.draw(st.integers(1, 8))])))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(before)
        tools = Tools(Path(folder))
        try:
            tools.run("edit_file", path="f", old_text=old, new_text=new, replace_all=replace_all)
        except ToolFailure:
            assert path.read_bytes() == before
            return
        after = path.read_bytes()
        assert [found.name for found in Path(folder).iterdir()] == ["f"]
    first, last = plain(before).index(unix(old)), plain(before).rindex(unix(old)) + len(unix(old))
    head, tail = raw_around(before, first, last)
    assert after.startswith(head)
    assert after.endswith(tail)
    middle = text_like(before, after[len(head) : len(after) - len(tail)])
    if not replace_all:
        assert unix(middle) == unix(new)
    elif "\r" not in decode(before).text + new:
        assert middle == plain(before)[first:last].replace(old, new)


def unix(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


def text_like(data, piece):
    """A piece of a file that is encoded like `data`."""
    encoding = decode(data).encoding
    return piece.decode(encoding, "surrogateescape" if encoding == "utf-8" else "surrogatepass")


def plain(data):
    return unix(decode(data).text)


def raw_around(data, start, end):
    """The bytes before and after the characters from `start` to `end` of the plain text."""
    decoded = decode(data)
    places, index = [], 0
    while index <= len(decoded.text):
        places.append(index)
        index += 2 if decoded.text[index : index + 2] == "\r\n" else 1
    head, tail = decoded.text[: places[start]], decoded.text[places[end] :]
    return decoded.encode(head), decoded.encode(tail).removeprefix(decoded.bom)


@given(BYTES, st.text(st.sampled_from("ab\n中é \t"), max_size=20))
def test_a_whole_write_is_read_back_and_keeps_mark_and_encoding(before, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(before)
        tools = Tools(Path(folder))
        tools.run("read_file", path="f")
        tools.run("write_file", path="f", content=content)
        after = decode(path.read_bytes())
    assert unix(after.text) == content
    if b"\0" not in before:
        assert after.bom == decode(before).bom


@given(
    st.lists(
        st.sampled_from(["..", ".", "sub", "out", "dangling", "back", "new", "~", "", "/", "in"]), max_size=8
    )
)
def test_a_path_inside_by_the_resolver_is_inside_on_disk(parts):
    with tempfile.TemporaryDirectory() as folder:
        base = Path(os.path.realpath(folder))
        root, outside = base / "root", base / "outside"
        (root / "sub").mkdir(parents=True)
        outside.mkdir()
        (root / "out").symlink_to(outside)
        (root / "dangling").symlink_to(outside / "not-there")
        (root / "sub" / "back").symlink_to("../..")
        (root / "in").symlink_to("sub")
        space = Workspace(root)
        try:
            path = space.resolve("/".join(parts))
        except ToolFailure:
            return
        if not space.contains(path) or path.is_dir():
            return
        Tools(root).run("write_file", path="/".join(parts), content="x")
        written = [found for found in base.rglob("*") if found.is_file() and not found.is_symlink()]
        assert [found for found in written if not os.path.realpath(found).startswith(f"{root}/")] == []


@given(
    st.lists(st.sampled_from(["a", "b", "", "c"]), max_size=12),
    st.lists(st.sampled_from(["a", "b", "", "c"]), max_size=12),
)
def test_a_diff_applies_to_the_old_lines_and_gives_the_new(old, new):
    before, after = "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)
    assert applied(split_lines(before), unified(before, after, "f")) == new


def applied(lines, diff):
    """The lines after a unified diff, whose line numbers must fit."""
    result, position = [], 0
    for row in diff.split("\n")[2:]:
        if row.startswith("@@"):
            first, _, count = row.split()[1].lstrip("-").partition(",")
            start = int(first) - (0 if count == "0" else 1)
            result += lines[position:start]
            position = start
        elif row.startswith("+"):
            result.append(row[1:])
        else:
            assert lines[position] == row[1:]
            position += 1
            result += [row[1:]] if row.startswith(" ") else []
    return result + lines[position:]
