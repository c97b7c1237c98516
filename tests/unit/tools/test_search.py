"""Listing, finding and searching: ignore rules, bounds, patterns that never end (C61)."""

import asyncio
import json
import os
import time
from pathlib import Path

import pytest

from agent_cli.core.tools import ReadPath, ToolFailure
from agent_cli.tools.base import parse_arguments
from agent_cli.tools.globs import Glob
from agent_cli.tools.grep import Grep, GrepArgs
from agent_cli.tools.running import still_running
from agent_cli.workspace.paths import Workspace


@pytest.fixture
def project(work):
    (work / ".git").mkdir()
    (work / ".gitignore").write_text("*.log\n")
    for path in ("a.py", "src/b.py", "src/deep/c.py", "src/deep/d.ts", "x.log"):
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(f"name = '{path}'\nTODO here\n")
    return work


def accessed(tools, name, **arguments):
    tool = tools.by_name[name]
    return tool.access(parse_arguments(tool, json.dumps(arguments)))


def test_list_files_is_a_tree_of_two_levels(tools, project):
    assert tools.text("list_files") == "./\n  .gitignore\n  a.py\n  src/\n    b.py\n    deep/"
    assert tools.text("list_files", path="src", depth=1) == "src/\n  b.py\n  deep/"


def test_list_files_says_what_it_leaves_out(tools, work):
    for folder in range(10):
        (work / f"d{folder}").mkdir()
        for file in range(70):
            (work / f"d{folder}" / f"{file:02}").write_text("")
    text = tools.text("list_files")
    assert "[10 more in d0/]" in text
    assert text.endswith("[320 more lines left out; list a folder below, or use glob]")
    (work / "empty").mkdir()
    assert "empty" in tools.text("list_files", path="empty")


def test_list_files_of_a_file_or_of_nothing_says_what_to_do(tools, project):
    with pytest.raises(ToolFailure, match="read_file"):
        tools.run("list_files", path="a.py")
    with pytest.raises(ToolFailure, match="Did you mean src"):
        tools.run("list_files", path="scr")


def test_c61_links_do_not_lead_listing_and_search_out(tools, project, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text("TODO secret")
    (project / "out").symlink_to(tmp_path / "outside")
    (project / "file").symlink_to(tmp_path / "outside" / "secret.py")
    assert "secret" not in tools.text("list_files", depth=9).replace(
        str(tmp_path / "outside" / "secret.py"), ""
    )
    assert "secret" not in tools.text("glob", pattern="**/*.py")
    assert "secret" not in tools.text("grep", pattern="TODO")
    target = (ReadPath(tmp_path / "outside"),)
    assert accessed(tools, "list_files", path="out") == target
    assert accessed(tools, "grep", path="out", pattern="x") == target
    assert accessed(tools, "glob", path="out", pattern="x") == target


def test_c61_a_glob_that_goes_up_or_is_absolute_asks_for_the_real_folder(tools, project, tmp_path):
    assert accessed(tools, "glob", pattern="../**/*.py") == (ReadPath(tmp_path),)
    assert accessed(tools, "glob", pattern="src/*/../../../*.py") == (ReadPath(tmp_path),)
    assert accessed(tools, "glob", pattern=f"{tmp_path}/x/*.py") == (ReadPath(tmp_path / "x"),)
    assert accessed(tools, "glob", pattern="~/*") == (ReadPath(tmp_path / "home"),)
    assert accessed(tools, "glob", pattern="/*") == (ReadPath(Path("/")),)


def test_glob_finds_names_at_any_depth_and_paths_from_the_base(tools, project):
    assert tools.text("glob", pattern="*.py").split("\n") == ["a.py", "src/b.py", "src/deep/c.py"]
    assert tools.text("glob", pattern="src/*.py") == "src/b.py"
    assert tools.text("glob", pattern="*.{ts,py}", path="src/deep").split("\n") == [
        "src/deep/c.py",
        "src/deep/d.ts",
    ]
    assert tools.text("glob", pattern="src/").count("\n") == 2
    assert "No file matches *.log" in tools.text("glob", pattern="*.log")
    with pytest.raises(ToolFailure, match="empty"):
        tools.run("glob", pattern=" ")


def test_glob_is_bounded_and_says_how_many_there_are(tools, work):
    for i in range(250):
        (work / f"{i:03}.txt").write_text("")
    text = tools.text("glob", pattern="*.txt")
    assert text.startswith("000.txt\n001.txt")
    assert text.endswith("[200 of 250 files; use a narrower pattern or path]")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", "a/b/c.py", True),
        ("a/**/c.py", "a/c.py", True),
        ("a/**/c.py", "a/x/y/c.py", True),
        ("a/*/c.py", "a/x/y/c.py", False),
        ("**/b/**", "a/b/c/d", True),
        ("./a/?.py", "a/b.py", True),
        ("a/[!b].py", "a/b.py", False),
        ("{a,b}/*.{x,y}", "b/f.y", True),
        ("{a}", "{a}", True),
    ],
)
def test_glob_patterns(pattern, path, expected):
    assert Glob(pattern).matches(path) is expected


def test_glob_patterns_never_blow_up():
    started = time.perf_counter()
    assert not Glob("**/" * 30 + "*a" * 30 + "b").matches("/".join(["a" * 200] * 50))
    with pytest.raises(ToolFailure, match="alternatives"):
        Glob("{a,b}" * 20)
    assert time.perf_counter() - started < 2


def test_grep_answers_path_line_and_text(tools, project):
    assert tools.text("grep", pattern="TODO").split("\n") == [
        "a.py:2: TODO here", "src/b.py:2: TODO here", "src/deep/c.py:2: TODO here", "src/deep/d.ts:2: TODO here",
    ]  # fmt: skip
    assert tools.text("grep", pattern="todo", ignore_case=True, glob="*.ts") == "src/deep/d.ts:2: TODO here"
    assert tools.text("grep", pattern=r"^name = '(src/)?b", path="src") == "src/b.py:1: name = 'src/b.py'"
    assert tools.text("grep", pattern="nowhere") == "No line matches nowhere."
    assert tools.text("grep", pattern="TODO", path="x.log") == "x.log:2: TODO here"


def test_grep_context_is_marked(tools, work):
    (work / "f").write_text("1\n2\nhit\n4\n5\n6\n7\nhit\n")
    assert tools.text("grep", pattern="hit", context=1).split("\n") == [
        "f-2- 2", "f:3: hit", "f-4- 4", "--", "f-7- 7", "f:8: hit",
    ]  # fmt: skip


def test_grep_skips_binary_reads_other_encodings_and_cuts_long_lines(tools, work):
    (work / "bin").write_bytes(b"\0hit")
    (work / "wide").write_bytes("hit\n".encode("utf-16"))
    (work / "stray").write_bytes(b"hit \xff\n")
    (work / "long").write_text("x" * 100_000 + "hit" + "y" * 100_000)
    rows = tools.text("grep", pattern="hit").split("\n")
    assert [row.split(":")[0] for row in rows] == ["long", "stray", "wide"]
    assert "hit" in rows[0]
    assert "[200,003 characters]" in rows[0]
    assert len(rows[0]) < 400


def test_grep_is_bounded_and_counts_all_matches(tools, work):
    for i in range(5):
        (work / f"{i}").write_text("hit\n" * 50)
    text = tools.text("grep", pattern="hit")
    assert text.count(": hit") == 100
    assert text.endswith("[250 matching lines in 5 files; not all shown: narrow the pattern, path or glob]")


@pytest.mark.parametrize("pattern", ["foo(", "[a", "*x", "(?P<a"])
def test_an_invalid_pattern_is_explained(tools, project, pattern):
    with pytest.raises(ToolFailure, match=r"not a valid regular expression.*For literal text use"):
        tools.run("grep", pattern=pattern)


def test_a_pattern_that_backtracks_without_end_is_stopped_and_the_loop_stays_free(work):
    (work / "f").write_text("a" * 60 + "!\n")
    (work / "e").write_text("aab\n")
    grep = Grep(Workspace(work), seconds=1)

    async def scenario():
        ticks = 0
        search = asyncio.create_task(grep.run(GrepArgs(r"(a+)+b"), lambda text: None))
        while not search.done():
            await asyncio.sleep(0.02)
            ticks += 1
        return ticks, (await search).content

    started = time.monotonic()
    ticks, text = asyncio.run(scenario())
    assert time.monotonic() - started < 3
    assert ticks > 10
    assert text.startswith("e:1: aab\n[stopped after 1 seconds")
    assert searching() == []


def test_a_cancelled_search_leaves_no_process(work):
    (work / "f").write_text("a" * 60 + "!\n")

    async def scenario():
        search = asyncio.create_task(Grep(Workspace(work)).run(GrepArgs(r"(a+)+b"), lambda text: None))
        await asyncio.sleep(0.3)
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search

    asyncio.run(scenario())
    assert searching() == []


def test_grep_of_a_pipe_is_refused(tools, work):
    os.mkfifo(work / "pipe")
    with pytest.raises(ToolFailure, match="named pipe"):
        tools.run("grep", pattern="x", path="pipe")
    assert tools.text("grep", pattern="x").startswith("No line matches")


def searching():
    """The search processes of this test run that are still there."""
    return [
        running for running in still_running(os.getpgrp(), "none") if "grep_worker" in _command(running.pid)
    ]


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
