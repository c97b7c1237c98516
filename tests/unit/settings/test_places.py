"""Where things are kept."""

import sys
from pathlib import Path

import pytest

from agent_cli.settings.places import places


def test_agent_home_moves_all_three_together(tmp_path):
    found = places({"AGENT_HOME": str(tmp_path), "XDG_CONFIG_HOME": "/elsewhere"})
    assert (found.config, found.state, found.cache) == (
        tmp_path / "config",
        tmp_path / "state",
        tmp_path / "cache",
    )


def test_xdg_folders_are_honoured_on_every_platform():
    found = places({"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k"})
    assert (found.config, found.state, found.cache) == (Path("/c/agent"), Path("/s/agent"), Path("/k/agent"))


@pytest.mark.skipif(sys.platform != "linux", reason="names the folders of Linux")
def test_relative_xdg_folders_are_ignored(home):
    found = places({"XDG_CONFIG_HOME": "relative"})
    assert found.config == home / ".config" / "agent"
    assert found.state == home / ".local" / "state" / "agent"
