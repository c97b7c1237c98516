"""The models that can be named without asking anybody."""

from collections.abc import Mapping

from agent_cli.session.model_choice import accounts
from agent_cli.settings.schema import Settings
from agent_cli.tokens.windows import default_model

_OWN_DEFAULT = ("anthropic", "openai")


def known_models(settings: Settings, env: Mapping[str, str]) -> list[str]:
    """Aliases, the model of the settings, and the default of every account that can be used, as `-m` takes them.

    Nothing is looked up over the network, so the models of a server of one's own are not among them unless named.
    """
    names = [*settings.aliases, *([settings.model] if settings.model else [])]
    for name, account in accounts(settings, env).items():
        if not account.usable:
            continue
        if account.model:
            names.append(f"{name}/{account.model}")
        elif account.base_url is None and name in _OWN_DEFAULT:
            names.append(f"{name}/{default_model(name)}")
    return list(dict.fromkeys([*names, "offline/offline"]))
