"""Which settings files a run has read."""

from pathlib import Path

from agent_cli.settings.load import JOINT, Loaded
from agent_cli.settings.places import Places


def settings_files(loaded: Loaded, places: Places) -> list[Path]:
    """The files that set something, and the user's own where it exists, whether it does or not."""
    named = {Path(source) for text in loaded.sources.values() for source in text.split(JOINT)}
    own = places.config / "config.toml"
    found = {path for path in named if path.is_absolute()} | ({own} if own.is_file() else set())
    return sorted(found)
