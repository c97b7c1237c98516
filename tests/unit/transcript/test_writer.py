"""Writing sessions: when the file appears, its modes, and what a refused write leaves behind."""

import re
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agent_cli.core.errors import AgentError, InputError
from agent_cli.core.messages import Message, ToolCall
from agent_cli.transcript.folder import Folder
from agent_cli.transcript.reader import read
from agent_cli.transcript.writer import NoStore, TranscriptWriter
from tests.unit.transcript.sample import ONE_OF_EACH, TS, header, message, written


def test_the_file_appears_with_the_first_user_message(work):
    folder = work / "transcripts"
    writer = TranscriptWriter.create(Folder(folder), header())
    writer.append(ONE_OF_EACH[6])
    writer.sync()
    assert not folder.exists()
    writer.append(message())
    assert read(Path(writer.path)).entries == (ONE_OF_EACH[6], message())
    writer.close()


def test_a_session_without_a_user_message_leaves_nothing(work):
    writer = TranscriptWriter.create(Folder(work / "transcripts"), header())
    writer.append(ONE_OF_EACH[6])
    writer.close()
    assert list(work.iterdir()) == []


def test_the_name_is_the_utc_time_and_the_id(work):
    path = written(work / "t", created="2026-12-01T01:30:00+03:00")
    assert path.name == "20261130-223000-abc123.jsonl"


def test_line_one_is_the_header_and_every_entry_is_one_line(work):
    lines = written(work / "t").read_bytes().splitlines()
    assert len(lines) == 1 + len(ONE_OF_EACH)
    assert lines[0].startswith(b'{"type":"header","v":1,"session":"abc123"')


def test_every_kind_of_entry_comes_back_as_it_was(work):
    found = read(written(work / "t"))
    assert (found.header, found.entries) == (header(), ONE_OF_EACH)
    assert (found.skipped, found.unknown, found.torn) == (0, 0, False)


def test_a_resumed_session_goes_on_in_the_same_file(work):
    path = written(work / "t")
    writer = TranscriptWriter.resume(path)
    writer.append(message("m9"))
    writer.close()
    assert read(path).entries == (*ONE_OF_EACH, message("m9"))


def test_half_a_surrogate_pair_does_not_stop_the_session(work):
    path = written(
        work / "t", message(text="a\ud800b"), Message("m2", TS, "assistant", (ToolCall("c", "x", "\udfff"),))
    )
    first, second = read(path).entries
    assert first.text == "a\ufffdb"
    assert second.calls[0].arguments == "\ufffd"


MODES = """
import os, sys
os.umask(int(sys.argv[2], 8))
from pathlib import Path
from agent_cli.transcript.folder import Folder
from agent_cli.transcript.writer import NoStore, TranscriptWriter
from tests.unit.transcript.sample import header, message
writer = TranscriptWriter.create(Folder(Path(sys.argv[1]) / "deep" / "transcripts"), header())
writer.append(message())
writer.offload("c1", "big")
store = NoStore()
print(oct(os.stat(store.offload("c1", "big")).st_mode & 0o777))
store.close()
os._exit(0)
"""


@pytest.mark.parametrize("umask", ["022", "000"])
def test_c72_folders_and_files_are_private_from_creation(work, umask):
    root = Path(__file__).parents[3]
    out = subprocess.run(
        [sys.executable, "-c", MODES, str(work), umask], cwd=root, capture_output=True, text=True, check=True
    ).stdout
    assert out.strip() == "0o600"
    found = sorted((work / "deep").rglob("*"))
    assert {path.name for path in found} >= {"transcripts", ".gitignore", "c1.txt"}
    for path in [work / "deep", *found]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path


def test_offloaded_texts_never_overwrite_each_other_or_leave_their_folder(work):
    writer = TranscriptWriter.create(Folder(work / "t"), header())
    writer.append(message())
    paths = [
        Path(writer.offload(name, name)) for name in ("../../c1", "c1", "c1", "/etc/x", "..", "", "a" * 500)
    ]
    beside = Path(writer.path).with_suffix("")
    assert len(set(paths)) == 7
    assert all(path.parent == beside for path in paths)
    assert [path.read_text() for path in paths[:3]] == ["../../c1", "c1", "c1"]
    writer.close()


def test_what_another_program_adds_is_never_written_over(work):
    path = written(work / "t")
    writer = TranscriptWriter.resume(path)
    with path.open("ab") as file:
        file.write(b"{}\n")
    before = path.read_bytes()
    with pytest.raises(AgentError, match=r"changed by another program.*--fork-session"):
        writer.append(message("m9"))
    assert path.read_bytes() == before
    writer.close()


def test_a_removed_file_is_noticed(work):
    path = written(work / "t")
    writer = TranscriptWriter.resume(path)
    path.unlink()
    with pytest.raises(AgentError, match="removed"):
        writer.append(message("m9"))
    writer.close()


def test_a_write_that_stops_half_way_is_taken_back(work):
    path = written(work / "t")
    before = path.read_bytes()
    writer = TranscriptWriter.resume(path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 50, hard))
    try:
        with pytest.raises(AgentError, match=r"Cannot write the transcript .*Free some space"):
            writer.append(message("m9", "x" * 500))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    writer.append(message("m10"))
    writer.close()
    assert read(path).entries == (*ONE_OF_EACH, message("m10"))


def test_a_refused_first_write_is_made_good_by_the_next(work):
    writer = TranscriptWriter.create(Folder(work / "t"), header())
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60, hard))
    try:
        with pytest.raises(AgentError, match="Cannot write"):
            writer.append(message())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    writer.append(message("m2"))
    writer.close()
    found = read(Path(writer.path))
    assert (found.header, found.entries, found.skipped) == (header(), (message("m2"),), 0)


def test_a_folder_that_cannot_be_made_is_named(work):
    (work / "file").write_text("")
    writer = TranscriptWriter.create(Folder(work / "file" / "t"), header())
    with pytest.raises(AgentError, match=re.escape(str(work / "file" / "t"))):
        writer.append(message())
    writer.close()


def test_a_missing_session_cannot_be_resumed(work):
    with pytest.raises(InputError, match="Cannot open the transcript"):
        TranscriptWriter.resume(work / "none.jsonl")


def test_without_a_session_nothing_is_kept(work):
    store = NoStore()
    store.append(message())
    store.sync()
    assert store.path == ""
    path = Path(store.offload("c1", "big"))
    assert path.read_text() == "big"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    store.close()
    assert not path.parent.exists()
    assert list(work.iterdir()) == []


def test_no_file_descriptor_is_left_open(work):
    before = len(list(Path("/dev/fd").iterdir()))
    path = written(work / "t")
    TranscriptWriter.resume(path).close()
    assert len(list(Path("/dev/fd").iterdir())) == before
