"""Walking by the project's ignore rules."""

from agent_cli.workspace.git import git_root
from agent_cli.workspace.ignore import Walk


def make(root, *paths):
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def names(base, depth=None):
    return [str(found.path.relative_to(base)) for found in Walk(base, depth) if not found.is_folder]


def test_rules_of_every_level_count_and_the_deepest_decides(work):
    (work / ".git").mkdir()
    make(work, "a.log", "b.py", "sub/c.log", "sub/keep.log", "sub/build/x", "build/y", ".git/config")
    (work / ".gitignore").write_text("*.log\n/build/\n")
    (work / "sub" / ".gitignore").write_text("!keep.log\n")
    assert names(work) == [".gitignore", "b.py", "sub/.gitignore", "sub/build/x", "sub/keep.log"]


def test_rules_above_the_base_count_up_to_the_git_root(work):
    (work / ".git" / "info").mkdir(parents=True)
    make(work, "sub/a.log", "sub/a.tmp", "sub/a.py")
    (work / ".gitignore").write_text("*.log\n")
    (work / ".git" / "info" / "exclude").write_text("*.tmp\n")
    assert names(work / "sub") == ["a.py"]


def test_an_ignored_folder_is_walked_when_it_is_asked_for(work):
    (work / ".git").mkdir()
    make(work, "node_modules/p/index.js")
    (work / ".gitignore").write_text("node_modules/\n")
    assert names(work) == [".gitignore"]
    assert names(work / "node_modules") == ["p/index.js"]


def test_folders_that_ignore_themselves_are_skipped_like_the_transcripts(work):
    make(work, "transcripts/s.jsonl", "a.py")
    (work / "transcripts" / ".gitignore").write_text("*\n")
    assert names(work) == ["a.py"]
    assert "s.jsonl" in names(work / "transcripts")


def test_links_to_folders_are_told_and_not_followed(work):
    make(work, "sub/a")
    (work / "loop").symlink_to(work)
    found = {entry.path.name: entry for entry in Walk(work)}
    assert found["loop"].is_link
    assert not found["loop"].is_folder
    assert len(found) == 3


def test_depth_is_bounded_and_broken_rules_do_no_harm(work):
    make(work, "a/b/c/d")
    (work / ".gitignore").write_bytes(b"\xff\xfe!\n!\n[\n**a[\n")
    assert [found.depth for found in Walk(work, 2)] == [1, 1, 2]


def test_the_git_root_is_the_nearest_folder_with_git(work):
    (work / "sub" / "deep").mkdir(parents=True)
    assert git_root(work / "sub") is None
    (work / ".git").mkdir()
    assert git_root(work / "sub" / "deep") == work
    (work / "sub" / ".git").write_text("gitdir: elsewhere\n")
    assert git_root(work / "sub" / "deep") == work / "sub"
