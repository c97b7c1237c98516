"""`shell`: a command in the user's shell, from the workspace's root."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from agent_cli.core.tools import Access, RunCommand, ToolFailure, ToolOutput
from agent_cli.tools.base import BuiltinTool, one_line
from agent_cli.tools.capture import Capture, whole_characters
from agent_cli.tools.process import Ended, run_command
from agent_cli.tools.text import plain
from agent_cli.workspace.paths import Workspace

PROVIDER_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
PROGRESS_SECONDS = 0.1
PROGRESS_BYTES = 4_000
MAX_NAMED = 5


class ShellArgs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`description` is for people only."""

    command: str
    timeout: Annotated[float | None, Meta(description="seconds")] = None
    description: Annotated[str | None, Meta(description="what it does, in a few words")] = None


class Shell(BuiltinTool[ShellArgs]):
    """Runs commands. `timeout` and `max_timeout` are in seconds; `hidden_env` names variables, provider keys besides,
    that commands do not get."""

    name = "shell"
    args_type = ShellArgs

    def __init__(
        self, workspace: Workspace, *, timeout: float, max_timeout: float, hidden_env: Sequence[str] = ()
    ) -> None:
        super().__init__(timeout=f"{timeout:g}", max_timeout=f"{max_timeout:g}")
        self._workspace = workspace
        self._timeout = timeout
        self._max_timeout = max_timeout
        self._hidden = {*PROVIDER_KEYS, *hidden_env}

    def title(self, args: ShellArgs) -> str:
        """The command, and what the model says it does."""
        told = f"  # {one_line(args.description)}" if args.description else ""
        return one_line(args.command) + told

    def access(self, args: ShellArgs) -> Sequence[Access]:
        """The command. Raises ToolFailure: it is empty."""
        if not args.command.strip():
            raise ToolFailure("The command is empty.")
        return (RunCommand(args.command),)

    def preview(self, args: ShellArgs) -> str:
        """The exact command."""
        return args.command

    async def run(self, args: ShellArgs, progress: Callable[[str], None]) -> ToolOutput:
        """The cleaned output, then a line with the exit code and the duration. An error is what could not run, ran
        out of time or was killed; a plain exit code is the command's own answer."""
        timeout = min(args.timeout if args.timeout and args.timeout > 0 else self._timeout, self._max_timeout)
        env = {name: value for name, value in os.environ.items() if name not in self._hidden}
        try:
            ended = await run_command(
                args.command,
                cwd=self._workspace.root,
                env=env,
                limit=timeout,
                progress=_throttled(progress),
            )
        except (OSError, ValueError) as error:
            raise ToolFailure(f"The command could not be started: {error}") from error
        content = "\n".join([ended.output.text().rstrip("\n"), *_notes(ended, timeout)])
        return ToolOutput(content, is_error=ended.timed_out or ended.code < 0, kind="shell")


def _throttled(progress: Callable[[str], None]) -> Callable[[Capture], None]:
    """Passes on the newest output, cleaned, a few times a second at most."""
    last = 0.0

    def passed(output: Capture) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < PROGRESS_SECONDS:
            return
        last = now
        progress(plain(whole_characters(output.last(PROGRESS_BYTES)).decode("utf-8", "replace")))

    return passed


def _notes(ended: Ended, timeout: float) -> Iterator[str]:
    if ended.left:
        named = ", ".join(f"{running.command} (pid {running.pid})" for running in ended.left[:MAX_NAMED])
        more = f" and {len(ended.left) - MAX_NAMED} more" if len(ended.left) > MAX_NAMED else ""
        yield f"[still running: {named}{more}. What they print from now on is not kept; end them with kill]"
    if ended.timed_out:
        yield f"[timed out after {timeout:g} s; the command and all it started were ended]"
    elif ended.code < 0:
        yield f"[killed by {_signal_name(-ended.code)} after {ended.seconds:.1f} s]"
    else:
        yield f"[exit code {ended.code}, {ended.seconds:.1f} s]"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
