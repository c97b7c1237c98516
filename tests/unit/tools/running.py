"""Runs a tool as the loop does: JSON arguments in, output or failure text out."""

import asyncio
import json
from pathlib import Path

from agent_cli.core.tools import ToolOutput
from agent_cli.tools.base import parse_arguments
from agent_cli.tools.registry import default_tools
from agent_cli.workspace.paths import Workspace


class Tools:
    """The default tools of one session in a folder."""

    def __init__(self, root: Path, **shell) -> None:
        self.workspace = Workspace(root)
        options = {"shell_timeout": 20, "shell_max_timeout": 60, "hidden_env": (), **shell}
        self.by_name = {tool.spec.name: tool for tool in default_tools(self.workspace, **options)}

    async def call(self, name, progress=lambda text: None, **arguments) -> ToolOutput:
        tool = self.by_name[name]
        args = parse_arguments(tool, json.dumps(arguments))
        tool.access(args)
        return await tool.run(args, progress)

    def run(self, name, **arguments) -> ToolOutput:
        return asyncio.run(self.call(name, **arguments))

    def text(self, name, **arguments) -> str:
        content = self.run(name, **arguments).content
        assert isinstance(content, str)
        return content
