"""`config.example.toml` and `agent config show` say what the schema says."""

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from agent_cli.settings import keys
from agent_cli.settings.explain import explain
from agent_cli.settings.load import load
from agent_cli.settings.places import places
from agent_cli.settings.schema import ProviderSettings, Settings

EXAMPLE = Path(__file__).parents[3] / "config.example.toml"
_OPTIONAL = re.compile(r"^# (?=\[\w|\w+ = )", re.MULTILINE)


def loaded(path, work, home):
    return load(flags={}, env={}, project=work, places=places({"AGENT_HOME": str(home)}), config_file=path)


def flat(table, prefix=""):
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def test_the_example_loads_to_the_defaults_without_a_warning(work, home):
    result = loaded(EXAMPLE, work, home)
    assert result.warnings == ()
    assert result.settings == Settings()


def test_the_example_shows_every_key_that_has_a_default():
    shown = dict(flat(tomllib.loads(EXAMPLE.read_text())))
    expected = {key: default for key, default in keys.DEFAULTS.items() if default is not None}
    assert {
        key: tuple(value) if isinstance(value, list) else value for key, value in shown.items()
    } == expected


def test_the_example_shows_every_other_key_as_a_comment_that_loads(work, home):
    full = home / "full.toml"
    full.write_text(_OPTIONAL.sub("", EXAMPLE.read_text()))
    result = loaded(full, work, home)
    assert result.warnings == ()
    accounts = {
        f"providers.local.{name}" for name in msgspec.structs.fields(ProviderSettings) for name in [name.name]
    }
    assert set(result.sources) == set(keys.DEFAULTS) | accounts | {"aliases.fast"}
    assert {key for key, source in result.sources.items() if source == "built-in"} == set()


def test_every_line_of_the_example_has_a_comment():
    lines = [line for line in EXAMPLE.read_text().splitlines() if " = " in line.removeprefix("# ")[:25]]
    missing = [line for line in lines if "  # " not in line and "fast =" not in line]
    assert missing == []


def test_explain_shows_each_key_with_its_source(work, home):
    file = home / "c.toml"
    file.write_text('max_turns = 5\n[aliases]\nquick = "a/b"\n[permissions]\ndeny = ["grep"]')
    lines = explain(loaded(file, work, home)).splitlines()
    assert f"max_turns = 5  # {file}" in lines
    assert f'permissions.deny = ["grep"]  # {file}' in lines
    assert f'aliases.quick = "a/b"  # {file}' in lines
    assert "model = (not set)  # built-in" in lines
    assert {line.split(" = ")[0] for line in lines} >= set(keys.DEFAULTS)


@pytest.mark.parametrize("url", ["http://me:sk-secret@host/v1", "http://host/v1?key=sk-secret"])
def test_explain_masks_credentials_in_a_base_url(work, home, url):
    file = home / "c.toml"
    file.write_text(f'[providers.x]\nbase_url = "{url}"\napi_key_env = "MY_KEY"')
    text = explain(loaded(file, work, home))
    assert "sk-secret" not in text
    assert "host/v1" in text
    assert "MY_KEY" in text
