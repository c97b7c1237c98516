"""The part of a recap that never passes through a model: the user's words, todo list, files and commands."""

from collections.abc import Iterator, Sequence

from agent_cli import prompts
from agent_cli.context.clip import Count, fits, middle
from agent_cli.context.record import Record, Run, Touch

LEAST_TOKENS = 40
"""A text is not cut to less than this; it is left out then."""
FIRST_SHARE = 4
"""The first message gets at most this part (a fourth) of the room for words."""


def sections(
    record: Record, todo: str | None, *, limit: int, user_limit: int, count: Count
) -> dict[str, str]:
    """The sections by tag, in the order they are shown, at most about `limit` tokens together and `user_limit`
    for the user's words (C15). What matters most takes its room first: words, todo list, changed files, commands,
    files that were only read."""
    room = limit
    taken: dict[str, str] = {}

    def take(tag: str, text: str) -> None:
        nonlocal room
        if text:
            taken[tag] = text
            room -= count(text) + LEAST_TOKENS // 2

    take("users_messages", _words(record, min(user_limit, max(limit * 2 // 3, limit - 1_500)), count))
    if todo and room > LEAST_TOKENS:
        take("todo_list", middle(todo, room, count))
    take("files_changed", _newest(_file_lines(record.files, changed=True), room, count))
    take("commands_run", _newest(_command_lines(record.commands), room, count))
    take("files_read", _newest(_file_lines(record.files, changed=False), room, count))
    order = ("users_messages", "todo_list", "files_changed", "files_read", "commands_run")
    return {tag: taken[tag] for tag in order if tag in taken}


def _words(record: Record, limit: int, count: Count) -> str:
    """The first message and the newest ones, oldest first; a long one is cut in its middle, in sight."""
    if not record.first or limit < LEAST_TOKENS:
        return ""
    first = middle(
        record.first, limit if not record.words else max(LEAST_TOKENS, limit // FIRST_SHARE), count
    )
    room = limit - count(first)
    newest: list[str] = []
    for text in reversed(record.words):
        if room < LEAST_TOKENS:
            break
        if not fits(text, room, count):
            newest.append(middle(text, room, count))
            break
        newest.append(text)
        room -= count(text) + 4
    left_out = len(record.words) - len(newest)
    gap = [prompts.fill("context_clipped", size=f"{left_out} messages")] if left_out else []
    return "\n---\n".join([first, *gap, *reversed(newest)])


def _file_lines(files: Sequence[Touch], *, changed: bool) -> Iterator[str]:
    return (f"{touch.path} ({touch.action})" for touch in reversed(files) if touch.changed == changed)


def _command_lines(commands: Sequence[Run]) -> Iterator[str]:
    return (f"{run.command} ({run.outcome})" for run in reversed(commands))


def _newest(lines: Iterator[str], limit: int, count: Count) -> str:
    """As many lines as fit; they come newest first and are shown oldest first."""
    kept: list[str] = []
    for line in lines:
        limit -= count(line) + 1
        if limit < 0:
            break
        kept.append(line)
    return "\n".join(reversed(kept))
