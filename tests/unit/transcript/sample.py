"""Sessions to write and read."""

from agent_cli.core.entries import Clear, Compaction, Header, Interrupt, Mode, UsageEntry
from agent_cli.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from agent_cli.core.usage import Usage
from agent_cli.transcript.folder import Folder
from agent_cli.transcript.writer import TranscriptWriter

TS = "2026-12-01T10:00:00Z"


def header(session="abc123", **fields):
    given = {"v": 1, "created": TS, "cwd": "/w", "model": "openai/gpt-5", "context_mode": "phase1"} | fields
    return Header(session=session, **given)


def message(number="m1", text="hello", role="user", **fields):
    return Message(number, TS, role, (Text(text),), **fields)


ONE_OF_EACH = (
    message(),
    Message(
        "m2",
        TS,
        "assistant",
        (
            Thinking("hm", "seal", "blob", "anthropic"),
            Text("naïve 日本 🎉"),
            ToolCall("c1", "shell", '{"a": 1}'),
        ),
    ),
    Message("m3", TS, "tool", (ToolResult("c1", "line\nline\u2028\x00", True), Image("image/png", "aGk="))),
    UsageEntry("u1", TS, "openai/gpt-5", Usage(10, 2, 3, 4), "summary", 9, 0.25),
    Compaction("k1", TS, "SUMMARIZE", "auto", 9, 3, 900, 300, "m2", "what was", "minimal", "model", "note"),
    Clear("x1", TS, ("c1",)),
    Mode("s1", TS, "none"),
    Interrupt("i1", TS, "tool"),
    message("m4", "go on", origin="loop"),
)


def written(folder, *entries, session="abc123", **fields):
    writer = TranscriptWriter.create(Folder(folder), header(session, **fields))
    for entry in entries or ONE_OF_EACH:
        writer.append(entry)
    writer.sync()
    writer.close()
    return folder / writer.path.rpartition("/")[2]
