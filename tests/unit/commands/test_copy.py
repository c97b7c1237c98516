"""`/copy`: the last answer by the terminal, by a program, or not at all."""

import base64
import os
import subprocess
import sys

import pytest

from agent_cli.commands import copy
from tests.unit.commands.running import reply


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A PATH of our own; returns how to put a program on it that writes down what it gets."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("WAYLAND_DISPLAY", "DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)

    def install(name: str, *, code: int = 0):
        got = tmp_path / f"{name}.got"
        program = folder / name
        program.write_text(f"#!/bin/sh\n/bin/cat > {got}\nexit {code}\n")
        program.chmod(0o755)
        return got

    monkeypatch.setenv("PATH", str(folder))
    return install


def test_nothing_to_copy(programs):
    answer = reply("/copy")
    assert answer.error
    assert "no answer" in answer.text


@pytest.mark.parametrize(
    ("name", "display"), [("pbcopy", None), ("wl-copy", "WAYLAND_DISPLAY"), ("xclip", "DISPLAY")]
)
def test_the_program_that_is_there_gets_the_last_answer(programs, monkeypatch, work, name, display):
    (work / "a.txt").write_text("né\n")
    got = programs(name)
    if display:
        monkeypatch.setenv(display, "x")
    answer = reply("/copy", say=("list files", "read a.txt"))
    assert not answer.error
    assert name in answer.text
    assert "né" in got.read_text()
    assert "list" not in got.read_text()


@pytest.mark.parametrize("variables", [{}, {"DISPLAY": "x", "SSH_CONNECTION": "a b"}])
def test_without_a_display_or_over_ssh_a_program_would_reach_the_wrong_clipboard(
    programs, monkeypatch, variables
):
    got = programs("xclip")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    answer = reply("/copy", say=("list files",))
    assert answer.error
    assert not got.exists()
    assert "pbcopy, wl-copy nor xclip" in answer.text


def test_a_program_that_fails_is_not_said_to_have_copied(programs):
    programs("pbcopy", code=1)
    assert reply("/copy", say=("list files",)).error


def test_a_terminal_gets_osc_52(work):
    script = "from tests.unit.commands.running import reply; import sys; sys.stderr.write(reply('/copy', say=('list files',)).text)"
    leader, follower = os.openpty()
    env = {**os.environ, "TERM": "xterm", "PATH": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdout=follower,
        stderr=subprocess.PIPE,
        env=env,
        text=True,
        check=True,
    )
    os.close(follower)
    written = os.read(leader, 65_536)
    os.close(leader)
    assert "OSC 52" in done.stderr
    assert written.startswith(b"\x1b]52;c;")
    copied = base64.b64decode(written.removeprefix(b"\x1b]52;c;").removesuffix(b"\x07")).decode()
    assert copied
    assert f"{len(copied):,} characters" in done.stderr


def test_the_limit_is_what_base64_makes_of_100_000_characters():
    assert len(b"\x1b]52;c;" + base64.b64encode(b"x" * copy.MAX_OSC52)) <= 100_000
