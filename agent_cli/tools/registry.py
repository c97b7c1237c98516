"""The default tools in their fixed order; the order is part of the cached prefix of every request."""

from collections.abc import Sequence

from agent_cli.core.ports import Tool
from agent_cli.tools.compact import Compact
from agent_cli.tools.edit_file import EditFile
from agent_cli.tools.glob_files import GlobFiles
from agent_cli.tools.grep import Grep
from agent_cli.tools.list_files import ListFiles
from agent_cli.tools.read_file import ReadFile
from agent_cli.tools.seen import SeenFiles
from agent_cli.tools.shell import Shell
from agent_cli.tools.todo import Todo
from agent_cli.tools.write_file import WriteFile
from agent_cli.workspace.paths import Workspace


def default_tools(
    workspace: Workspace, *, shell_timeout: float, shell_max_timeout: float, hidden_env: Sequence[str]
) -> tuple[Tool, ...]:
    """Returns new tools for one session. Times are in seconds; `hidden_env` names environment variables that commands
    must not see."""
    seen = SeenFiles()
    return (
        ReadFile(workspace, seen),
        WriteFile(workspace, seen),
        EditFile(workspace, seen),
        ListFiles(workspace),
        GlobFiles(workspace),
        Grep(workspace),
        Shell(workspace, timeout=shell_timeout, max_timeout=shell_max_timeout, hidden_env=hidden_env),
        Todo(),
        Compact(),
    )
