"""Isolation for every test: own home, no keys, no colour, a temporary working directory."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("default", max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("ci", max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("full", max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

os.environ.pop(
    "PYTHONDONTWRITEBYTECODE", None
)  # the program under test keeps its compiled modules, as installed ones do

_CLEARED = ("AGENT_", "OPENAI_", "ANTHROPIC_", "XDG_")
_CLEARED_NAMES = (
    "NO_COLOR",
    "VISUAL",
    "EDITOR",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
)


@pytest.fixture(autouse=True)
def isolated(tmp_path, monkeypatch):
    """A home of its own outside the work directory, which is `tmp_path / "work"`."""
    for name in list(os.environ):
        if name.startswith(_CLEARED) or name in _CLEARED_NAMES:
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    work = tmp_path / "work"
    home.mkdir()
    work.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("AGENT_HOME", str(home / "agent"))
    monkeypatch.chdir(work)


@pytest.fixture
def work(tmp_path):
    return tmp_path / "work"


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"
