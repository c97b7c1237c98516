"""`agent -p`: the whole main job, on both wires."""

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.flow.running import WIRES, entries, run, transcripts

both_wires = pytest.mark.parametrize("wire", WIRES)


@both_wires
def test_answer_on_stdout_and_progress_on_stderr(wire, work):
    (work / "settings.py").write_text("alpha = 1\n")
    script = [Reply(calls=(Call("read_file", {"path": "settings.py"}),)), Reply("alpha is 1")]
    with FakeServer(script) as server:
        done = run("-p", "what is alpha?", server=server, wire=wire)
        assert (done.code, done.out) == (0, "alpha is 1\n")
        assert "read_file settings.py" in done.err
        assert "alpha = 1" in server.requests[1].body["messages"][-1]["content"] if wire == "openai" else True
        assert server.refused == []


@both_wires
def test_stream_json_has_init_messages_tools_and_result(wire, work):
    (work / "a.txt").write_text("hello\n")
    script = [Reply("Looking.", calls=(Call("read_file", {"path": "a.txt"}),)), Reply("It says hello.")]
    with FakeServer(script) as server:
        done = run("-p", "read a.txt", "--output-format", "stream-json", server=server, wire=wire)
    kinds = [event["type"] for event in done.events]
    assert kinds == ["init", "message", "message", "tool_use", "tool_result", "message", "result"]
    assert {event["session_id"] for event in done.events} == {done.result["session_id"]}
    start = done.events[0]
    assert start["cwd"] == str(work)
    assert start["context_mode"] == "phase1"
    assert start["permission_mode"] == "ask"
    assert {
        "read_file",
        "write_file",
        "edit_file",
        "list_files",
        "glob",
        "grep",
        "shell",
        "compact",
        "todo",
    } <= set(start["tools"])
    use = done.events[3]
    assert (use["name"], use["input"]) == ("read_file", {"path": "a.txt"})
    answered = done.events[4]
    assert answered["id"] == use["id"]
    assert "hello" in answered["content"]
    assert not answered["is_error"]


@both_wires
def test_json_is_the_result_alone_with_usage_as_the_server_counted(wire):
    with FakeServer([Reply("done")]) as server:
        done = run("-p", "hi", "--output-format", "json", server=server, wire=wire)
        counted = server.requests[-1].input_tokens
    assert len(done.out.splitlines()) == 1
    result = done.result
    assert (result["type"], result["subtype"], result["is_error"], result["result"]) == (
        "result",
        "ok",
        False,
        "done",
    )
    assert result["usage"]["input"] == counted
    assert result["num_steps"] == 1
    assert result["permission_denials"] == []
    assert result["error"] is None


def test_piped_text_joins_the_prompt():
    seen = []

    def script(request):
        seen.append(request.last_text)
        return Reply("ok")

    with FakeServer(script) as server:
        assert run("-p", "explain this", server=server, stdin="a traceback\n").code == 0
        assert run("-p", server=server, stdin="only piped").code == 0
    assert seen == ["explain this\n\na traceback", "only piped"]


def test_edit_is_denied_without_permission_and_listed(work):
    (work / "a.py").write_text("x = 1\n")
    edit = Call("edit_file", {"path": "a.py", "old_text": "x = 1", "new_text": "x = 2"})
    with FakeServer([Reply(calls=(edit,)), Reply("I may not.")]) as server:
        done = run("-p", "change x", "--output-format", "json", server=server)
    assert (work / "a.py").read_text() == "x = 1\n"
    assert done.code == 0
    (denial,) = done.result["permission_denials"]
    assert denial["tool"] == "edit_file"
    assert "a.py" in denial["input"]


@pytest.mark.parametrize(
    "permission",
    [
        ("--permission-mode", "accept-edits"),
        ("--yolo",),
        ("--allowed-tools", "edit_file"),
        ("--allowed-tools", "edit_file(*.py)"),
    ],
)
def test_edit_runs_with_permission(work, permission):
    (work / "a.py").write_text("x = 1\n")
    edit = Call("edit_file", {"path": "a.py", "old_text": "x = 1", "new_text": "x = 2"})
    with FakeServer([Reply(calls=(edit,)), Reply("done")]) as server:
        done = run("-p", "change x", *permission, server=server)
    assert (done.code, (work / "a.py").read_text()) == (0, "x = 2\n")


def test_a_deny_rule_wins_over_yolo(work):
    with FakeServer([Reply(calls=(Call("shell", {"command": "touch made"}),)), Reply("no")]) as server:
        run("-p", "go", "--yolo", "--disallowed-tools", "shell", server=server)
    assert not (work / "made").exists()


def test_plan_mode_refuses_edits_and_commands(work):
    script = [
        Reply(
            calls=(Call("write_file", {"path": "b", "content": "x"}), Call("shell", {"command": "touch c"}))
        ),
        Reply("planned"),
    ]
    with FakeServer(script) as server:
        done = run("-p", "go", "--permission-mode", "plan", "--output-format", "json", server=server)
    assert not (work / "b").exists()
    assert not (work / "c").exists()
    assert len(done.result["permission_denials"]) == 2


def test_unknown_tool_and_bad_arguments_come_back_to_the_model(work):
    script = [
        Reply(
            calls=(
                Call("read_fil", {"path": "x"}),
                Call("read_file", {"pth": "x"}),
                Call("read_file", '{"path": "a'),
            )
        ),
        Reply("understood"),
    ]
    with FakeServer(script) as server:
        done = run("-p", "go", "--output-format", "stream-json", server=server)
        assert server.refused == []
    answers = [event for event in done.events if event["type"] == "tool_result"]
    assert [answer["is_error"] for answer in answers] == [True, True, True]
    assert "read_file" in answers[0]["content"]
    assert "path" in answers[1]["content"]
    assert done.result["result"] == "understood"


def test_the_transcript_holds_every_message(work):
    script = [Reply("Looking.", calls=(Call("list_files", {}),)), Reply("Empty.")]
    with FakeServer(script) as server:
        run("-p", "what is here?", server=server)
    (path,) = transcripts(work)
    lines = entries(path)
    assert lines[0]["type"] == "header"
    assert [line["role"] for line in lines if line["type"] == "message"] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert [line["type"] for line in lines].count("usage") == 2
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_the_key_is_written_nowhere(work, home):
    with FakeServer(
        [Reply(calls=(Call("shell", {"command": "env; cat /proc/self/environ"}),)), Reply("ok")]
    ) as server:
        done = run("-p", "go", "--yolo", "--debug", server=server)
        refused = run("-p", "go", "--debug", server=server, env={"OPENAI_API_KEY": "sk-wrong-1234567890"})
    texts = [done.out, done.err, refused.out, refused.err]
    texts += [path.read_text() for folder in (work, home) for path in folder.rglob("*") if path.is_file()]
    assert refused.code == 1
    assert not any("test-key" in text or "sk-wrong-1234567890" in text for text in texts)


def test_parallel_reads_are_answered_in_order(work):
    for name in "abc":
        (work / name).write_text(name * 3)
    calls = tuple(Call("read_file", {"path": name}) for name in "abc")
    with FakeServer([Reply(calls=calls), Reply("read")]) as server:
        run("-p", "go", server=server)
        contents = [
            message["content"] for message in server.requests[1].body["messages"] if message["role"] == "tool"
        ]
    assert ["aaa" in contents[0], "bbb" in contents[1], "ccc" in contents[2]] == [True, True, True]


def test_agents_md_is_in_the_system_prompt_and_read_again_on_resume(work):
    seen = []

    def script(request):
        seen.append(request.system)
        return Reply("ok")

    (work / "AGENTS.md").write_text("End every answer with OK.\n")
    with FakeServer(script) as server:
        run("-p", "one", server=server)
        (work / "AGENTS.md").write_text("End every answer with DONE.\n")
        run("-c", "-p", "two", server=server)
    assert "End every answer with OK." in seen[0]
    assert "End every answer with DONE." in seen[1]
    assert "End every answer with OK." not in seen[1]


def test_system_prompt_options():
    seen = []

    def script(request):
        seen.append(request.system)
        return Reply("ok")

    with FakeServer(script) as server:
        run(
            "-p",
            "x",
            "--system-prompt",
            "You are a pirate.",
            "--append-system-prompt",
            "Sing.",
            server=server,
        )
    assert "pirate" in seen[0]
    assert "Sing." in seen[0]
    assert "coding agent" not in seen[0]
