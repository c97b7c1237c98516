"""`/permissions`: what may be done without asking, and why."""

from collections.abc import Iterable
from typing import get_args

from agent_cli.commands.registry import Command, Emit, Reply, misused
from agent_cli.render.text import visible
from agent_cli.session.opened import Opened
from agent_cli.settings.schema import PermissionMode

MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)
USAGE = f"/permissions [{'|'.join(MODES)}]"
_MEANING: dict[PermissionMode, str] = {
    "ask": "asks before files are changed and commands are run",
    "accept-edits": "changes files inside the workspace without asking; asks before commands",
    "plan": "only reads; refuses edits and commands",
    "yolo": "allows everything that no rule denies",
}
_EMPTY = "(none)"


async def permissions(opened: Opened, args: str, emit: Emit) -> Reply:
    """Lists mode, rules and consents, or switches the mode for this run."""
    if not args:
        return _listed(opened)
    wanted: PermissionMode | None = next((mode for mode in MODES if mode == args.lower()), None)
    if wanted is None:
        return misused(USAGE, args, MODES)
    opened.permissions.mode = wanted
    return Reply(f"Permission mode: {wanted} ({_MEANING[wanted]}).", data={"mode": wanted})


def _listed(opened: Opened) -> Reply:
    loaded, state = opened.place.loaded, opened.permissions
    rules = loaded.settings.permissions
    lists = {"allow": rules.allow, "ask": rules.ask, "deny": rules.deny}
    remembered = sorted(map(str, state.remembered))
    session = sorted(set(map(str, state.session_consents)) - set(remembered))
    blocks = [f"Permission mode: {state.mode} ({_MEANING[state.mode]})"]
    for name, texts in lists.items():
        source = f" from {loaded.sources[f'permissions.{name}']}" if texts else ""
        blocks.append(_block(f"{name.capitalize()} rules{source}", texts))
    blocks.append(_block("Allowed until the session ends", session))
    blocks.append(_block(f"Allowed for good in {state.remembered.file}", remembered))
    data = {"mode": state.mode, **lists, "session": session, "remembered": remembered}
    return Reply("\n".join(blocks), data=data)


def _block(title: str, lines: Iterable[str]) -> str:
    listed = [f"  {visible(line)}" for line in lines]
    return "\n".join([f"{title}:", *listed]) if listed else f"{title}: {_EMPTY}"


COMMANDS = (
    Command(
        ("permissions",),
        USAGE,
        "show permission mode, rules and what you allowed; switch the mode",
        permissions,
        while_busy=True,
        complete=lambda _: MODES,
    ),
)
