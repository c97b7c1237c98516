"""What is around the program: odd argument bytes, closed or full streams, signals before the session is open."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from agent_cli.providers.fakes import FakeServer, Reply
from tests.flow.running import AGENT, Run, run, start

STREAM = ("--output-format", "stream-json")


def test_a_prompt_that_is_no_utf8_is_taken_with_replacement_characters(work):
    ended = run("-p", b"list \xff files", *STREAM, cwd=work)
    assert ended.result["type"] == "result"
    assert "Traceback" not in ended.err
    assert "list � files" in ended.out


@pytest.mark.parametrize("option", ["--system-prompt", "--append-system-prompt"])
def test_a_system_prompt_that_is_no_utf8_is_taken_with_replacement_characters(work, option):
    ended = run("-p", "list files", option, b"be\xffkind", *STREAM, cwd=work)
    assert (ended.code, ended.result["subtype"]) == (0, "ok")


def test_a_directory_whose_name_is_no_utf8_is_refused_in_words(work):
    odd = os.fsencode(work) + b"/odd\xff"
    Path(os.fsdecode(odd)).mkdir()
    ended = run("-p", "list files", "-C", odd, *STREAM, cwd=work)
    assert (ended.code, ended.result["subtype"]) == (2, "error")
    assert "UTF-8" in ended.result["error"]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["-p 'list files'", "sessions list", "--help"])
def test_closed_streams_are_empty_ones(work, command, closed):
    ended = subprocess.run(
        ["sh", "-c", f"exec {AGENT} {command} {closed}"],
        cwd=work,
        check=False,
        capture_output=True,
        timeout=60,
    )
    assert ended.returncode == 0
    assert b"Traceback" not in ended.stderr


def test_an_answer_that_cannot_be_written_is_an_error(work):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    ended = subprocess.run(
        ["sh", "-c", f"exec {AGENT} -p 'list files' </dev/null >/dev/full"],
        cwd=work,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 1
    assert "agent: Cannot write the answer: No space left on device." in ended.stderr


def test_p_takes_the_prompt_behind_a_double_dash(work):
    ended = run("-p", "--", "-x", cwd=work)
    assert "I do not understand “-x”" in ended.out


@pytest.mark.parametrize(
    "wrong", [("--max-turns", "0"), ("--no-such-option",), ("--permission-mode", "nope"), ("--set",)]
)
@pytest.mark.parametrize("form", ["json", "stream-json"])
def test_a_wrong_command_line_still_ends_with_a_result(work, wrong, form):
    ended = run("-p", "hi", "--output-format", form, *wrong, cwd=work)
    assert (ended.code, ended.result["type"], ended.result["subtype"]) == (2, "result", "error")
    assert ended.result["error"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_models_are_listed_ends_with_a_result(work, number):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        env = {"OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": address}
        process = start("-p", "hi", *STREAM, cwd=work, env=env)
        asked, _ = silent.accept()
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
        asked.close()
    ended = Run(process.returncode, out, err)
    assert (ended.code, ended.result["subtype"]) == (130, "interrupted")
    assert "Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_more_signals_change_neither_the_result_nor_the_exit_code(work, number):
    with FakeServer([Reply("word " * 400, pace=0.05)]) as server:
        process = start("-p", "hi", *STREAM, server=server, cwd=work)
        for _ in range(2):
            process.stdout.readline()
        for _ in range(20):
            process.send_signal(number)
            time.sleep(0.02)
        out, err = process.communicate(timeout=30)
    ended = Run(process.returncode, out, err)
    assert ended.code == 130
    assert [event["type"] for event in ended.events].count("result") == 1
    assert "Traceback" not in err
