"""Opening sessions while the prompt is already there: in a thread, so that keys echo meanwhile."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from agent_cli.core.ports import Approver
from agent_cli.session.opened import Opened

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Wish:
    """Which session to open instead of the one of the command line: its id, or empty for a new one. `model` None
    leaves the choice to the settings."""

    session: str = ""
    fork: bool = False
    model: str | None = None


Open = Callable[[Wish | None, Approver], Coroutine[Any, Any, Opened]]
"""Opens what is wished for, or with None what the command line says. Raises AgentError."""


def in_thread(work: Callable[[], Result]) -> Awaitable[Result]:
    """Runs work in a thread that does not hold up the program's end, as a pool's thread would."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def settle(result: Result | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # pyright: ignore[reportArgumentType] - a result where there is no error

    def run() -> None:
        result: Result | None = None
        failed: BaseException | None = None
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - raised again where the result is awaited
            failed = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, failed)

    threading.Thread(target=run, daemon=True).start()
    return future


@dataclass(frozen=True, slots=True)
class Ready:
    """An open session and how full its window is, in the model's own tokens."""

    opened: Opened
    used: int


async def ready(open_: Open, wish: Wish | None, approver: Approver) -> Ready:
    """Opens a session and counts it, off the event loop. Raises AgentError."""

    def work() -> Ready:
        opened = asyncio.run(open_(wish, approver))
        return Ready(opened, opened.session.engine.info().total)

    return await in_thread(work)


def warm(opened: Opened) -> None:
    """Imports the provider's SDK in a thread: the first message need not wait for it."""
    warming = getattr(opened.session.engine.provider, "warm", None)
    if warming is not None:
        threading.Thread(target=warming, daemon=True).start()
