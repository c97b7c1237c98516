"""A folder of sessions that came with a project may hold links: they lead nowhere."""

import json

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.flow.running import run, transcripts


@pytest.fixture
def outside(work):
    """A file of the user's that a link among the sessions points to."""
    assert run("-p", "list files", cwd=work).code == 0
    target = work.parent / "profile"
    target.write_text("alias ll='ls -l'\n")
    (work / "transcripts" / "20990101-000000-evil.jsonl").symlink_to(target)
    return target


@pytest.mark.parametrize("which", [("-r", "evil"), ("-c",), ("-r", "evil", "--fork-session")])
def test_a_session_that_is_a_link_is_neither_read_nor_written(work, outside, which):
    ended = run(*which, "-p", "list files", "--output-format", "json", cwd=work)
    assert outside.read_text() == "alias ll='ls -l'\n"
    assert ended.code == (0 if which == ("-c",) else 42)
    assert "evil" not in run("sessions", "list", cwd=work).out


def test_a_linked_folder_beside_a_session_opens_nothing_outside_for_reading(work):
    assert run("-p", "list files", cwd=work).code == 0
    private = work.parent / "private"
    private.mkdir()
    (private / "key").write_text("very private")
    transcripts(work)[0].with_suffix("").symlink_to(private)
    script = [Reply(calls=(Call("read_file", {"path": str(private / "key")}),)), Reply("done")]
    with FakeServer(script) as server:
        ended = run("-c", "-p", "go", "--output-format", "json", server=server, cwd=work)
    assert [denial["tool"] for denial in ended.result["permission_denials"]] == ["read_file"]
    assert "very private" not in json.dumps(server.requests[-1].body)
