"""Events come through a queue, questions do not: a question waits until what happened before it is shown."""

import asyncio

from agent_cli.repl.surface import Surface

SETTLE_SECONDS = 0.02


async def settled(surface: Surface) -> None:
    """Waits until no event has been shown for a moment."""
    seen = -1
    while seen != surface.events:
        seen = surface.events
        await asyncio.sleep(SETTLE_SECONDS)
