"""One resolver: real paths compared, so nothing leads out of the workspace unseen (C61)."""

import os

import pytest

from agent_cli.core.tools import ToolFailure
from agent_cli.workspace.paths import Workspace


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("s")
    return folder


def test_c61_relative_absolute_and_dotted_paths_resolve_from_the_root(work):
    (work / "sub").mkdir()
    space = Workspace(work)
    assert space.resolve("a.py") == work / "a.py"
    assert space.resolve("./sub/../a.py") == work / "a.py"
    assert space.resolve(str(work / "x" / "y")) == work / "x" / "y"
    assert space.contains(space.resolve("not/there/yet"))


def test_c61_a_path_that_goes_up_is_outside(work):
    (work / "sub").mkdir()
    space = Workspace(work)
    for path in ("..", "sub/../../x", "nope/../../x", "/", "/etc/passwd", "~", "~/.ssh/id"):
        assert not space.contains(space.resolve(path)), path


def test_c61_home_is_expanded_and_an_unknown_user_is_a_name(work, home):
    space = Workspace(work)
    assert space.resolve("~/x") == home / "x"
    assert space.resolve("~nobody-of-that-name/x") == work / "~nobody-of-that-name" / "x"


def test_c61_a_link_counts_as_its_target_also_for_files_not_there_yet(work, outside):
    (work / "out").symlink_to(outside)
    space = Workspace(work)
    assert space.resolve("out/new") == outside / "new"
    assert not space.contains(space.resolve("out/new"))
    assert not space.contains(work / "out" / "new")


def test_c61_a_dangling_link_counts_as_its_target(work, outside):
    (work / "d").symlink_to(outside / "not-yet")
    space = Workspace(work)
    assert space.resolve("d") == outside / "not-yet"


def test_c61_a_link_that_is_followed_by_dots_goes_up_from_its_target(work, outside):
    (work / "out").symlink_to(outside)
    assert Workspace(work).resolve("out/../x") == outside.parent / "x"


def test_c61_the_root_itself_may_be_a_link(work, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(work)
    space = Workspace(link)
    assert space.root == work
    assert space.contains(space.resolve("a"))
    assert space.contains(space.resolve(str(link / "a")))


def test_c61_a_sibling_with_the_same_beginning_is_outside(work):
    space = Workspace(work)
    assert not space.contains(space.resolve(f"{work}-other/x"))


@pytest.mark.parametrize("path", ["", "  ", "a\0b", "\ud83d", "x" * 300, "/".join(["abcdefgh"] * 600)])
def test_impossible_names_are_refused_with_a_clear_text(work, path):
    with pytest.raises(ToolFailure, match=r"path"):
        Workspace(work).resolve(path)


def test_links_in_a_circle_are_refused(work):
    (work / "a").symlink_to("b")
    (work / "b").symlink_to("a")
    with pytest.raises(ToolFailure, match="circle"):
        Workspace(work).resolve("a")


def test_folders_opened_for_reading_may_be_read_and_nothing_else(work, outside, tmp_path):
    space = Workspace(work, readable=[outside])
    assert space.may_read(outside / "secret")
    assert not space.contains(outside / "secret")
    later = tmp_path / "later"
    assert not space.may_read(later / "x")
    space.allow_reading(later)
    assert space.may_read(later / "x")
    assert not space.may_read(tmp_path / "later-not")


def test_display_is_relative_inside_and_whole_outside(work):
    space = Workspace(work)
    assert space.display(space.resolve("a/b")) == "a/b"
    assert space.display(space.root) == "."
    assert space.display(space.resolve("/etc/hosts")) == os.path.realpath("/etc/hosts")
