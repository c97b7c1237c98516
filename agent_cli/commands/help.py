"""`/help`: what can be typed."""

from agent_cli.commands.registry import Command, Emit, Reply, Run, misused
from agent_cli.session.opened import Opened

USAGE = "/help [COMMAND]"


def help_command(others: tuple[Command, ...]) -> Command:
    """The command that tells about itself and the others."""

    async def show(opened: Opened, args: str, emit: Emit) -> Reply:
        """Lists the commands, or tells about one."""
        wanted = args.lower().removeprefix("/")
        if not wanted:
            return Reply(_list(commands))
        found = next((command for command in commands if wanted in command.names), None)
        names = [name for command in commands for name in command.names]
        return Reply(_about(found)) if found else misused(USAGE, wanted, names)

    run: Run = show
    own = Command(
        ("help",),
        USAGE,
        "list the commands, or tell about one",
        run,
        while_busy=True,
        complete=lambda _: [command.names[0] for command in commands],
    )
    commands = (own, *others)
    return own


def _list(commands: tuple[Command, ...]) -> str:
    rows = [(" ".join(f"/{name}" for name in command.names), command.help) for command in commands]
    width = max(len(names) for names, _ in rows) + 2
    return "\n".join(f"{names:<{width}}{text}" for names, text in rows)


def _about(command: Command) -> str:
    others = ", ".join(f"/{name}" for name in command.names[1:])
    lines = [command.usage, f"  {command.help}"]
    if others:
        lines.append(f"  Also: {others}")
    if command.while_busy:
        lines.append("  May be used while the agent works.")
    return "\n".join(lines)
