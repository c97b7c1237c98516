"""The settings in use as text for `agent config show`."""

import json
import re
from typing import Any

from agent_cli.settings.keys import path_of
from agent_cli.settings.load import Loaded
from agent_cli.settings.schema import Settings

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*@")
_QUERY = re.compile(r"\?.*", re.DOTALL)


def explain(loaded: Loaded) -> str:
    """Every key with its value and source, a line each. Keys of accounts are never part of the settings, and
    credentials inside a base URL are masked."""
    return "\n".join(
        _line(key, _value(loaded.settings, key), source) for key, source in loaded.sources.items()
    )


def masked(url: str) -> str:
    """A base URL without credentials and query."""
    return _QUERY.sub("?***", _CREDENTIALS.sub("***@", url))


def _line(key: str, value: Any, source: str) -> str:
    if isinstance(value, str) and key.endswith(".base_url"):
        value = masked(value)
    shown = "(not set)" if value is None else json.dumps(value, ensure_ascii=False)
    return f"{key} = {shown}  # {source}"


def _value(settings: Settings, key: str) -> Any:
    value: Any = settings
    for part in path_of(key):
        value = value[part] if isinstance(value, dict) else getattr(value, part)
    return value
