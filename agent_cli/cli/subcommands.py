"""`agent sessions list|show|rm`, `agent config show|path` and `agent doctor`."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from agent_cli import app
from agent_cli.cli import options
from agent_cli.cli.directory import working_directory
from agent_cli.cli.doctor import doctor
from agent_cli.core.errors import AgentError
from agent_cli.headless.output import Stream
from agent_cli.headless.run import error_code
from agent_cli.session.opened import Place
from agent_cli.session.show import as_text
from agent_cli.settings.explain import explain
from agent_cli.settings.places import places
from agent_cli.transcript import index
from agent_cli.transcript.reader import iter_entries

subcommands = typer.Typer(
    add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True
)
sessions = typer.Typer(no_args_is_help=True, help="List, show and remove the sessions of this project.")
config = typer.Typer(no_args_is_help=True, help="Show the settings in use and where they come from.")
subcommands.add_typer(sessions, name="sessions")
subcommands.add_typer(config, name="config")
subcommands.command("doctor")(doctor)

SessionId = Annotated[str, typer.Argument(metavar="ID", help="The session's id, or the beginning of it.")]


@sessions.command("list")
def list_sessions(
    directory: options.Directory = None, config_file: options.Config = None, set_: options.Set = None
) -> None:
    """List the sessions of this project, newest first."""
    with _reported():
        found = index.sessions(_place(directory, config_file, set_).folder.path)
        if not found:
            _say("No sessions here yet.")
        for summary in found:
            changed = summary.changed.strftime("%Y-%m-%d %H:%M")
            _say(f"{summary.id}  {changed}  {summary.bytes / 1000:7.0f} kB  {_one_line(summary.first_text)}")


@sessions.command("show")
def show_session(
    session: SessionId,
    directory: options.Directory = None,
    config_file: options.Config = None,
    set_: options.Set = None,
) -> None:
    """Print a session as text."""
    with _reported():
        path = index.find(_place(directory, config_file, set_).folder.path, session)
        for line in as_text(iter_entries(path)):
            _say(line)


@sessions.command("rm")
def remove_session(
    session: SessionId,
    directory: options.Directory = None,
    config_file: options.Config = None,
    set_: options.Set = None,
) -> None:
    """Remove a session and what was kept beside it."""
    with _reported():
        path = index.find(_place(directory, config_file, set_).folder.path, session)
        index.remove(path)
        _say(f"Removed {path.name}.")


@config.command("show")
def show_config(
    directory: options.Directory = None, config_file: options.Config = None, set_: options.Set = None
) -> None:
    """Print every setting with its value and where it comes from."""
    with _reported():
        place = _place(directory, config_file, set_)
        for warning in place.loaded.warnings:
            Stream(sys.stderr).write(f"{warning}\n")
        _say(explain(place.loaded))


@config.command("path")
def config_path() -> None:
    """Print the path of your settings file, whether it exists or not."""
    with _reported():
        _say(str(places(os.environ).config / "config.toml"))


def _place(directory: Path | None, config_file: Path | None, assignments: list[str] | None) -> Place:
    wanted = app.Options(
        cwd=working_directory(directory), config_file=config_file, assignments=tuple(assignments or ())
    )
    return app.place(wanted, os.environ)


def _say(text: str) -> None:
    Stream(sys.stdout).write(f"{text}\n")


def _one_line(text: str, width: int = 80) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


@contextmanager
def _reported() -> Iterator[None]:
    try:
        yield
    except AgentError as error:
        Stream(sys.stderr).write(f"agent: {error}\n")
        raise typer.Exit(error_code(error)) from error
