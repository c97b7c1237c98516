"""The session never ends (J5): far more work than the window holds, no request refused, none over usable."""

import json

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Fault, Reply
from agent_cli.tokens.count import Counter
from tests.flow.running import FAST, WIRES, entries, run, transcripts

WINDOW = 32_768
OUTPUT = WINDOW // 4
SUMMARY = "Goal: read all files. Done so far: several files read, all of them lists of words. Next: read the next file."


def reading(count: int):
    """Reads file after file, by the number of calls already answered; summarises when asked to."""
    answered = 0

    def script(request):
        nonlocal answered
        if not request.tools:
            return Reply(SUMMARY)
        answered += len(request.results)
        if answered < count:
            return Reply(f"File {answered}.", calls=(Call("read_file", {"path": f"f{answered:02}.txt"}),))
        return Reply("all files read")

    return script


def make_files(folder, count: int, tokens: int) -> None:
    counter = Counter()
    words = " ".join(f"word{number}" for number in range(tokens))
    text = ""
    for line in words.split():
        text += line + ("\n" if len(text) % 7 == 0 else " ")
    size = len(text) * tokens // counter.text(text)
    for number in range(count):
        (folder / f"f{number:02}.txt").write_text(f"file {number}\n{text[:size]}\n")


@pytest.mark.parametrize("wire", WIRES)
def test_j5_forty_files_of_2000_tokens_in_a_32k_window(wire, work):
    make_files(work, 40, 2_000)
    with FakeServer(reading(40), window=WINDOW) as server:
        done = run(
            "-p",
            "read all files",
            "--output-format",
            "json",
            "--max-context-tokens",
            str(WINDOW),
            server=server,
            wire=wire,
        )
        sizes = [request.input_tokens for request in server.requests]
        assert server.refused == []
        assert max(sizes) <= WINDOW - OUTPUT
        result = done.result
        assert (done.code, result["result"]) == (0, "all files read")
        assert result["compactions"] >= 1
        lines = entries(transcripts(work)[0])
        read = [line for line in lines if line["type"] == "message" and line["role"] == "tool"]
        assert len(read) == 40
        assert [line["layer"] for line in lines if line["type"] == "compaction"].count("SUMMARIZE") == result[
            "compactions"
        ]
        again = run("-c", "-p", "go on", server=server, wire=wire)
        assert (again.code, again.out, server.refused) == (0, "all files read\n", [])


@pytest.mark.parametrize("wire", WIRES)
def test_120_shell_steps_of_4_kb_in_a_32k_window(wire, work):
    def script(request):
        if not request.tools:
            return Reply(SUMMARY)
        done = script.done = script.done + len(request.results)
        if done < 120:
            command = f"seq -f 'step {done} line %g' 1 200 | head -c 4000; echo; echo end {done}"
            return Reply(calls=(Call("shell", {"command": command}),))
        return Reply("all steps done")

    script.done = 0
    with FakeServer(script, window=WINDOW) as server:
        done = run(
            "-p",
            "go",
            "--yolo",
            "--output-format",
            "json",
            "--max-context-tokens",
            str(WINDOW),
            server=server,
            wire=wire,
        )
        assert (done.code, done.result["result"], server.refused) == (0, "all steps done", [])
        assert max(request.input_tokens for request in server.requests) <= WINDOW - OUTPUT
    assert done.result["compactions"] >= 1


@pytest.mark.parametrize("wire", WIRES)
def test_g7_an_overflow_error_in_mid_task_compacts_once_and_goes_on(wire, work):
    make_files(work, 8, 1_500)

    def script(request):
        if not request.tools:
            return Reply(SUMMARY)
        if len(request.messages) > 9 and not script.refused:
            script.refused = True
            return Fault.overflow(wire)
        return inner(request)

    script.refused = False
    inner = reading(8)
    with FakeServer(script) as server:
        done = run("-p", "read all", "--output-format", "json", server=server, wire=wire)
    assert script.refused
    assert (done.code, done.result["result"]) == (0, "all files read")
    assert done.result["compactions"] == 1
    triggers = [line["trigger"] for line in entries(transcripts(work)[0]) if line["type"] == "compaction"]
    assert triggers == ["overflow"]


def test_g6_mode_none_explains_an_overflow_and_compress_still_works(work):
    def script(request):
        if not request.tools:
            return Reply(SUMMARY)
        return Fault.overflow("openai") if "big" in request.last_text else Reply("fine " * 50)

    with FakeServer(script) as server:
        for _ in range(4):
            run("-p", "small", *(["-c"] if transcripts(work) else []), server=server)
        done = run("-c", "-p", "big", "--context-mode", "none", server=server)
        assert done.code == 1
        assert "/compress" in done.err
        compressed = run("-c", "-p", "/compress", "--context-mode", "none", server=server)
        assert compressed.code == 0
        assert "Compacted" in compressed.out
        assert run("-c", "-p", "small", server=server).code == 0
        assert server.refused == []


@pytest.mark.parametrize("wire", WIRES)
def test_j4_the_compact_tool_compacts_after_the_step(wire, work):
    make_files(work, 4, 1_000)
    script = [
        *(Reply(calls=(Call("read_file", {"path": f"f{number:02}.txt"}),)) for number in range(4)),
        Reply(calls=(Call("compact", {"focus": "the files"}), Call("list_files", {}))),
        Reply(SUMMARY),
        Reply("went on"),
    ]
    with FakeServer(script) as server:
        done = run("-p", "go", "--output-format", "stream-json", server=server, wire=wire)
        assert (done.code, done.result["result"], server.refused) == (0, "went on", [])
        assert server.requests[-1].input_tokens < server.requests[4].input_tokens
    kinds = [event["type"] for event in done.events]
    assert kinds.index("compaction") > max(n for n, kind in enumerate(kinds) if kind == "tool_result")


def test_todo_survives_compaction(work):
    script = [
        Reply(calls=(Call("todo", {"items": [{"text": "paint the shed", "status": "in_progress"}]}),)),
        *(Reply(calls=(Call("list_files", {}),)) for _ in range(3)),
        Reply(calls=(Call("compact", {}),)),
        Reply(
            "A careless summary that forgets the list but is long enough to be taken for one, with a next step."
        ),
        Reply("ok"),
    ]
    with FakeServer(script) as server:
        run("-p", "go", server=server)
        assert "paint the shed" in json.dumps(server.requests[-1].body)


@pytest.mark.parametrize("policy", ["off", "cache_aware", "every_call"])
def test_j1_micro_policies_are_valid_on_the_wire_and_every_call_clears(policy, work):
    make_files(work, 10, 500)
    with FakeServer(reading(10)) as server:
        done = run("-p", "go", "--set", f"context.micro={policy}", server=server)
        assert (done.code, server.refused) == (0, [])
        last = [m["content"] for m in server.requests[-1].body["messages"] if m["role"] == "tool"]
    whole = [content for content in last if "word5" in content]
    assert len(whole) == (3 if policy == "every_call" else 10)


@pytest.mark.parametrize("wire", WIRES)
def test_j3_minimal_keeps_summary_and_acknowledgement(wire, work):
    with FakeServer(reading(6)) as server:
        make_files(work, 6, 500)
        run("-p", "read all", server=server, wire=wire)
        run("-c", "-p", "/compress", "--set", "context.keep=minimal", server=server, wire=wire)
        run("-c", "-p", "and now?", server=server, wire=wire)
        assert server.refused == []
        last = json.dumps(server.requests[-1].body, ensure_ascii=False)
    assert transcripts(work)[0].name in last
    assert SUMMARY[:40] in last


def test_k7_an_answer_cut_with_room_left_is_continued(work):
    script = [Reply("The first half, ", stop="length"), Reply("the second half.")]
    with FakeServer(script) as server:
        done = run("-p", "long", server=server)
        assert server.refused == []
    assert (done.code, done.out) == (0, "The first half, the second half.\n")


@pytest.mark.parametrize("wire", WIRES)
def test_k7_a_call_cut_by_the_output_limit_is_never_run(wire, work):
    stop = "length" if wire == "openai" else "max_tokens"
    cut = Reply("Writing.", calls=(Call("write_file", '{"path": "big.txt", "content": "aaaa'),), stop=stop)
    with FakeServer([cut, Reply("smaller then")]) as server:
        done = run("-p", "write", "--yolo", *FAST, server=server, wire=wire)
        assert (done.code, server.refused) == (0, [])
    assert not (work / "big.txt").exists()


def test_g2_context_info_sums_up(work):
    make_files(work, 3, 800)
    with FakeServer(reading(3)) as server:
        run("-p", "read all", server=server)
        done = run("-c", "-p", "/context info", server=server)
        as_json = run("-c", "-p", "/context info", "--output-format", "json", server=server)
    assert done.code == 0
    for word in ("system", "user", "assistant", "tool", "total", "phase1", "threshold"):
        assert word in done.out.lower()
    assert as_json.code == 0


def test_phase2_says_that_it_is_not_there_yet_and_runs_phase1(work):
    make_files(work, 40, 2_000)
    with FakeServer(reading(40), window=WINDOW) as server:
        done = run("-p", "go", "--context-mode", "phase2", "--max-context-tokens", str(WINDOW), server=server)
        assert (done.code, server.refused) == (0, [])
    assert done.err.count("phase2") == 1
    assert "phase1" in done.err


@pytest.mark.parametrize(
    ("env", "flags", "mode"),
    [
        ({}, (), "phase1"),
        ({"AGENT_CONTEXT_MODE": "none"}, (), "none"),
        ({"AGENT_ENABLE_AUTO_COMPRESS": "false"}, (), "none"),
        ({"AGENT_CONTEXT_MODE": "phase1", "AGENT_ENABLE_AUTO_COMPRESS": "false"}, (), "phase1"),
        ({"AGENT_CONTEXT_MODE": "none"}, ("--context-mode", "phase1"), "phase1"),
        ({"AGENT_CONTEXT_MODE": "rubbish"}, (), "phase1"),
    ],
)
def test_g11_where_the_mode_comes_from(env, flags, mode):
    with FakeServer([Reply("ok")]) as server:
        done = run("-p", "x", "--output-format", "stream-json", *flags, server=server, env=env)
    assert done.events[0]["context_mode"] == mode
    assert ("rubbish" in done.err) == ("rubbish" in env.values())
