"""`/model`: which model is in use, and going on with another one."""

import os

from agent_cli.commands.registry import Action, Command, Emit, Pick, Reply, UseModel
from agent_cli.session.known_models import known_models
from agent_cli.session.opened import Opened

USAGE = "/model [PROVIDER/NAME or alias]"


async def model(opened: Opened, args: str, emit: Emit) -> Reply:
    """Goes on with the model named, or with one to be chosen."""
    now = opened.session.engine.provider.model.id
    if not args:
        others = [name for name in _names(opened) if name != now]
        if not others:
            return Reply(f"Model: {now}\nNo other is set up. To use one: {USAGE}")
        labels = ((now, f"{now} (in use)"), *((name, name) for name in others))
        return Reply(f"Model: {now}", action=Pick("Go on with which model?", labels, _using))
    wanted = opened.place.loaded.settings.aliases.get(args, args)
    if wanted == now:
        return Reply(f"{now} is in use already.")
    return Reply(f"Model: {now} → {wanted}", action=UseModel(wanted))


def _names(opened: Opened) -> list[str]:
    return known_models(opened.place.loaded.settings, os.environ)


def _using(name: str) -> Action:
    return UseModel(name)


COMMANDS = (Command(("model",), USAGE, "show the model, or go on with another one", model, complete=_names),)
