"""A transcript as plain text for people."""

from collections.abc import Iterable, Iterator

from agent_cli.core.entries import Clear, Compaction, Entry, Interrupt, Limit, Mode, UsageEntry
from agent_cli.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult


def as_text(entries: Iterable[Entry]) -> Iterator[str]:
    """The lines to print, a block per entry."""
    for entry in entries:
        match entry:
            case Message():
                yield from _message(entry)
            case Compaction():
                yield f"── {entry.line()}"
                yield ""
            case Interrupt():
                yield "── interrupted by the user"
                yield ""
            case UsageEntry() | Clear() | Limit() | Mode():
                continue


def _message(message: Message) -> Iterator[str]:
    who = {"user": "You", "assistant": "Agent", "tool": "Tool"}[message.role]
    yield f"{who} [{message.id}]" + (f" ({message.origin})" if message.origin else "")
    for part in message.parts:
        match part:
            case Text(text):
                yield text
            case Thinking():
                yield "(thinking)"
            case ToolCall(_, name, arguments):
                yield f"→ {name} {arguments}"
            case ToolResult(_, content, is_error):
                yield ("✗ " if is_error else "") + content
            case Image(media_type, data):
                yield f"({media_type}, {len(data) * 3 // 4} bytes)"
    yield ""
