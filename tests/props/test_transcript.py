"""Transcripts under arbitrary content and arbitrary damage."""

import string
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from agent_cli.core.entries import Clear, Compaction, Header, Interrupt, Mode, UsageEntry
from agent_cli.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from agent_cli.core.usage import Usage
from agent_cli.transcript.folder import Folder
from agent_cli.transcript.lines import decode, encode
from agent_cli.transcript.reader import iter_entries, read
from agent_cli.transcript.writer import TranscriptWriter

TEXT = st.text(max_size=40)
PARTS = st.one_of(st.from_type(kind) for kind in (Text, Thinking, ToolCall, ToolResult, Image))
st.register_type_strategy(str, TEXT)
ENTRIES = st.one_of(
    st.builds(Message, parts=st.lists(PARTS, max_size=4).map(tuple)),
    st.builds(UsageEntry, usage=st.builds(Usage), cost_usd=st.none() | st.floats(0, 1e6)),
    st.builds(Compaction),
    st.builds(Clear),
    st.builds(Mode),
    st.builds(Interrupt),
)
USER = Message("m0", "now", "user", (Text("start"),))
HEADER = Header(1, "id", "2026-12-01T00:00:00Z", "/w", "m", "phase1")


def written(folder, entries):
    writer = TranscriptWriter.create(Folder(Path(folder)), HEADER)
    for entry in (USER, *entries):
        writer.append(entry)
    writer.close()
    return Path(writer.path)


@given(ENTRIES)
def test_an_entry_comes_back_equal_and_as_the_same_bytes(entry):
    line = encode(entry)
    found = decode(line)
    assert found == entry
    assert encode(found) == line
    assert line.count(b"\n") == 1


@given(
    st.lists(
        st.binary(max_size=60).map(lambda line: line.replace(b"\n", b"")) | st.text(string.printable),
        max_size=8,
    )
)
def test_garbage_lines_never_raise_and_never_hide_others(garbage):
    lines = [line if isinstance(line, bytes) else line.replace("\n", "").encode() for line in garbage]
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, [])
        with path.open("ab") as file:
            file.writelines(line + b"\n" for line in lines)
        TranscriptWriter.resume(path).close()
        found = read(path)
    assert found.entries[0] == USER
    assert found.skipped + found.unknown + len(found.entries) - 1 <= len(lines)
    assert found.torn is False


@given(st.lists(ENTRIES, max_size=5), st.data())
def test_a_cut_anywhere_loses_no_earlier_record(entries, data):
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, entries)
        whole = path.read_bytes()
        cut = data.draw(st.integers(whole.index(b"\n") + 1, len(whole)))
        path.write_bytes(whole[:cut])
        complete = whole[:cut].count(b"\n") - 1 + (whole[cut : cut + 1] == b"\n")
        writer = TranscriptWriter.resume(path)
        writer.append(USER)
        writer.close()
        assert list(iter_entries(path)) == [*(USER, *entries)[:complete], USER]
        assert read(path).skipped == 0


@given(st.lists(ENTRIES, max_size=5), st.binary(min_size=1, max_size=200))
def test_a_damaged_end_is_kept_beside_the_session_or_in_it(entries, tail):
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, entries)
        before = path.read_bytes()
        path.write_bytes(before + tail)
        TranscriptWriter.resume(path).close()
        after = path.read_bytes()
        kept = b"".join(file.read_bytes() for file in sorted(path.with_suffix("").glob("torn-*")))
    assert after.startswith(before)
    assert (after.removeprefix(before) + kept).replace(b"\n", b"") == tail.replace(b"\n", b"")
