"""The five places where others may take part in a turn (K8)."""

from collections.abc import Sequence

from agent_cli.core.entries import Compaction
from agent_cli.core.messages import Message, ToolCall
from agent_cli.core.tools import ToolOutput


class Hooks:
    """Does nothing; subclasses override what they need."""

    async def before_tool(self, call: ToolCall) -> str | None:
        """Joins the approval pipeline: a returned reason denies the call."""
        return None

    async def pre_tool(self, call: ToolCall) -> str | None:
        """Runs after permission was given: a returned reason blocks the call and is told to the model."""
        return None

    async def post_tool(self, call: ToolCall, output: ToolOutput) -> ToolOutput:
        """May change what the tool answered."""
        return output

    async def pre_request(self, messages: Sequence[Message]) -> Sequence[Message]:
        """Returns messages to append to this request only: counted for the trigger, never stored."""
        return ()

    async def on_compact(self, entry: Compaction) -> None:
        """A compaction has been persisted (K9, G9)."""
