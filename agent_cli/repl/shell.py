"""`!command`: run by the user; the output joins the conversation with the next message. `!!command`: it does not."""

from agent_cli import prompts
from agent_cli.core.messages import Text
from agent_cli.core.tools import ToolFailure, ToolOutput
from agent_cli.render import events
from agent_cli.repl.live import Running
from agent_cli.repl.surface import Surface
from agent_cli.session.model_choice import key_variables
from agent_cli.session.opened import Opened
from agent_cli.tools.shell import Shell, ShellArgs
from agent_cli.tools.text import clean
from agent_cli.workspace.paths import Workspace

_KEY = "!"


class UserShell:
    """Runs the user's commands with the tool that the model uses, without asking."""

    def __init__(self, screen: Surface) -> None:
        self._screen = screen
        self._waiting: list[str] = []

    async def run(self, opened: Opened, line: str) -> None:
        """Runs the line after its one or two exclamation marks and shows the output."""
        joins = not line.startswith("!!")
        command = line.lstrip("!").strip()
        if not command:
            self._screen.print(
                events.plain("Usage: !COMMAND, or !!COMMAND to keep its output to yourself.", "dim")
            )
            return
        output = await self._run(opened, command)
        shown = output.content if isinstance(output.content, str) else clean(output.content)
        self._screen.print(events.plain(shown.strip("\n"), "red" if output.is_error else ""))
        if joins:
            content = opened.session.engine.admit(output, Shell.name)
            self._waiting.append(prompts.fill("user_shell", command=command, output=content))

    def join(self, opened: Opened) -> None:
        """Adds what waits to the conversation. Raises AgentError: the transcript cannot be written."""
        while self._waiting:
            opened.session.ledger.message("user", (Text(self._waiting.pop(0)),), origin="shell")

    async def _run(self, opened: Opened, command: str) -> ToolOutput:
        settings = opened.place.loaded.settings
        tool = Shell(
            Workspace(opened.place.cwd),
            timeout=settings.shell.max_timeout,
            max_timeout=settings.shell.max_timeout,
            hidden_env=key_variables(settings),
        )
        running = self._screen.live.tools[_KEY] = Running("shell", command)

        def progress(text: str) -> None:
            running.output = text

        try:
            return await tool.run(ShellArgs(command), progress)
        except ToolFailure as failure:
            return ToolOutput(str(failure), is_error=True)
        finally:
            self._screen.live.tools.pop(_KEY, None)
