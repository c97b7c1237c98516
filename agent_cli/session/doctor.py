"""`agent doctor` and `/doctor`: what is wrong, and what to do."""

import asyncio
from collections.abc import AsyncIterator, Mapping

from agent_cli.session.check import Check
from agent_cli.session.doctor_call import calls
from agent_cli.session.doctor_machine import machine
from agent_cli.session.doctor_setup import model, setup
from agent_cli.session.opened import Opened


async def examine(opened: Opened, env: Mapping[str, str], *, online: bool) -> AsyncIterator[Check]:
    """All checks of an open session; `online` also makes one small model call."""
    for check in await asyncio.to_thread(_without_model, opened, env):
        yield check
    async for check in examine_model(opened, online=online):
        yield check


def _without_model(opened: Opened, env: Mapping[str, str]) -> list[Check]:
    return [*machine(env), *setup(opened.place, env)]


async def examine_model(opened: Opened, *, online: bool) -> AsyncIterator[Check]:
    """The chosen model, and with `online` whether it answers."""
    provider = opened.session.engine.provider
    yield model(provider.model)
    if provider.model.provider == "offline":
        return
    if not online:
        yield Check("ok", "call", "not made (offline)")
        return
    async for check in calls(provider):
        yield check
