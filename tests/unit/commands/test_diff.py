"""`/diff`: the work tree against the last commit, running nothing that the repository names (C60)."""

import subprocess

import pytest

from tests.unit.commands.running import reply


def git(*arguments: str) -> None:
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org")
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(work):
    git("init", "-q")
    (work / "a.txt").write_text("one\n")
    git("add", "a.txt")
    git("commit", "-qm", "start")
    return work


def test_outside_git_it_says_so():
    answer = reply("/diff")
    assert answer.error
    assert "no git repository" in answer.text


def test_nothing_changed(repository):
    assert reply("/diff").text == "Nothing has changed since the last commit."


def test_staged_and_unstaged_changes_and_untracked_names(repository):
    (repository / "a.txt").write_text("one\ntwo\n")
    (repository / "b.txt").write_text("staged\n")
    git("add", "b.txt")
    (repository / "sub").mkdir()
    (repository / "sub" / "né w.txt").write_text("x\n")
    (repository / "ignored.log").write_text("x\n")
    (repository / ".gitignore").write_text("*.log\n")
    answer = reply("/diff")
    assert "+two" in answer.text
    assert "+staged" in answer.text
    assert "sub/né w.txt" in answer.data["untracked"]
    assert "ignored.log" not in answer.text


def test_from_a_folder_below_the_whole_tree_is_shown(repository, monkeypatch):
    (repository / "a.txt").write_text("two\n")
    (repository / "sub").mkdir()
    monkeypatch.chdir(repository / "sub")
    assert "+two" in reply("/diff").text


def test_before_the_first_commit(work):
    git("init", "-q")
    (work / "a.txt").write_text("one\n")
    git("add", "a.txt")
    assert "+one" in reply("/diff").text


def test_c60_no_program_of_the_repository_is_run(repository):
    marker = repository / "ran"
    program = repository / "program"
    program.write_text(f"#!/bin/sh\ntouch {marker}\ncat\n")
    program.chmod(0o755)
    (repository / ".gitattributes").write_text("*.txt diff=d filter=f\n*.bin filter=a=b\n")
    (repository / "c.bin").write_text("x\n")
    git("add", "c.bin", ".gitattributes")
    git("commit", "-qm", "more")
    for key in (
        "core.fsmonitor",
        "core.pager",
        "pager.diff",
        "diff.external",
        "diff.d.command",
        "diff.d.textconv",
        "filter.f.clean",
        "filter.f.process",
        "filter.a=b.clean",
    ):
        git("config", key, str(program))
    git("config", "filter.f.required", "true")
    (repository / ".git" / "hooks").mkdir(exist_ok=True)
    (repository / ".git" / "hooks" / "post-index-change").symlink_to(program)
    (repository / "a.txt").write_text("two\n")
    (repository / "c.bin").write_text("y\n")
    answer = reply("/diff")
    assert not marker.exists()
    assert "+two" in answer.text
    assert "+y" in answer.text


def test_a_huge_diff_is_cut_at_a_line_and_says_so(repository):
    (repository / "a.txt").write_text("a line of some length\n" * 100_000)
    answer = reply("/diff")
    assert len(answer.data["diff"]) <= 200_000
    assert answer.data["diff"].endswith("+a line of some length\n")
    assert "cut" in answer.text


def test_c63_escape_codes_in_a_file_are_shown_as_signs(repository):
    (repository / "a.txt").write_text("\x1b]0;title\x07\x9b31m\n")
    text = reply("/diff").text
    assert "\x1b" not in text
    assert "+<U+001B>]0;title<U+0007><U+009B>31m" in text
