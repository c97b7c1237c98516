"""Which model a session talks to: flag, environment, settings, the only account present, else offline."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from agent_cli.core.errors import SettingsError, UsageError
from agent_cli.settings.explain import masked
from agent_cli.settings.schema import ProviderSettings, Settings, Wire

_KEYS = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
_WIRES: dict[str, Wire] = {"anthropic": "anthropic", "openai": "openai-chat"}
_FAMILIES = (("anthropic", re.compile(r"claude")), ("openai", re.compile(r"gpt|chatgpt|o\d|codex")))
LOCAL_KEY = "none"
"""Sent where a custom base URL needs no key: the SDKs insist on one."""


@dataclass(frozen=True, slots=True)
class Account:
    """A provider that can be used: how it is spoken to and with which key."""

    provider: str
    wire: Wire
    base_url: str | None
    api_key: str | None
    model: str | None

    @property
    def usable(self) -> bool:
        """Whether there is a key, or a server of one's own that may not need one."""
        return self.api_key is not None or self.base_url is not None


@dataclass(frozen=True, slots=True)
class Choice:
    """The model to use. `account` is None for the offline provider; `notice` is a line for the user."""

    provider: str
    model: str
    account: Account | None
    notice: str = ""


ListModels = Callable[[Account], Awaitable[list[str]]]
DefaultModel = Callable[[str], str]


def accounts(settings: Settings, env: Mapping[str, str]) -> dict[str, Account]:
    """Every account that settings and environment describe, by provider name."""
    names = [*_KEYS, *(name for name in settings.providers if name not in _KEYS)]
    return {name: _account(name, settings.providers.get(name, ProviderSettings()), env) for name in names}


def _account(name: str, given: ProviderSettings, env: Mapping[str, str]) -> Account:
    variable = given.api_key_env or _KEYS.get(name, "")
    key = env.get(variable) or None
    return Account(name, given.wire or _WIRES.get(name, "openai-chat"), given.base_url, key, given.model)


def key_variables(settings: Settings) -> tuple[str, ...]:
    """The environment variables that hold keys: commands must not see them."""
    given = (provider.api_key_env for provider in settings.providers.values())
    return (*_KEYS.values(), *(name for name in given if name))


async def choose(
    settings: Settings,
    env: Mapping[str, str],
    *,
    list_models: ListModels,
    default_model: DefaultModel,
) -> Choice:
    """Picks provider and model (design, section 1). `settings.model` and `.provider` already hold the strongest of
    flag, environment and files.

    Raises SettingsError: the named account has no key, or a custom server lists no or several models.
    UsageError: the provider is unknown.
    """
    known = accounts(settings, env)
    wanted = settings.model and settings.aliases.get(settings.model, settings.model)
    provider, model = _split(wanted, settings.provider, known)
    if provider == "offline":
        return Choice("offline", "offline", None)
    notice = ""
    if provider is None:
        provider, notice = _only(known)
    if provider is None:
        if model is not None:
            raise SettingsError(f"No account is set up for the model {model!r}. {_CONNECT}")
        return Choice("offline", "offline", None, _OFFLINE)
    account = known[provider]
    if not account.usable:
        raise SettingsError(f"No key for {provider}: set {_variable(provider, settings)} or a base URL.")
    return Choice(provider, model or await _default(account, list_models, default_model), account, notice)


def _variable(provider: str, settings: Settings) -> str:
    given = settings.providers.get(provider, ProviderSettings())
    return given.api_key_env or _KEYS.get(provider) or f"providers.{provider}.api_key_env"


def _split(
    wanted: str | None, provider: str | None, known: Mapping[str, Account]
) -> tuple[str | None, str | None]:
    if provider is not None and provider != "offline" and provider not in known:
        raise UsageError(f"Unknown provider {provider!r}. Known: {', '.join([*known, 'offline'])}.")
    if wanted is None:
        return provider, None
    head, slash, tail = wanted.partition("/")
    if wanted == "offline" or head == "offline":
        return "offline", "offline"
    if slash and head in known and provider in (None, head):
        return head, tail
    if provider is not None:
        return provider, wanted
    usable = [name for name, account in known.items() if account.usable]
    if len(usable) == 1:
        return usable[0], wanted
    family = next((name for name, pattern in _FAMILIES if pattern.match(wanted)), None)
    return family, wanted


def _only(known: Mapping[str, Account]) -> tuple[str | None, str]:
    usable = [name for name, account in known.items() if account.usable]
    if len(usable) <= 1:
        return (usable[0] if usable else None), ""
    return usable[
        0
    ], f"Several accounts are set up ({', '.join(usable)}); using {usable[0]}. Choose with -m or --provider."


async def _default(account: Account, list_models: ListModels, default_model: DefaultModel) -> str:
    if account.model is not None:
        return account.model
    if account.base_url is None and account.provider in _KEYS:
        return default_model(account.provider)
    names = await list_models(account)
    if len(names) == 1:
        return names[0]
    server = masked(account.base_url or "")
    if not names:
        raise SettingsError(
            f"The server at {server} lists no model. Name one with -m {account.provider}/NAME."
        )
    listed = "\n".join(f"  {account.provider}/{name}" for name in names)
    raise SettingsError(f"The server at {server} has several models. Choose one with -m:\n{listed}")


_CONNECT = "Set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL, or choose `-m offline`."
_OFFLINE = (
    "No key and no base URL: using the offline provider, which is no language model. "
    "Set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL to connect one."
)
