"""The schema as dotted keys: `context.mode`, `aliases.NAME`, `providers.NAME.base_url`."""

import math
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from agent_cli.settings.nearest import did_you_mean
from agent_cli.settings.schema import ProviderSettings, Settings

_LISTS = ("permissions.allow", "permissions.ask", "permissions.deny")


class BadValue(ValueError):
    """A value does not fit its key; the text says what is allowed."""


def _leaves(struct: type[msgspec.Struct], prefix: str = "") -> Iterator[tuple[str, Any, Any]]:
    for field in msgspec.structs.fields(struct):
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            yield from _leaves(field.type, f"{prefix}{field.name}.")
        elif get_origin(field.type) is not dict:
            yield prefix + field.name, field.type, field.default


DEFAULTS = {key: default for key, _, default in _leaves(Settings)}
"""Every key with its default, without the open tables `aliases` and `providers`."""
TABLES = {key.rpartition(".")[0] for key in DEFAULTS if "." in key} | {"aliases", "providers"}
_TYPES = {key: type_ for key, type_, _ in _leaves(Settings)}
_PROVIDER_TYPES = {key: type_ for key, type_, _ in _leaves(ProviderSettings)}


def adds_up(key: str) -> bool:
    """Whether the lists of all layers are joined instead of the strongest winning."""
    return key in _LISTS


def path_of(key: str) -> tuple[str, ...]:
    """The key's parts; the NAME in `aliases.NAME` and `providers.NAME.x` may hold dots itself."""
    table, _, rest = key.partition(".")
    if table == "aliases" and rest:
        return table, rest
    if table == "providers" and "." in rest:
        return table, *rest.rsplit(".", 1)
    return tuple(key.split("."))


def type_of(key: str) -> Any:
    """The type of a key's values, or None for an unknown key."""
    match path_of(key):
        case ("aliases", name) if name:
            return str
        case ("providers", name, field) if name:
            return _PROVIDER_TYPES.get(field)
        case _:
            return _TYPES.get(key)


def unknown(key: str) -> str:
    """What to tell about a key that does not exist."""
    match path_of(key):
        case ("providers", name, field):
            near = did_you_mean(field, _PROVIDER_TYPES).replace("mean ", f"mean providers.{name}.")
        case _:
            near = did_you_mean(key, _TYPES)
    return f"unknown key {key!r}.{near}"


def convert(key: str, value: object, *, text: bool = False) -> Any:
    """Returns the value as the schema wants it; `text` also takes numbers written as text (environment).

    Raises BadValue: it does not fit.
    """
    wanted = _required(type_of(key))
    try:
        made = msgspec.convert(value, wanted, strict=not text)
    except msgspec.ValidationError:
        raise BadValue(f"{key} takes {_allowed(wanted)}, not {shown(key, value)}") from None
    if isinstance(made, float) and not math.isfinite(made):
        raise BadValue(f"{key} takes {_allowed(wanted)}, not {shown(key, value)}")
    return made


def takes_text(key: str) -> bool:
    """Whether any text is a value of this key."""
    return get_origin(_required(type_of(key))) is None and _required(type_of(key)) is str


def shown(key: str, value: object) -> str:
    """The value for a message, never one that may hold a secret."""
    if key.endswith((".base_url", ".api_key_env")):
        return "the given value"
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _required(type_: Any) -> Any:
    if get_origin(type_) not in (Union, UnionType):
        return type_
    return next(option for option in get_args(type_) if option is not NoneType)


def _allowed(type_: Any) -> str:
    if get_origin(type_) is Annotated:
        return next(meta.description or "" for meta in get_args(type_) if isinstance(meta, msgspec.Meta))
    if get_origin(type_) is Literal:
        return "one of " + ", ".join(get_args(type_))
    return "a text" if type_ is str else "a list of texts"
