"""`agent doctor`: checks that go on where a session could not even be opened."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

import typer

from agent_cli import app
from agent_cli.cli import options
from agent_cli.cli.directory import working_directory
from agent_cli.core.errors import AgentError
from agent_cli.headless.output import Stream
from agent_cli.headless.run import ERROR, OK, Absent, error_code
from agent_cli.session.check import Check
from agent_cli.session.doctor import examine_model
from agent_cli.session.doctor_machine import machine
from agent_cli.session.doctor_setup import setup
from agent_cli.session.model_choice import Account, choose
from agent_cli.session.opened import Place
from agent_cli.tokens.windows import default_model

LIST_SECONDS = 20.0
"""A server that does not even list its models within this time is given up."""

Offline = Annotated[bool, typer.Option("--offline", help="Make no model call and ask no server.")]


def doctor(
    offline: Offline = False,
    model: options.Model = None,
    provider: options.Provider = None,
    directory: options.Directory = None,
    config: options.Config = None,
    set_: options.Set = None,
) -> None:
    """Check setup, terminal and model, a line each: ok, warn or fail. Exit code 1 if anything failed."""
    try:
        wanted = _options(directory, config, set_, model, provider)
    except AgentError as error:
        Stream(sys.stderr).write(f"agent: {error}\n")
        raise typer.Exit(error_code(error)) from error
    raise typer.Exit(asyncio.run(_run(wanted, online=not offline)))


def _options(
    directory: Path | None,
    config: Path | None,
    set_: list[str] | None,
    model: str | None,
    provider: str | None,
) -> app.Options:
    flags = {"model": model, "provider": provider}
    return app.Options(
        cwd=working_directory(directory),
        config_file=config,
        assignments=tuple(set_ or ()),
        flags={key: value for key, value in flags.items() if value is not None},
        session=app.Which(keep=False),
    )


async def _run(wanted: app.Options, *, online: bool) -> int:
    out = Stream(sys.stdout)
    code = OK
    async for check in _checks(wanted, online=online):
        out.write(f"{check.line()}\n")
        if check.level == "fail":
            code = ERROR
    return code


async def _checks(wanted: app.Options, *, online: bool) -> AsyncIterator[Check]:
    for check in machine(os.environ):
        yield check
    try:
        place = app.place(wanted, os.environ)
    except AgentError as error:
        yield Check("fail", "settings", str(error))
        return
    for check in setup(place, os.environ):
        yield check
    if not online and await _asks_server(place):
        yield Check("ok", "model", "none is named: the server would be asked for its only one")
        return
    async for check in _model(wanted, online=online):
        yield check


async def _model(wanted: app.Options, *, online: bool) -> AsyncIterator[Check]:
    try:
        async with asyncio.timeout(LIST_SECONDS):
            opened = await app.open_session(wanted, os.environ, Absent())
    except TimeoutError:
        yield Check("fail", "model", f"the server did not list its models within {LIST_SECONDS:.0f} s")
        return
    except AgentError as error:
        yield Check("fail", "model", str(error))
        return
    try:
        async for check in examine_model(opened, online=online):
            yield check
    finally:
        await opened.session.aclose()


class _WouldAsk(AgentError):
    """Choosing a model would need the server's list."""


async def _asks_server(place: Place) -> bool:
    """Whether a server has to be asked which model it offers."""

    async def refuse(account: Account) -> list[str]:
        raise _WouldAsk(account.provider)

    try:
        await choose(place.loaded.settings, os.environ, list_models=refuse, default_model=default_model)
    except _WouldAsk:
        return True
    except AgentError:
        return False  # Opening the session says what is wrong.
    return False
