"""The single checks of `agent doctor`."""

import os
import sys
import termios
from pathlib import Path

import pytest

from agent_cli import app
from agent_cli.core.models import ModelSpec
from agent_cli.session import doctor_machine, doctor_setup
from agent_cli.session.model_choice import Account
from tests.unit.commands.running import reply


def found(env: dict[str, str], **options) -> dict[str, list]:
    place = app.place(app.Options(cwd=Path.cwd(), **options), {**os.environ, **env})
    checks: dict[str, list] = {}
    for check in doctor_setup.setup(place, {**os.environ, **env}):
        checks.setdefault(check.subject, []).append(check)
    return checks


def test_nothing_set_up_is_a_warning_that_says_what_to_set():
    (keys,) = found({})["keys"]
    assert keys.level == "warn"
    assert "ANTHROPIC_API_KEY" in keys.advice


@pytest.mark.parametrize(
    ("value", "level"),
    [("sk-secret", "ok"), (" sk-secret", "warn"), ("'sk-secret'", "warn"), ("sk-secret\n", "warn")],
)
def test_keys_are_named_and_never_shown(value, level):
    checks = found({"OPENAI_API_KEY": value})["keys"]
    assert checks[-1].level == level
    assert "set: OPENAI_API_KEY" in checks[0].line()
    assert not any("sk-secret" in check.line() for check in checks)


@pytest.mark.parametrize(
    ("wire", "url", "key", "level"),
    [
        ("openai-chat", "https://example.org/v1", "k", "ok"),
        ("openai-chat", "http://localhost:11434/v1", "k", "ok"),
        ("openai-chat", "http://192.168.1.2:8000/v1", "k", "ok"),
        ("openai-chat", "http://example.org/v1", "k", "warn"),
        ("openai-chat", "http://example.org/v1", None, "ok"),
        ("openai-chat", "https://example.org/v1/chat/completions", "k", "warn"),
        ("anthropic", "https://example.org", "k", "ok"),
        ("anthropic", "https://example.org/v1/", "k", "warn"),
        ("openai-chat", "example.org/v1", "k", "fail"),
        ("openai-chat", "http://", "k", "fail"),
        ("openai-chat", "http://[::1", "k", "fail"),
    ],
)
def test_base_urls(wire, url, key, level):
    assert doctor_setup.base_url(Account("mine", wire, url, key, None), url).level == level


def test_credentials_in_a_base_url_are_not_shown():
    url = "https://me:hunter22@example.org/v1?token=abc"
    line = doctor_setup.base_url(Account("mine", "openai-chat", url, None, None), url).line()
    assert "example.org/v1" in line
    assert "hunter22" not in line
    assert "abc" not in line


def test_settings_files_and_their_warnings(work):
    (work / ".agent").mkdir()
    (work / ".agent" / "config.toml").write_text('max_turns = 5\nmodel = "x/y"\n')
    checks = found({})["settings"]
    assert str(work / ".agent" / "config.toml") in checks[0].found
    assert checks[1].level == "warn"
    assert "may not set model" in checks[1].found


def test_a_transcripts_folder_that_cannot_be_made(work):
    (work / "file").write_text("")
    checks = found({}, assignments=(f"transcripts.dir={work / 'file' / 'x'}",))["transcripts"]
    assert [check.level for check in checks] == [
        "warn",
        "ok",
    ]  # another folder is used, and it can be written
    assert "cannot be written" in checks[0].found


def test_an_unknown_window_is_a_warning():
    known = ModelSpec("openai", "m", 1000, "genai-prices: m")
    guessed = ModelSpec("openai", "m", 1000, "unknown model: 128,000 taken; set providers.openai.window")
    assert (doctor_setup.model(known).level, doctor_setup.model(guessed).level) == ("ok", "warn")


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_another_products_agent_first_on_path(tmp_path):
    other = executable(tmp_path / "bin" / "agent")
    check = doctor_machine.on_path({"PATH": str(other.parent)})
    assert check.level == "warn"
    assert str(other) in check.found
    assert "agent-cli" in check.advice


def test_our_own_agent_first_on_path_also_through_a_link(tmp_path):
    own = Path(sys.executable).with_name("agent")
    assert doctor_machine.on_path({"PATH": str(own.parent)}).level == "ok"
    (tmp_path / "agent").symlink_to(own)
    assert doctor_machine.on_path({"PATH": str(tmp_path)}).level == "ok"


def test_no_agent_on_path(tmp_path):
    assert doctor_machine.on_path({"PATH": str(tmp_path)}).level == "warn"


def test_the_command_gives_the_same_a_line_each():
    answer = reply("/doctor")
    assert len(answer.text.splitlines()) == len(answer.data["checks"])
    assert all(line.split()[0] in ("ok", "warn", "fail") for line in answer.text.splitlines())
    assert {"PATH", "terminal", "git", "tokenizer", "keys", "model"} <= {
        check["subject"] for check in answer.data["checks"]
    }


@pytest.mark.parametrize(
    ("size", "env", "level", "told"),
    [
        ((24, 80), {"TERM": "xterm-256color"}, "ok", "xterm-256color, 256 colours, 80×24"),
        ((24, 80), {"TERM": "xterm", "COLORTERM": "truecolor"}, "ok", "16 million colours"),
        ((24, 80), {"TERM": "xterm", "NO_COLOR": "1"}, "ok", "no colours"),
        ((24, 30), {"TERM": "xterm"}, "warn", "at least 40×10"),
        ((24, 80), {"TERM": "dumb"}, "warn", "TERM is dumb"),
    ],
)
def test_the_terminal(size, env, level, told, monkeypatch):
    leader, follower = os.openpty()
    termios.tcsetwinsize(follower, size)
    with os.fdopen(follower, "w", encoding="utf-8") as screen:
        monkeypatch.setattr(sys, "stdout", screen)
        check = doctor_machine.terminal(env)
        monkeypatch.undo()
    os.close(leader)
    assert (check.level, told in check.line()) == (level, True), check.line()
