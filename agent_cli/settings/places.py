"""Where the user's settings, the product's state and its caches are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import PlatformDirs

_NAME = "agent"


@dataclass(frozen=True, slots=True)
class Places:
    """Three folders, none of which need exist."""

    config: Path
    state: Path
    cache: Path


def places(env: Mapping[str, str]) -> Places:
    """The platform's folders; `XDG_*_HOME` counts on every platform, `AGENT_HOME` moves all three together."""
    home = env.get("AGENT_HOME")
    if home:
        root = Path(home).expanduser().absolute()
        return Places(root / "config", root / "state", root / "cache")
    platform = PlatformDirs(_NAME, appauthor=False)
    return Places(
        config=_xdg(env, "XDG_CONFIG_HOME") or platform.user_config_path,
        state=_xdg(env, "XDG_STATE_HOME") or platform.user_state_path,
        cache=_xdg(env, "XDG_CACHE_HOME") or platform.user_cache_path,
    )


def _xdg(env: Mapping[str, str], name: str) -> Path | None:
    """The XDG base directory specification has relative values ignored."""
    value = Path(env.get(name, ""))
    return value / _NAME if value.is_absolute() else None
