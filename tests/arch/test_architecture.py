"""The page ARCHITECTURE.md and the code say the same."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "agent_cli"
LONGEST = 400


def documented() -> list[tuple[int, str]]:
    rows = re.findall(r"^\| (\d) \| `(\w+)` \|", (ROOT / "ARCHITECTURE.md").read_text(), re.MULTILINE)
    return [(int(rank), name) for rank, name in rows]


def contract() -> list[set[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [{name.strip().removeprefix("agent_cli.") for name in layer.split("|")} for layer in layers]


def test_every_package_has_a_row():
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} | {"app"}
    assert {name for _, name in documented()} == packages


def test_the_rank_table_is_the_import_contract():
    ranks = {}
    for rank, name in documented():
        ranks.setdefault(rank, set()).add(name)
    assert [ranks[rank] for rank in sorted(ranks, reverse=True)] == contract()


def test_files_named_in_the_page_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    named = re.findall(r"`((?:\w+/)+\w+\.\w+|\w+\.py|\w+/)`", text)
    assert named
    for name in named:
        assert (PACKAGE / name).exists() or (ROOT / name).exists(), name


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_no_file_is_longer_than_400_lines(path):
    assert len(path.read_text().splitlines()) <= LONGEST


def test_own_modules_are_never_imported_inside_functions():
    inside = re.compile(r"^[ \t]+(?:from|import) agent_cli", re.MULTILINE)
    assert [path for path in PACKAGE.rglob("*.py") if inside.search(path.read_text())] == []
