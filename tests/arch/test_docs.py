"""README, --help and config.example.toml say what the program does."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from agent_cli import app
from agent_cli.cli.main import prompt_program
from agent_cli.headless import run as exit_codes

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
AGENT = Path(sys.executable).with_name("agent")


def options() -> set[str]:
    program = get_command(prompt_program)
    return {name for option in program.params for name in option.opts if name.startswith("--")}


def test_every_option_is_in_the_readme():
    assert options() - set(re.findall(r"--[a-z][a-z-]+", README)) == set()


def test_every_option_in_the_readme_exists():
    other = {"--help", "--quiet"}
    table = README.split("## Everyday use")[1].split("## Develop")[0]
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", table)) - options() - other == set()


def test_every_slash_command_is_in_the_readme():
    names = {f"/{name}" for command in app.COMMANDS.commands for name in command.names[:1]}
    assert names - set(re.findall(r"/[a-z]+", README)) == set()


def test_exit_codes_in_the_readme_are_the_real_ones():
    table = dict(re.findall(r"^\| (\d+) \| ([^|]+) \|", README, re.MULTILINE))
    real = {
        exit_codes.OK,
        exit_codes.ERROR,
        exit_codes.USAGE,
        exit_codes.INPUT,
        exit_codes.LIMIT,
        exit_codes.INTERRUPTED,
    }
    assert {int(code) for code in table} == real


@pytest.mark.parametrize("subcommand", ["sessions", "config", "doctor"])
def test_subcommands_are_in_help_and_readme(subcommand):
    shown = subprocess.run([str(AGENT), "--help"], capture_output=True, text=True, check=True).stdout
    assert subcommand in shown
    assert f"agent {subcommand}" in README


def test_the_two_commands_are_one_line_each():
    block = re.search(r"## Try it.*?```sh\n(.*?)```", README, re.DOTALL)
    assert block is not None
    first, second = block[1].strip().splitlines()
    assert first.startswith("python3 -m venv ")
    assert "agent -p" in first
    assert second.startswith("python3 -m venv ")
    assert second.endswith("pytest")


def test_links_in_the_readme_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
