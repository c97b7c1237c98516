"""What is noted by machine about messages that leave the view: the user's words, files, commands. Bounded."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from agent_cli.context.clip import middle
from agent_cli.core.messages import Image, Message, ToolCall, ToolResult

MAX_WORD_CHARS = 240_000
"""Characters of the user's newest messages that are carried on; the first message is carried besides."""
MAX_FILES = 150
MAX_COMMANDS = 60
MAX_COMMAND_CHARS = 300

FILE_ACTIONS = {"read_file": "read", "write_file": "written", "edit_file": "edited"}
CHANGES = frozenset({"written", "edited"})
SHELL = "shell"


class Touch(msgspec.Struct, frozen=True):
    """A file that was read or changed; `action` is the last thing done to it."""

    path: str
    action: str
    changed: bool


class Run(msgspec.Struct, frozen=True):
    """A command that was run; `outcome` is its exit code, as the last line of a shell result states it."""

    command: str
    outcome: str


class Record(msgspec.Struct, frozen=True):
    """The notes, oldest first. `first` is the user's first message."""

    first: str = ""
    words: tuple[str, ...] = ()
    files: tuple[Touch, ...] = ()
    commands: tuple[Run, ...] = ()

    def absorb(self, messages: Sequence[Message]) -> "Record":
        """The notes with what is worth keeping of `messages` added."""
        said = [text for text in map(_words, messages) if text]
        first = self.first
        if said and not first:
            first = said.pop(0)
        answered = tuple(calls_with_results(messages))
        return Record(
            first=first,
            words=_newest_words((*self.words, *said)),
            files=_merged(self.files, (touch for touch in (_touch(*pair) for pair in answered) if touch)),
            commands=(*self.commands, *(run for run in (_run(*pair) for pair in answered) if run))[
                -MAX_COMMANDS:
            ],
        )


def calls_with_results(messages: Sequence[Message]) -> Iterator[tuple[ToolCall, ToolResult]]:
    """Each call with its result, in the order of the results; calls are looked up by id, the newest first."""
    calls: dict[str, ToolCall] = {}
    for message in messages:
        calls.update((call.id, call) for call in message.calls)
        for result in message.results:
            if result.call_id in calls:
                yield calls[result.call_id], result


def main_argument(call: ToolCall) -> str:
    """The argument that says most about a call, in one line: a path, a command, a pattern."""
    arguments = arguments_of(call)
    named = (
        arguments[name] for name in ("path", "file_path", "command", "pattern", "query") if name in arguments
    )
    texts = (value for value in (*named, *arguments.values()) if isinstance(value, str) and value.strip())
    return " ".join(next(texts, "").split())[:MAX_COMMAND_CHARS]


def arguments_of(call: ToolCall) -> dict[str, object]:
    """The call's arguments; empty when they are not a JSON object."""
    try:
        decoded = msgspec.json.decode(call.arguments)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return {}
    return decoded if isinstance(decoded, dict) else {}


def _words(message: Message) -> str:
    if not message.typed:
        return ""
    images = sum(isinstance(part, Image) for part in message.parts)
    return "\n".join(filter(None, (message.text.strip(), "[image]" * images)))


def _newest_words(words: tuple[str, ...]) -> tuple[str, ...]:
    """The newest words within the bound; the one that crosses it is cut in its middle."""
    kept: list[str] = []
    room = MAX_WORD_CHARS
    for text in reversed(words):
        if room < MAX_COMMAND_CHARS:
            break
        kept.append(middle(text, room, len))
        room -= len(text)
    return tuple(reversed(kept))


def _touch(call: ToolCall, result: ToolResult) -> Touch | None:
    action = FILE_ACTIONS.get(call.name)
    path = main_argument(call)
    if action is None or result.is_error or not path:
        return None
    return Touch(path, action + _lines(call), action in CHANGES)


def _lines(call: ToolCall) -> str:
    """The lines a read asked for, where it did not ask for the whole file."""
    arguments = arguments_of(call)
    offset, limit = arguments.get("offset"), arguments.get("limit")
    if call.name != "read_file" or not (isinstance(offset, int) or isinstance(limit, int)):
        return ""
    first = offset if isinstance(offset, int) else 1
    return f" from line {first}" + (f", {limit} lines" if isinstance(limit, int) else "")


def _merged(files: Sequence[Touch], touches: Iterator[Touch]) -> tuple[Touch, ...]:
    """One line a file, the last touched at the end; a file once changed stays marked so."""
    known = {touch.path: touch for touch in files}
    for touch in touches:
        before = known.pop(touch.path, None)
        changed = touch.changed or (before is not None and before.changed)
        known[touch.path] = Touch(touch.path, touch.action, changed)
    return tuple(islice(known.values(), max(0, len(known) - MAX_FILES), None))


def _run(call: ToolCall, result: ToolResult) -> Run | None:
    command = main_argument(call)
    if call.name != SHELL or not command:
        return None
    last = result.content.rstrip().rpartition("\n")[2]
    code = re.search(r"exit code (-?\d+)", last[-200:])
    if code is not None:
        return Run(command, f"exit {code[1]}")
    return Run(command, "failed" if result.is_error else "exit 0")
