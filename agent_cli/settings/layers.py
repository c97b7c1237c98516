"""What each source of settings says: flags, environment variables, the project's file, the user's file."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_cli.core.errors import InputError, SettingsError
from agent_cli.settings import keys

_VARIABLES = {
    "AGENT_MODEL": "model",
    "AGENT_CONTEXT_MODE": "context.mode",
    "AGENT_MAX_CONTEXT_TOKENS": "context.max_context_tokens",
    "AGENT_COMPRESSION_THRESHOLD": "context.compression_threshold",
    "AGENT_TRANSCRIPTS_DIR": "transcripts.dir",
    "OPENAI_BASE_URL": "providers.openai.base_url",
    "ANTHROPIC_BASE_URL": "providers.anthropic.base_url",
}
_SWITCH = "AGENT_ENABLE_AUTO_COMPRESS"
_ON = ("1", "true", "yes", "on")
_OFF = ("0", "false", "no", "off")
_SAFE_TABLES = ("context.",)
_SAFE_KEYS = ("max_turns", "shell.timeout", "shell.max_timeout")


@dataclass(frozen=True, slots=True)
class Layer:
    """One source and its values by dotted key. `text`: values are text that may stand for numbers."""

    source: str
    values: Mapping[str, object]
    warnings: tuple[str, ...] = ()
    text: bool = False


def from_environment(env: Mapping[str, str]) -> Iterator[Layer]:
    """A layer per variable, stronger ones first; an empty variable counts as not set (G11)."""
    for name, key in _VARIABLES.items():
        if env.get(name):
            yield Layer(name, {key: env[name]}, text=True)
    if switch := env.get(_SWITCH, "").strip().lower():
        yield _auto_compress(switch)


def _auto_compress(switch: str) -> Layer:
    if switch in _OFF:
        return Layer(_SWITCH, {"context.mode": "none"})
    if switch in _ON:
        return Layer(_SWITCH, {})
    return Layer(_SWITCH, {}, (f"{_SWITCH}: {switch!r} is ignored: it takes true or false.",))


def from_file(path: Path, *, required: bool = False) -> Layer:
    """The values of a settings file; empty when there is none.

    Raises SettingsError: the file is not valid TOML. InputError: a `required` file cannot be read.
    """
    if not path.is_file() and not required:
        return Layer(str(path), {})
    document = _parsed(path)
    values = dict(_flat(document))
    bad = [key for key in values if keys.type_of(key) is None]
    warnings = tuple(f"{path}: {_stray(key)}" for key in bad)
    return Layer(str(path), {key: value for key, value in values.items() if key not in bad}, warnings)


def _parsed(path: Path) -> dict[str, object]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"Cannot read the settings file {path}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: not UTF-8 at byte {error.start}. Save the file as UTF-8.") from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"{path}, line {_line(error, text)}: not valid TOML: {error}. Mend that line."
        ) from error


def untrusted(layer: Layer) -> Layer:
    """Leaves only what a project nobody has trusted may set; one warning names the rest."""
    safe = {
        key: value for key, value in layer.values.items() if key.startswith(_SAFE_TABLES) or key in _SAFE_KEYS
    }
    refused = [key for key in layer.values if key not in safe]
    if not refused:
        return layer
    named = ", ".join(refused)
    warning = f"{layer.source}: a project may not set {named}; ignored. Set it in your own settings file."
    return Layer(layer.source, safe, (*layer.warnings, warning))


def _flat(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        key = prefix + name
        if isinstance(value, dict) and (key in keys.TABLES or prefix == "providers."):
            yield from _flat(value, f"{key}.")
        else:
            yield key, value


def _stray(key: str) -> str:
    if key in keys.TABLES or (key.startswith("providers.") and key.count(".") == 1):
        return f"{key!r} is ignored: it is a table, written [{key}]."
    return f"ignored: {keys.unknown(key)}"


def _line(error: tomllib.TOMLDecodeError, text: str) -> int:
    found = re.search(r"line (\d+)", str(error))
    return int(found[1]) if found else text.count("\n") + 1
