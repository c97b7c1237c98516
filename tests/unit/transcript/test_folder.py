"""Which folder sessions go to."""

import pytest

from agent_cli.transcript.folder import Folder, choose, slug


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def test_a_project_keeps_its_own_sessions(work, home, state):
    assert choose(work, home, "project", state) == Folder(work / "transcripts")
    assert list(work.iterdir()) == []


def test_the_home_folder_and_the_root_never_get_a_folder(work, home, state):
    assert choose(home, home, "project", state) == Folder(state / "sessions" / slug(home))
    link = work / "link"
    link.symlink_to(home)
    assert choose(link, home, "project", state).path == state / "sessions" / slug(home)
    root = choose(work.__class__("/"), home, "project", state)
    assert root.path.is_relative_to(state)


def test_state_puts_all_there(work, home, state):
    assert choose(work, home, "state", state) == Folder(state / "sessions" / slug(work))


def test_another_setting_is_a_path(work, home, state):
    assert choose(work, home, str(home / "x"), state) == Folder(home / "x")
    assert choose(work, home, "~/x", state) == Folder(home / "x")
    assert choose(work, home, "logs", state) == Folder(work / "logs")


@pytest.mark.parametrize("setting", ["project", "transcripts/deeper"])
def test_a_folder_that_cannot_be_written_is_replaced_with_a_notice(work, home, state, setting):
    (work / "transcripts").write_text("a file")
    found = choose(work, home, setting, state)
    assert found.path == state / "sessions" / slug(work)
    assert str(work / "transcripts") in found.notice
    assert str(found.path) in found.notice


def test_a_dangling_link_counts_as_unwritable(work, home, state):
    (work / "transcripts").symlink_to(work / "nowhere")
    assert choose(work, home, "project", state).notice


def test_projects_of_one_name_do_not_share_a_folder(work):
    assert slug(work / "a" / "x") != slug(work / "b" / "x")
    assert slug(work / "a" / "x y/z").startswith("z-")


def test_c72_a_created_folder_is_ignored_by_git(work):
    Folder(work / "t").create()
    assert (work / "t" / ".gitignore").read_text() == "*\n"


def test_a_folder_that_was_there_is_left_as_it_is(work):
    (work / "t").mkdir(0o755)
    Folder(work / "t").create()
    assert list((work / "t").iterdir()) == []
    assert (work / "t").stat().st_mode & 0o777 == 0o755
