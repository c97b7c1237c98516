"""`/doctor` and `/debug`: finding out what is wrong."""

import os
from dataclasses import asdict

from agent_cli.commands.registry import Command, Emit, Reply, misused
from agent_cli.session import debug
from agent_cli.session.doctor import examine
from agent_cli.session.opened import Opened

DOCTOR = "/doctor [offline]"
DEBUG = "/debug [on|off]"


async def doctor(opened: Opened, args: str, emit: Emit) -> Reply:
    """Looks at the setup and makes one small model call, unless `offline` is given."""
    wanted = args.lower().removeprefix("--")
    if wanted not in ("", "offline"):
        return misused(DOCTOR, args, ["offline"])
    checks = [check async for check in examine(opened, os.environ, online=not wanted)]
    lines = "\n".join(check.line() for check in checks)
    return Reply(lines, data={"checks": [asdict(check) for check in checks]})


async def log(opened: Opened, args: str, emit: Emit) -> Reply:
    """Switches the debug log, or says where it is written."""
    match args.lower():
        case "":
            running = debug.current()
            return Reply(f"The debug log is on: {running.path}" if running else "The debug log is off.")
        case "on":
            return _begin(opened)
        case "off":
            path = debug.stop()
            return Reply(f"The debug log is off; it stays in {path}" if path else "The debug log is off.")
        case _:
            return misused(DEBUG, args, ["on", "off"])


def _begin(opened: Opened) -> Reply:
    place = opened.place
    try:
        path = debug.start(place.places.state, place.loaded.settings, os.environ)
    except OSError as error:
        return Reply(f"The debug log cannot be written: {error.strerror} ({error.filename}).", error=True)
    return Reply(f"The debug log is on: {path}\nKeys are left out of it.")


COMMANDS = (
    Command(("doctor",), DOCTOR, "check setup, terminal and model", doctor, complete=lambda _: ("offline",)),
    Command(
        ("debug",),
        DEBUG,
        "write what happens inside to a file",
        log,
        while_busy=True,
        complete=lambda _: ("on", "off"),
    ),
)
