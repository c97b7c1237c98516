"""Without a key: the offline provider does plain requests through the same loop, tools and transcripts."""

import pytest

from tests.flow.running import entries, run, transcripts


@pytest.fixture
def project(work):
    (work / "settings.py").write_text("alpha = 1\nbeta = 2\n")
    (work / "src").mkdir()
    (work / "src" / "main.py").write_text("# TODO: write it\nprint('hi')\n")
    return work


@pytest.mark.parametrize(
    ("prompt", "shown"),
    [
        ("list files", "settings.py"),
        ("find *.py", "src/main.py"),
        ("read settings.py", "beta = 2"),
        ("search for TODO", "src/main.py"),
        ("count lines in settings.py", "2"),
    ],
)
def test_reading_requests_need_no_permission(project, prompt, shown):
    done = run("-p", prompt)
    assert done.code == 0, done.err
    assert shown in done.out


def test_a_command_runs_with_permission(project):
    done = run("-p", "run echo 4$((1+1))", "--yolo")
    assert (done.code, "42" in done.out) == (0, True)
    denied = run("-p", "run touch made", "--output-format", "json")
    assert denied.result["permission_denials"]
    assert not (project / "made").exists()


def test_create_replace_and_read_joined_by_then(project):
    done = run(
        "-p",
        "read settings.py then replace beta = 2 by beta = 3 in settings.py",
        "--permission-mode",
        "accept-edits",
    )
    assert done.code == 0, done.err
    assert (project / "settings.py").read_text() == "alpha = 1\nbeta = 3\n"
    made = run(
        "-p", "create notes.txt with hello world then read notes.txt", "--permission-mode", "accept-edits"
    )
    assert (made.code, (project / "notes.txt").read_text().strip()) == (0, "hello world")
    roles = [line["role"] for line in entries(transcripts(project)[0]) if line["type"] == "message"]
    assert roles == ["user", "assistant", "tool", "assistant", "tool", "assistant"]


def test_compact_and_go_on(project):
    for prompt in ("read settings.py", "list files", "search for TODO"):
        run(*(["-c"] if transcripts(project) else []), "-p", prompt)
    done = run("-c", "-p", "compact")
    assert done.code == 0, done.err
    assert any(line["type"] == "compaction" for line in entries(transcripts(project)[0]))
    again = run("-c", "-p", "read settings.py")
    assert "beta = 2" in again.out


def test_a_request_it_does_not_understand_changes_nothing_and_exits_1(project):
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    done = run("-p", "create x.txt with hi then refactor everything beautifully", "--yolo")
    after = {
        path: path.read_bytes()
        for path in project.rglob("*")
        if path.is_file() and "transcripts" not in path.parts
    }
    assert done.code == 1
    assert before == after
    assert "OPENAI_API_KEY" in done.out + done.err
    assert "no language model" in (done.out + done.err).replace("not a language model", "no language model")
