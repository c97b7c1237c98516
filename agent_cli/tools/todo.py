"""`todo`: the model's own task list, sent whole each time; the newest call holds the list."""

from collections.abc import Callable
from typing import Literal

import msgspec

from agent_cli.core.tools import ToolFailure, ToolOutput
from agent_cli.tools.base import BuiltinTool, one_line

_MARKS = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]"}


class TodoItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One task."""

    text: str
    status: Literal["pending", "in_progress", "done"]


class TodoArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole list."""

    items: tuple[TodoItem, ...]


class Todo(BuiltinTool[TodoArgs]):
    """Keeps nothing: the list is in the conversation."""

    name = "todo"
    args_type = TodoArgs
    read_only = True

    def title(self, args: TodoArgs) -> str:
        """How many are done."""
        done = sum(item.status == "done" for item in args.items)
        return f"{done} of {len(args.items)} done"

    async def run(self, args: TodoArgs, progress: Callable[[str], None]) -> ToolOutput:
        """The list as text. Raises ToolFailure: an item is blank."""
        if any(not item.text.strip() for item in args.items):
            raise ToolFailure("An item has no text. Nothing was changed.")
        lines = [f"{_MARKS[item.status]} {one_line(item.text)}" for item in args.items]
        return ToolOutput("\n".join(lines) or "The list is empty.")
