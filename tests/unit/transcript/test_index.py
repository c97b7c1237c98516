"""Finding, listing, removing and copying sessions."""

import os

import pytest

from agent_cli.core.entries import UsageEntry
from agent_cli.core.errors import InputError
from agent_cli.core.usage import Usage
from agent_cli.transcript import index
from agent_cli.transcript.folder import Folder
from agent_cli.transcript.reader import iter_entries, read
from tests.unit.transcript.sample import ONE_OF_EACH, TS, header, message, written


@pytest.fixture
def folder(work):
    return work / "t"


def aged(path, seconds):
    os.utime(path, (seconds, seconds))
    return path


@pytest.mark.parametrize("wanted", ["abc", "20261201-100000-abc", "20261201-100000-abc.jsonl"])
def test_a_session_is_found_by_its_id_before_any_longer_one(folder, wanted):
    written(folder, session="abcdef")
    path = written(folder, session="abc")
    assert index.find(folder, wanted) == path


def test_a_beginning_is_enough_if_only_one_session_has_it(folder):
    path = written(folder, session="abc1")
    written(folder, session="abx2")
    assert index.find(folder, "abc") == path
    with pytest.raises(InputError, match="abc1, abx2"):
        index.find(folder, "ab")


@pytest.mark.parametrize("wanted", ["abc2", "", "../secret", "*"])
def test_an_unknown_session_is_answered_with_near_ones(folder, wanted):
    written(folder, session="abc1")
    (folder.parent / "secret.jsonl").write_text("{}")
    with pytest.raises(InputError, match="abc1"):
        index.find(folder, wanted)


def test_there_may_be_no_sessions(folder):
    assert index.latest(folder) is None
    assert index.sessions(folder) == []
    with pytest.raises(InputError, match="No session"):
        index.find(folder, "x")


def test_the_latest_session_is_the_one_changed_last_and_never_one_inside_a_folder(folder):
    old = aged(written(folder, session="zzz"), 1000)
    new = aged(written(folder, session="aaa"), 2000)
    aged(written(folder / "20261201-100000-aaa", session="sub"), 3000)
    (folder / "empty.jsonl").touch()
    (folder / "folder.jsonl").mkdir()
    assert index.latest(folder) == new
    assert [summary.path for summary in index.sessions(folder)] == [new, old]


def test_a_summary_names_first_words_model_and_size(folder):
    usage = UsageEntry("u9", TS, "anthropic/claude", Usage())
    hook = message("m0", "from a hook", origin="hook")
    path = written(folder, hook, message("m1", "mend the tests"), message("m2", "more"), usage)
    (summary,) = index.sessions(folder)
    assert (summary.id, summary.first_text, summary.model) == ("abc123", "mend the tests", "anthropic/claude")
    assert summary.bytes == path.stat().st_size
    assert summary.created.isoformat() == summary.created.astimezone().isoformat()
    assert summary.created.timestamp() == 1796119200


def test_a_damaged_session_is_listed_all_the_same(folder):
    path = written(folder)
    path.write_bytes(b"\xff\n" * 10)
    (summary,) = index.sessions(folder)
    assert (summary.id, summary.first_text) == ("abc123", "")


def test_removing_takes_what_is_beside_along(folder):
    path = written(folder)
    (path.with_suffix("")).mkdir()
    (path.with_suffix("") / "c1.txt").write_text("big")
    other = written(folder, session="other")
    index.remove(path)
    assert {found.name for found in folder.iterdir()} == {".gitignore", other.name}


def test_a_fork_is_the_same_conversation_under_a_new_header(folder):
    path = written(folder)
    with path.open("ab") as file:
        file.write(b'{"type":"later"}\ngarbage\n{"type":"mess')
    path.with_suffix("").mkdir()
    (path.with_suffix("") / "c1.txt").write_text("big")
    before = path.read_bytes()
    copy = index.fork(path, Folder(folder), header("new"))
    found = read(copy)
    assert (found.header.session, found.header.parent) == ("new", "abc123")
    assert (found.entries, found.unknown, found.skipped, found.torn) == (ONE_OF_EACH, 1, 1, False)
    own = before.splitlines(keepends=True)[1:-1]
    assert copy.read_bytes().splitlines(keepends=True)[1:] == own
    assert (copy.with_suffix("") / "c1.txt").read_text() == "big"
    assert copy.stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == before


def test_a_fork_of_nothing_leaves_nothing(folder):
    with pytest.raises(InputError):
        index.fork(folder / "none.jsonl", Folder(folder), header("new"))
    assert list(folder.glob("*.jsonl")) == []


def test_entries_can_be_read_one_by_one(folder):
    assert tuple(iter_entries(written(folder))) == ONE_OF_EACH
