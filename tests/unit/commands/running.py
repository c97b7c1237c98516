"""Runs slash commands on a real session, without the program around it."""

import asyncio
import os
from contextlib import asynccontextmanager
from pathlib import Path

from agent_cli import app
from agent_cli.commands.registry import Reply
from agent_cli.headless.run import Absent


@asynccontextmanager
async def session(**options):
    wanted = app.Options(cwd=Path.cwd(), **options)
    opened = await app.open_session(wanted, os.environ, Absent())
    try:
        yield opened
    finally:
        await opened.session.aclose()


async def typed(opened, line: str) -> Reply:
    command, args = app.COMMANDS.find(line)
    return await command.run(opened, args, lambda event: None)


def reply(*lines: str, say: tuple[str, ...] = (), **options) -> Reply:
    """The last line's reply in a session in which `say` was said first."""

    async def go() -> Reply:
        async with session(**options) as opened:
            for text in say:
                async for _ in opened.session.send(text):
                    pass
            replies = [await typed(opened, line) for line in lines]
            return replies[-1]

    return asyncio.run(go())
