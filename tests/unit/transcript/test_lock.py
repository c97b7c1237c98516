"""C70: one session, several processes."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from agent_cli.core.errors import AgentError, SessionLocked
from agent_cli.transcript import index
from agent_cli.transcript.folder import Folder
from agent_cli.transcript.reader import read
from agent_cli.transcript.writer import TranscriptWriter
from tests.unit.transcript.sample import header, message, written

ROOT = Path(__file__).parents[3]
HOLD = """
import sys
from pathlib import Path
from agent_cli.core.errors import SessionLocked
from agent_cli.transcript.writer import TranscriptWriter
from tests.unit.transcript.sample import message
try:
    writer = TranscriptWriter.resume(Path(sys.argv[1]))
except SessionLocked:
    print("locked", flush=True)
    sys.exit()
print("held", flush=True)
sys.stdin.readline()
writer.append(message("m2", "from the other"))
print("added", flush=True)
sys.stdin.readline()
"""


@contextmanager
def other_process(path):
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_c70_the_second_opener_is_told_who_holds_the_session(work):
    path = written(work / "t", message())
    with other_process(path) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(SessionLocked, match=rf"process {process.pid}\b.*--fork-session"):
            TranscriptWriter.resume(path)


def test_c70_a_killed_holder_leaves_no_lock(work):
    path = written(work / "t", message())
    with other_process(path) as process:
        assert process.stdout.readline() == "held\n"
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "added\n"
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        writer = TranscriptWriter.resume(path)
        with pytest.raises(SessionLocked, match=rf"process {os.getpid()}\b"):
            TranscriptWriter.resume(path)
        writer.append(message("m3"))
        writer.close()
    assert [entry.id for entry in read(path).entries] == ["m1", "m2", "m3"]


def test_c70_of_two_that_open_at_once_one_gets_the_session(work):
    path = written(work / "t", message())
    with other_process(path) as one, other_process(path) as two:
        assert sorted([one.stdout.readline(), two.stdout.readline()]) == ["held\n", "locked\n"]


def test_c70_after_another_has_used_the_session_it_is_open_again_with_its_words(work):
    path = written(work / "t", message())
    with other_process(path) as process:
        assert process.stdout.readline() == "held\n"
        process.communicate("\n\n")
    writer = TranscriptWriter.resume(path)
    writer.append(message("m3"))
    writer.close()
    assert [entry.id for entry in read(path).entries] == ["m1", "m2", "m3"]


def test_c70_an_open_session_can_be_forked_but_not_removed(work):
    path = written(work / "t", message())
    with other_process(path) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(SessionLocked):
            index.remove(path)
        copy = index.fork(path, Folder(work / "t"), header("new"))
    assert read(copy).entries == (message(),)
    assert read(copy).header.parent == "abc123"


def test_a_new_session_is_locked_from_its_first_message(work):
    writer = TranscriptWriter.create(Folder(work / "t"), header())
    writer.append(message())
    with pytest.raises(SessionLocked):
        TranscriptWriter.resume(Path(writer.path))
    writer.close()
    TranscriptWriter.resume(Path(writer.path)).close()
    assert [path.name for path in (work / "t").iterdir() if path.suffix == ".pid"] == []


def test_two_new_sessions_of_one_name_do_not_share_a_file(work):
    written(work / "t", message())
    writer = TranscriptWriter.create(Folder(work / "t"), header())
    with pytest.raises(AgentError, match="File exists"):
        writer.append(message())
    writer.close()
