"""`compact`: the model asks for a compaction (J4). The loop acts on the call's name after the step."""

from collections.abc import Callable
from typing import Annotated

import msgspec
from msgspec import Meta

from agent_cli.core.tools import ToolOutput
from agent_cli.tools.base import BuiltinTool


class CompactArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`focus` goes into the request for the summary."""

    focus: Annotated[str | None, Meta(description="what the summary must keep")] = None


class Compact(BuiltinTool[CompactArgs]):
    """Answers the call; touches nothing itself."""

    name = "compact"
    args_type = CompactArgs
    read_only = True

    def title(self, args: CompactArgs) -> str:
        """The focus, where one is given."""
        return args.focus or ""

    async def run(self, args: CompactArgs, progress: Callable[[str], None]) -> ToolOutput:
        """Says when it will happen."""
        return ToolOutput("Compaction will run after this step.")
