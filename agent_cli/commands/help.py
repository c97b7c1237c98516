"""`/help`: what can be typed."""

from agent_cli.commands.registry import Command, Emit, Reply, Run, misused
from agent_cli.session.opened import Opened

USAGE = "/help [COMMAND|keys]"
KEYS = {
    "Enter": "send; while the agent works, queue",
    "Ctrl+J, Alt+Enter, \\ Enter": "new line",
    "Esc, Ctrl+C": "stop what is going on; what was queued comes back",
    "Ctrl+C twice, Ctrl+D": "quit, when nothing runs and the input is empty",
    "↑": "on an empty input: take back the queued message, else go back in history",
    "Ctrl+R": "search the history",
    "Shift+Tab": "permission mode: ask → accept-edits → plan",
    "Ctrl+G, Ctrl+X Ctrl+E": "write in your editor",
    "Ctrl+Z": "put the program into the background",
    "@": "complete the name of a file",
    "!COMMAND": "run a shell command; its output joins the conversation",
    "!!COMMAND": "run a shell command; its output does not join",
}
"""What the keys of the interactive front end do."""


def help_command(others: tuple[Command, ...]) -> Command:
    """The command that tells about itself and the others."""

    async def show(opened: Opened, args: str, emit: Emit) -> Reply:
        """Lists the commands, or tells about one."""
        wanted = args.lower().removeprefix("/")
        if not wanted:
            return Reply(f"{_list(commands)}\n\nKeys: /help keys")
        if wanted == "keys":
            return Reply(_table(list(KEYS.items())))
        found = next((command for command in commands if wanted in command.names), None)
        names = ["keys", *(name for command in commands for name in command.names)]
        return Reply(_about(found)) if found else misused(USAGE, wanted, names)

    run: Run = show
    own = Command(
        ("help",),
        USAGE,
        "list the commands, or tell about one",
        run,
        while_busy=True,
        complete=lambda _: ["keys", *(command.names[0] for command in commands)],
    )
    commands = (own, *others)
    return own


def _list(commands: tuple[Command, ...]) -> str:
    rows = [(" ".join(f"/{name}" for name in command.names), command.help) for command in commands]
    return _table(rows)


def _table(rows: list[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in rows) + 2
    return "\n".join(f"{name:<{width}}{text}" for name, text in rows)


def _about(command: Command) -> str:
    others = ", ".join(f"/{name}" for name in command.names[1:])
    lines = [command.usage, f"  {command.help}"]
    if others:
        lines.append(f"  Also: {others}")
    if command.while_busy:
        lines.append("  May be used while the agent works.")
    return "\n".join(lines)
