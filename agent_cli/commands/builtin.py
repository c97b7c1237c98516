"""All slash commands, in the order of `/help`."""

from agent_cli.commands import (
    context,
    copy,
    diagnosis,
    diff,
    model,
    permissions,
    sessions,
    status,
)
from agent_cli.commands.help import help_command

_OTHERS = (
    *context.COMMANDS,
    *model.COMMANDS,
    *permissions.COMMANDS,
    *status.COMMANDS,
    *diff.COMMANDS,
    *copy.COMMANDS,
    *diagnosis.COMMANDS,
    *sessions.COMMANDS,
)
COMMANDS = (help_command(_OTHERS), *_OTHERS)
