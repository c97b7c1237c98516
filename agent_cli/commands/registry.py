"""Slash commands: what a line means and how it is run. Front ends only show the reply."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent_cli.core.events import AgentEvent
from agent_cli.session.opened import Opened
from agent_cli.settings.nearest import did_you_mean

Emit = Callable[[AgentEvent], None]


@dataclass(frozen=True, slots=True)
class Quit:
    """Leave the program."""


@dataclass(frozen=True, slots=True)
class NewSession:
    """Leave this session and start an empty one."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Leave this session and go on with another one, or with a copy of it."""

    id: str
    fork: bool = False


@dataclass(frozen=True, slots=True)
class UseModel:
    """Go on in this session with another model, named as `-m` names it."""

    name: str


@dataclass(frozen=True, slots=True)
class Pick:
    """Let the user choose one of `choices`, each a value and its label; `then` makes the action of the value."""

    title: str
    choices: tuple[tuple[str, str], ...]
    then: Callable[[str], "Action"]


Action = Quit | NewSession | OpenSession | UseModel | Pick


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command answers; `data` is the same for JSON output; `action` is for the front end to carry out."""

    text: str
    error: bool = False
    data: dict[str, Any] = field(default_factory=dict)
    action: Action | None = None


Run = Callable[[Opened, str, Emit], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Command:
    """One slash command. `names` are without the slash, the main one first; `run` gets the text after the name.

    `while_busy`: it may run while a turn runs. `complete` gives the texts that may follow the name.
    """

    names: tuple[str, ...]
    usage: str
    help: str
    run: Run
    while_busy: bool = False
    complete: Callable[[Opened], Sequence[str]] | None = None


def misused(usage: str, args: str, words: Sequence[str]) -> Reply:
    """The reply to arguments that a command does not understand; `words` are those it does."""
    return Reply(f"Usage: {usage}.{did_you_mean(args.lower(), words)}", error=True)


class Registry:
    """The commands a front end offers."""

    def __init__(self, commands: tuple[Command, ...]) -> None:
        self.commands = commands
        self._by_name = {name: command for command in commands for name in command.names}

    def find(self, line: str) -> tuple[Command, str] | None:
        """Returns the command a line names and the text after the name; None when the line is no command.

        A line is one when it starts with a slash and a word without a further slash: `/compress now` is, a path is not.
        Raises UnknownCommand: no command has that name.
        """
        word, _, rest = line.strip().partition(" ")
        name = word[1:].lower()
        if not word.startswith("/") or not name.replace("-", "").isalpha():
            return None
        if name not in self._by_name:
            raise UnknownCommand(self._unknown(name))
        return self._by_name[name], rest.strip()

    def _unknown(self, name: str) -> str:
        hint = did_you_mean(f"/{name}", [f"/{known}" for known in self._by_name])
        return f"There is no command /{name}.{hint} Commands: {', '.join(f'/{c.names[0]}' for c in self.commands)}."


class UnknownCommand(Exception):
    """The line names a command that does not exist; the text says what to type instead."""
