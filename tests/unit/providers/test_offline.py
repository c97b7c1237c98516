"""The provider without a model: what it understands, what it calls, what it answers, also after compactions."""

import asyncio
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.context.record import Record
from agent_cli.context.view import fold_all
from agent_cli.core.entries import Clear, Compaction
from agent_cli.core.events import Finished, TextDelta
from agent_cli.core.messages import Message, Text, ToolCall, ToolResult
from agent_cli.core.models import Request, StopReason
from agent_cli.providers.offline import KINDS, Offline, understand
from tests.build import assistant, result, user

REQUESTS = {
    "read settings.py": [("read_file", {"path": "settings.py"})],
    "show me the file src/x.py": [("read_file", {"path": "src/x.py"})],
    "open x.py": [("read_file", {"path": "x.py"})],
    "Please read the contents of `my notes.txt`.": [("read_file", {"path": "my notes.txt"})],
    "can you show me README.md?": [("read_file", {"path": "README.md"})],
    "show lines 3-9 of x.py": [("read_file", {"path": "x.py", "offset": 3, "limit": 7})],
    "list files": [("list_files", {})],
    "list files in src": [("list_files", {"path": "src"})],
    "What files are in src?": [("list_files", {"path": "src"})],
    "ls": [("list_files", {})],
    "find *.py": [("glob", {"pattern": "**/*.py"})],
    "find all *.md files in docs": [("glob", {"pattern": "**/*.md", "path": "docs"})],
    "find setup.py": [("glob", {"pattern": "**/setup.py"})],
    "list src/*.py": [("glob", {"pattern": "src/*.py"})],
    "search for TODO": [("grep", {"pattern": "TODO"})],
    "search for TODO in src": [("grep", {"pattern": "TODO", "path": "src"})],
    "search for f(x) in *.py": [("grep", {"pattern": r"f\(x\)", "glob": "*.py"})],
    "grep foo": [("grep", {"pattern": "foo"})],
    "grep foo.*bar in src": [("grep", {"pattern": "foo.*bar", "path": "src"})],
    "find TODO in src": [("grep", {"pattern": "TODO", "path": "src"})],
    'search for "in the end" in a.txt': [("grep", {"pattern": "in the end", "path": "a.txt"})],
    "run pytest -q": [("shell", {"command": "pytest -q"})],
    "run `ls -la`": [("shell", {"command": "ls -la"})],
    "execute echo 'now then later'": [("shell", {"command": "echo 'now then later'"})],
    "create notes.txt with hello": [("write_file", {"path": "notes.txt", "content": "hello\n"})],
    'create a new file named a.txt containing "x then y"': [
        ("write_file", {"path": "a.txt", "content": "x then y\n"})
    ],
    "write hello world to a.txt": [("write_file", {"path": "a.txt", "content": "hello world\n"})],
    "create a.txt with two\nlines\n": [("write_file", {"path": "a.txt", "content": "two\nlines\n"})],
    "replace a by b in f": [("edit_file", {"path": "f", "old_text": "a", "new_text": "b"})],
    "in f replace a with b": [("edit_file", {"path": "f", "old_text": "a", "new_text": "b"})],
    "replace 'a by b' by '' in f": [("edit_file", {"path": "f", "old_text": "a by b", "new_text": ""})],
    "replace all foo with bar in f": [
        ("edit_file", {"path": "f", "old_text": "foo", "new_text": "bar", "replace_all": True})
    ],
    "how many lines in x": [("read_file", {"path": "x", "limit": 1})],
    "how many lines does x.py have?": [("read_file", {"path": "x.py", "limit": 1})],
    "count the lines of x.": [("read_file", {"path": "x", "limit": 1})],
    "compact": [("compact", {})],
    "compress the conversation with focus on the tests": [("compact", {"focus": "the tests"})],
    "read a.py, then run ls; and then compact": [
        ("read_file", {"path": "a.py"}),
        ("shell", {"command": "ls"}),
        ("compact", {}),
    ],
}
NOT_UNDERSTOOD = [
    "fix the bug in main.py",
    "run the tests",
    "create x.txt with hi then refactor everything",
    "read README.md and tell me what it does",
    "then",
    "read",
    "why does it fail?",
    "replace a in f",
    "explain this\n\na traceback",
]


def reply(*messages):
    async def go():
        return [event async for event in Offline().stream(Request((), (), messages, 1000))]

    events = asyncio.run(go())
    assert isinstance(events[-1], Finished)
    return events[-1].completion


def text(completion):
    return "\n".join(part.text for part in completion.parts if isinstance(part, Text))


def work(asked, *outputs):
    """The messages of a request and of its first steps, answered by `outputs` (text, or an error's text as a list)."""
    messages = [asked]
    for output in outputs:
        (call,) = reply(*messages).parts
        failed = isinstance(output, list)
        messages += [assistant(call), result(call.id, output[0] if failed else output, is_error=failed)]
    return messages


@pytest.mark.parametrize("asked", REQUESTS)
def test_requests_become_calls(asked):
    assert [(step.tool, step.arguments) for step in understand(asked)] == REQUESTS[asked]


@pytest.mark.parametrize("asked", NOT_UNDERSTOOD)
def test_what_is_not_understood_runs_nothing_and_says_how_to_connect_a_model(asked):
    done = reply(user(asked))
    assert done.stop == StopReason.REFUSAL
    for word in (
        "not a language model",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "OPENAI_BASE_URL",
        "run pytest -q",
    ):
        assert word in text(done)
    assert not any(isinstance(part, ToolCall) for part in done.parts)


@pytest.mark.parametrize("asked", ["help", "Hello!", "what can you do?"])
def test_help_is_an_answer(asked):
    assert reply(user(asked)).stop == StopReason.END_TURN


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_example_it_shows_works(kind):
    (step,) = understand(kind.example)
    assert step.kind == kind.name


def test_one_call_a_step_in_order_with_ids_that_depend_on_the_message():
    asked = user("read a.py then run ls", id="m7")
    first = reply(asked)
    assert first.stop == StopReason.TOOL_USE
    assert first == reply(asked)
    messages = work(asked, "1→x = 1")
    (second,) = reply(*messages).parts
    assert (second.name, json.loads(second.arguments)) == ("shell", {"command": "ls"})
    assert second.id != first.parts[0].id
    assert "m7" in second.id


def test_the_answer_shows_what_the_tools_said():
    messages = work(
        user("read a.py then grep foo then create n.txt with hi"),
        "1→x = 1",
        "b.py:3: foo",
        "Created n.txt (1 lines).",
    )
    done = reply(*messages)
    assert done.stop == StopReason.END_TURN
    for word in ("1→x = 1", "b.py:3: foo", "Created n.txt"):
        assert word in text(done)


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("1→x\n[lines 1-1 of 1,234; 20 KB. Go on with offset=2]", "1,234 lines"),
        ("1→only of 7;", "1 line"),
        ("[the file is empty]", "0 lines"),
        ("1→xxx\n[characters 1-3 of 90,000 in line 1 of 12; go on with offset=1 column=4]", "12 lines"),
    ],
)
def test_lines_are_counted_from_the_reading_tools_note(output, said):
    assert text(reply(*work(user("count the lines of x"), output))) == f"x: {said}"


def test_a_failed_step_ends_the_work_and_the_rest_is_named():
    messages = work(user("read a.py then create b.txt with x then run ls"), ["There is no a.py."])
    done = reply(*messages)
    assert done.stop == StopReason.ERROR
    assert "There is no a.py." in text(done)
    assert "create b.txt with x; run ls" in text(done)


def test_only_what_the_user_typed_counts():
    messages = work(user("read a.py"), "1→x")
    assert reply(*messages, user("read b.py", origin="loop")).stop == StopReason.END_TURN
    assert reply(user("read b.py", origin="hook")).stop == StopReason.END_TURN


def test_a_new_request_starts_anew():
    messages = [*work(user("read a.py"), "1→x"), assistant("done"), user("read b.py")]
    (call,) = reply(*messages).parts
    assert json.loads(call.arguments) == {"path": "b.py"}


def test_long_outputs_are_shortened_in_the_answer():
    done = reply(*work(user("read a.py then read b.py"), "1→" + "x" * 50_000, "1→y"))
    assert len(text(done)) < 13_000
    assert "more characters" in text(done)


def test_the_text_is_streamed():
    async def go():
        return [event async for event in Offline().stream(Request((), (), (user("help"),), 1000))]

    first, last = asyncio.run(go())
    assert isinstance(first, TextDelta)
    assert first.text == text(last.completion)


def late(messages, first_kept="", keep="half", facts=""):
    """The view after a compaction in the middle of the work."""
    recap = f"<earlier_conversation>\n{facts}\n</earlier_conversation>"
    size = len(messages)
    entry = Compaction(
        "c1", "2026-12-01T00:00:05Z", "SUMMARIZE", "auto", size, 1, 9, 1, first_kept, recap, keep
    )
    return fold_all([*messages, entry]).messages


STEPS = "run make then create a.txt with x then read b.py then run ls"


def test_work_goes_on_when_results_were_cleared():
    messages = work(user(STEPS), "built", "Created a.txt (1 lines).")
    view = fold_all([*messages, Clear("k1", "t", (messages[1].calls[0].id,))]).messages
    (call,) = reply(*view).parts
    assert call.name == "read_file"


def test_work_goes_on_after_a_compaction_that_keeps_the_newest_step():
    messages = work(user(STEPS), "built", "Created a.txt (1 lines).")
    (call,) = reply(*late(messages, first_kept=messages[3].id)).parts
    assert call.name == "read_file"


def test_side_effects_are_not_repeated_when_all_calls_left_the_view():
    messages = work(user(STEPS), "built", "Created a.txt (1 lines).")
    facts = (
        "<files_changed>\na.txt (written)\n</files_changed>\n<commands_run>\nmake (exit 0)\n</commands_run>"
    )
    (call,) = reply(*late(messages, keep="minimal", facts=facts)).parts
    assert call.name == "read_file"


def test_a_compaction_before_the_first_step_loses_no_step():
    old = work(user("run make"), "built")
    messages = [*old, assistant("done"), user(STEPS)]
    (call,) = reply(*late(messages, first_kept=messages[3].id, facts="make (exit 0)")).parts
    assert json.loads(call.arguments) == {"command": "make"}
    (call,) = reply(*late(messages, keep="minimal")).parts
    assert json.loads(call.arguments) == {"command": "make"}


def test_compact_in_the_middle_is_not_repeated():
    messages = work(
        user("read a.py then compact then read b.py"), "1→x", "The conversation is compacted after this step."
    )
    for view in (late(messages, keep="minimal"), late(messages, first_kept=messages[3].id)):
        (call,) = reply(*view).parts
        assert json.loads(call.arguments) == {"path": "b.py"}
        finished = reply(*view, assistant(call), result(call.id, "1→b"))
        assert finished.stop == StopReason.END_TURN
        assert "no longer in view" in text(finished)


def test_its_record_reading_matches_what_compactions_write():
    messages = work(
        user("run  make   all then create a.txt with x"), "built\nexit code 0", "Created a.txt (1 lines)."
    )
    record = Record().absorb(messages)
    facts = "\n".join(
        [
            *(f"{f.path} ({f.action})" for f in record.files),
            *(f"{c.command} ({c.outcome})" for c in record.commands),
        ]
    )
    assert reply(*late(messages, keep="minimal", facts=facts)).stop == StopReason.END_TURN


@given(
    st.lists(st.sampled_from([*REQUESTS]), min_size=1, max_size=5).map(" then ".join),
    st.lists(st.booleans(), max_size=12),
)
def test_any_request_ends_and_runs_each_step_once(asked, cleared):
    wanted = understand(asked)
    messages = [user(asked)]
    made = []
    for clear in [*cleared, *[False] * 40]:
        done = reply(*messages)
        if done.stop != StopReason.TOOL_USE:
            break
        (call,) = done.parts
        made.append((call.name, json.loads(call.arguments)))
        messages += [assistant(call), Message("r", "t", "tool", (ToolResult(call.id, "ok"),))]
        if clear:
            messages[-1] = msgspec.structs.replace(messages[-1], parts=(ToolResult(call.id, "[cleared]"),))
    assert made == [(step.tool, step.arguments) for step in wanted]
    assert done.stop == StopReason.END_TURN
