"""Commands: nothing hangs, nothing is left behind unsaid, memory is bounded (C43, C44, C45, C47)."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_cli.core.tools import RunCommand, ToolFailure
from agent_cli.tools.base import parse_arguments
from agent_cli.tools.capture import Capture
from tests.unit.tools.running import Tools


def pids_of(*words):
    """Processes whose command line holds one of the words, this one and zombies left out."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,stat=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [
        int(row[0])
        for row in rows
        if len(row) == 3 and not row[1].startswith("Z") and any(word in row[2] for word in words)
    ]


def body(output):
    """The output without its last line, which is returned too."""
    text, _, last = output.content.rpartition("\n")
    return text, last


@pytest.fixture
def ended():
    """Ends what a test leaves running on purpose."""
    words = []
    yield words
    for pid in pids_of(*words) if words else ():
        os.kill(pid, signal.SIGKILL)


def test_output_of_both_streams_and_the_exit_code(tools):
    text, last = body(tools.run("shell", command="echo out; echo err >&2; exit 3"))
    assert text == "out\nerr"
    assert re.fullmatch(r"\[exit code 3, \d\.\d s\]", last)
    output = tools.run("shell", command="true")
    assert (output.is_error, output.kind) == (False, "shell")
    assert output.content.startswith("(no output)\n[exit code 0")


def test_it_starts_in_the_workspace_each_time(tools, work):
    assert body(tools.run("shell", command="pwd; cd /; X=1"))[0] == str(work)
    assert body(tools.run("shell", command="pwd; echo $X"))[0].split("\n")[0] == str(work)


def test_the_question_shows_the_exact_command(tools):
    tool = tools.by_name["shell"]
    args = parse_arguments(tool, '{"command": "ls \\n rm x", "description": "harmless"}')
    assert tool.access(args) == (RunCommand("ls \n rm x"),)
    assert tool.preview(args) == "ls \n rm x"
    assert tool.title(args) == "ls rm x  # harmless"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("sleep 6001 & echo done", "sleep 6001"),
        ("setsid sleep 6002 & echo done", "sleep 6002"),
        ("(while :; do echo x; sleep 0.1; done; echo 6003) & echo done", "echo 6003"),
        ("nohup sleep 6004 & echo done", "sleep 6004"),
        ("sleep 6005 > /dev/null 2>&1 & echo done", "sleep 6005"),
    ],
)
def test_c43_a_child_that_goes_on_does_not_hold_the_tool_and_is_told_by_pid(tools, ended, command, name):
    ended.append(name)
    started = time.monotonic()
    output = tools.run("shell", command=command, timeout=10)
    assert time.monotonic() - started < 2
    assert not output.is_error
    assert "done" in output.content
    assert "[exit code 0" in output.content
    told = re.search(r"\[still running: .*?\(pid (\d+)\)", output.content)
    assert told is not None
    assert set(pids_of(name)) & {int(pid) for pid in re.findall(r"pid (\d+)", output.content)}
    assert "next" in tools.text("shell", command="echo next")


def test_c43_a_server_that_prints_does_not_die_of_a_closed_pipe(work, ended):
    ended.append("echo 6010")
    tools = Tools(work)

    async def scenario():
        await tools.call(
            "shell", command="(while :; do echo x; echo y >> ticks; sleep 0.05; done; echo 6010) & :"
        )
        before = (work / "ticks").stat().st_size
        await asyncio.sleep(0.6)
        return before, (work / "ticks").stat().st_size

    before, after = asyncio.run(scenario())
    assert after > before


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("""bash -c 'trap "" TERM; sleep 6101 | cat'""", ["sleep 6101"]),
        ("sh -c 'sleep 6102; true'", ["sleep 6102"]),
        ("setsid sleep 6103 & sleep 6104", ["sleep 6103", "sleep 6104"]),
        (
            "(trap '' TERM HUP INT; setsid bash -c 'trap \"\" TERM; sleep 6105; sleep 6105' &) ; sleep 6106",
            ["sleep 610"],
        ),
    ],
)
def test_c44_a_timeout_ends_all_it_started_within_two_seconds(tools, command, words):
    started = time.monotonic()
    output = tools.run("shell", command=f"echo before; {command}", timeout=0.5)
    assert time.monotonic() - started < 0.5 + 2
    assert output.is_error
    assert output.content.startswith("before\n")
    assert "[timed out after 0.5 s" in output.content
    assert pids_of(*words) == []


def test_c44_an_interrupt_ends_all_it_started_within_two_seconds(tools):
    async def scenario():
        running = asyncio.create_task(
            tools.call("shell", command="""bash -c 'trap "" TERM; setsid sleep 6201 & sleep 6202 | cat'""")
        )
        await asyncio.sleep(0.4)
        assert len(pids_of("sleep 6201", "sleep 6202")) >= 2
        started = time.monotonic()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return time.monotonic() - started

    assert asyncio.run(scenario()) < 2
    assert pids_of("sleep 6201", "sleep 6202") == []


def test_the_timeout_is_capped_by_the_setting(work):
    tools = Tools(work, shell_timeout=0.3, shell_max_timeout=0.4)
    assert "timed out after 0.3 s" in tools.run("shell", command="sleep 6300").content
    assert "timed out after 0.4 s" in tools.run("shell", command="sleep 6300", timeout=100).content
    assert "timed out after 0.3 s" in tools.run("shell", command="sleep 6300", timeout=-1).content


@pytest.fixture
def repository(work):
    steps = "git init -q . && git config user.email a@b && git config user.name n"
    for name in "abc":
        steps += f" && echo {name} > {name} && git add {name} && git commit -qm {name}"
    subprocess.run(["bash", "-c", steps], check=True, capture_output=True)
    return work


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("git commit --allow-empty", "[1-9]"),
        ("git rebase -i HEAD~2", "[1-9]"),
        ("git log", "0"),
        ("git -c credential.helper= clone -q http://127.0.0.1:9/x.git", "[1-9]"),
        ("read x; echo got:$x", "0"),
        (f"{sys.executable}", "0"),
        ("cat", "0"),
        ("echo x > /dev/tty", "[1-9]"),
        ("$EDITOR file", "[1-9]"),
        ("seq 500 | ${PAGER:-less}", "0"),
        ("command -v sudo >/dev/null || exit 7; sudo -k -u nobody true < /dev/tty", "[1-9]"),
    ],
)
def test_c45_nothing_waits_for_a_person(tools, repository, command, code):
    started = time.monotonic()
    output = tools.run("shell", command=command, timeout=15)
    assert time.monotonic() - started < 8
    assert re.search(rf"\[exit code {code}\d*, ", output.content), output.content


def test_c45_an_interactive_rebase_leaves_history_alone(tools, repository):
    before = tools.run("shell", command="git rev-parse HEAD").content
    tools.run("shell", command="git rebase -i HEAD~2")
    tools.run("shell", command="git rebase --abort")
    assert tools.run("shell", command="git rev-parse HEAD").content.split()[0] == before.split()[0]


def test_keys_and_hidden_variables_are_not_passed_on(work, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "MY_KEY", "OTHER"):
        monkeypatch.setenv(name, f"value-of-{name}")
    text = Tools(work, hidden_env=("MY_KEY",)).text("shell", command="env")
    assert "value-of-OTHER" in text
    assert re.findall(r"value-of-(\w+_API_KEY|MY_KEY)", text) == []
    assert "AGENT=agent-cli" in text


@pytest.mark.parametrize(
    ("command", "shown", "code"),
    [
        (r"printf '\xf0\xff\x00abc'; exit 4", "\ufffd\ufffdabc", 4),
        ("head -c 100000 /bin/bash; exit 5", "[100,000 bytes of binary data, not shown]", 5),
        (r"printf '\xc3'; sleep 0.1; printf '\xa9'", "é", 0),
        (r'for i in $(seq 500); do printf "\rDownload $i%%"; done; echo', "Download 500%", 0),
        (r"printf '\e[31mred\e[0m\e]0;title\a'", "red", 0),
    ],
)
def test_c47_c48_any_output_is_text_and_the_exit_code_right(tools, command, shown, code):
    text, last = body(tools.run("shell", command=command))
    assert text == shown
    assert last.startswith(f"[exit code {code},")


def test_c05_a_flood_of_output_costs_bounded_memory(tools):
    output = tools.run("shell", command="yes 0123456789 | head -c 300000000; echo the end", timeout=60)
    assert len(output.content) < 2_200_000
    assert re.search(r"\[297,\d{3},\d{3} bytes left out of 300,000,008\]", output.content)
    assert "the end\n[exit code 0" in output.content


def test_capture_keeps_both_ends_and_cuts_no_character():
    capture = Capture(kept=10)
    for _ in range(20):
        capture.add("éé中".encode())
    assert capture.text() == "éé中é\n[120 bytes left out of 140]\n中éé中"
    small = Capture(kept=10)
    small.add(b"0123456789")
    small.add(b"abcdefghij")
    assert small.text() == "0123456789abcdefghij"


def test_progress_is_live_clean_and_not_a_flood(tools):
    seen = []
    command = r"printf '\e[1mfirst\e[0m\n'; sleep 0.3; for i in $(seq 3000); do echo $i; done"
    asyncio.run(tools.call("shell", seen.append, command=command))
    assert seen[0] == "first\n"
    assert 1 < len(seen) < 20


def test_a_command_killed_by_a_signal_is_an_error(tools):
    output = tools.run("shell", command="kill -SEGV $$")
    assert output.is_error
    assert "[killed by SIGSEGV" in output.content


@pytest.mark.parametrize("command", [" ", "echo a\0b", "echo \ud83d", "echo " + "x" * 3_000_000])
def test_a_command_that_cannot_start_is_a_clear_failure(tools, command):
    with pytest.raises(ToolFailure, match=r"empty|could not be started"):
        tools.run("shell", command=command)


def test_a_working_directory_that_is_gone_is_a_clear_failure(tmp_path):
    (tmp_path / "gone").mkdir()
    tools = Tools(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(ToolFailure, match="could not be started"):
        tools.run("shell", command="ls")


def test_no_descriptor_is_left_open(tools):
    tools.run("shell", command="echo warm up")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        tools.run("shell", command="echo x")
        with pytest.raises(ToolFailure):
            tools.run("shell", command="echo a\0b")
    assert len(list(Path("/proc/self/fd").iterdir())) <= before


def test_todo_and_compact_answer(tools):
    items = [{"text": "look", "status": "done"}, {"text": "write\nit", "status": "in_progress"}]
    assert tools.text("todo", items=items) == "[x] look\n[>] write it"
    assert tools.text("todo", items=[]) == "The list is empty."
    with pytest.raises(ToolFailure, match="no text"):
        tools.run("todo", items=[{"text": " ", "status": "done"}])
    assert tools.text("compact", focus="x") == "Compaction will run after this step."
