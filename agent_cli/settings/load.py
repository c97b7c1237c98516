"""Joins the layers into the settings in use, and remembers where each value came from."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from agent_cli.core.errors import UsageError
from agent_cli.settings import keys
from agent_cli.settings.layers import Layer, from_environment, from_file, untrusted
from agent_cli.settings.places import Places
from agent_cli.settings.schema import Settings

BUILT_IN = "built-in"
COMMAND_LINE = "command line"
JOINT = " + "
"""Between the sources of a list that several layers add to."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in use; `sources` names where each dotted key's value came from; `warnings` are for the user."""

    settings: Settings
    sources: Mapping[str, str]
    warnings: tuple[str, ...]


def load(
    *,
    flags: Mapping[str, object],
    env: Mapping[str, str],
    project: Path,
    places: Places,
    config_file: Path | None = None,
) -> Loaded:
    """Reads every layer: flags, environment, project file, user file, built-in (G11).

    `flags` holds dotted keys; a value of None counts as not given. `config_file` stands in for the user's file.
    A value that does not fit is warned about and the next layer counts.
    Raises UsageError: a flag is wrong. SettingsError: a file is not TOML. InputError: `config_file` cannot be read.
    """
    user = from_file(config_file or places.config / "config.toml", required=config_file is not None)
    mine = untrusted(from_file(project / ".agent" / "config.toml"))
    return _join([_checked(flags), *from_environment(env), mine, user])


def parse_assignment(text: str) -> tuple[str, Any]:
    """Splits `--set KEY=VALUE`; VALUE is TOML, or a bare word for text. Raises UsageError: either is wrong."""
    key, equals, raw = text.partition("=")
    key, raw = key.strip(), raw.strip()
    if not equals or not raw:
        raise UsageError(f"--set takes KEY=VALUE, not {text!r}.")
    if keys.type_of(key) is None:
        raise UsageError(f"--set: {keys.unknown(key)}")
    return key, _checked({key: _toml(key, raw)}).values[key]


def _toml(key: str, raw: str) -> object:
    try:
        value = tomllib.loads(f"v = {raw}")
    except tomllib.TOMLDecodeError as error:
        if raw[0] in "\"'[{":
            raise UsageError(f"--set {key}: {raw} is not a TOML value: {error}.") from error
        return raw
    if list(value) != ["v"]:
        raise UsageError(f"--set {key}: {raw!r} is more than one value.")
    return raw if keys.takes_text(key) and not isinstance(value["v"], str) else value["v"]


def _checked(flags: Mapping[str, object]) -> Layer:
    given = {key: value for key, value in flags.items() if value is not None}
    try:
        return Layer(COMMAND_LINE, {key: keys.convert(key, value) for key, value in given.items()})
    except keys.BadValue as error:
        raise UsageError(f"{error}.") from error


def _join(layers: Iterable[Layer]) -> Loaded:
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    warnings: list[str] = []
    for layer in layers:
        warnings += layer.warnings
        for key, given in layer.values.items():
            try:
                value = keys.convert(key, given, text=layer.text)
            except keys.BadValue as error:
                warnings.append(f"{layer.source}: ignored: {error}.")
                continue
            if key not in values:
                values[key], sources[key] = value, layer.source
            elif keys.adds_up(key):
                values[key] += value
                sources[key] += JOINT + layer.source
    built_in = dict.fromkeys(keys.DEFAULTS, BUILT_IN)
    return Loaded(msgspec.convert(_nested(values), Settings), built_in | sources, tuple(warnings))


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for key, value in values.items():
        *tables, name = keys.path_of(key)
        table = root
        for part in tables:
            table = table.setdefault(part, {})
        table[name] = value
    return root
