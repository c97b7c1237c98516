"""The system part of every request: prompt, environment, instruction files. Its bytes only change on reload."""

import platform
from collections.abc import Callable, Sequence
from pathlib import Path

from agent_cli import prompts
from agent_cli.context.fixed import Fixed
from agent_cli.core.models import ToolSpec
from agent_cli.workspace.instructions import Instructions


class SystemPrompt:
    """Holds the fixed part; `instructions` reads the instruction files anew (case C14)."""

    def __init__(
        self,
        *,
        tools: Sequence[ToolSpec],
        environment: str,
        instructions: Callable[[], Instructions],
        replace: str | None = None,
        append: str | None = None,
    ) -> None:
        base = prompts.load("system") if replace is None else replace
        stable = [base, environment, append or ""]
        self._stable = "\n\n".join(block for block in stable if block.strip())
        self._tools = tuple(tools)
        self._instructions = instructions
        self.notes: tuple[str, ...] = ()
        """Lines for the user on what was cut or skipped of the instruction files."""
        self._fixed = self.reload()

    def current(self) -> Fixed:
        """The bytes in use."""
        return self._fixed

    def reload(self) -> Fixed:
        """Reads the instruction files again."""
        found = self._instructions()
        self.notes = found.notes
        files = (prompts.fill("instructions", files=found.text),) if found.text else ()
        blocks = (self._stable, *files)
        self._fixed = Fixed(blocks, self._tools)
        return self._fixed


def environment(cwd: Path, git_root: Path | None, started: str) -> str:
    """The environment block; `started` is the session's ISO time, used at day resolution so that the prefix stays
    the same for the whole session (case C23)."""
    return prompts.fill(
        "environment",
        cwd=str(cwd),
        git="no" if git_root is None else f"yes, root {git_root}",
        platform=f"{platform.system()} {platform.machine()}",
        date=started[:10],
    )
