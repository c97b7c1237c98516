"""The texts sent to the model keep to their budgets (o200k tokens) and are all used."""

import re
from pathlib import Path

from agent_cli import prompts
from agent_cli.tokens.count import Counter
from agent_cli.tools.registry import default_tools
from agent_cli.workspace.paths import Workspace

PACKAGE = Path(prompts.__file__).parents[1]


def specs(work):
    tools = default_tools(Workspace(work), shell_timeout=120, shell_max_timeout=600, hidden_env=())
    return tuple(tool.spec for tool in tools)


def test_system_prompt_is_at_most_1500_tokens():
    assert Counter().text(prompts.load("system")) <= 1_500


def test_system_prompt_and_default_tools_are_at_most_4500_tokens(work):
    assert Counter().fixed((prompts.load("system"),), specs(work)) <= 4_500


def test_every_prompt_file_is_loaded_somewhere(work):
    source = "\n".join(path.read_text() for path in PACKAGE.rglob("*.py"))
    used = set(re.findall(r"(?:load|fill)\(\s*f?\"([^\"]+)\"", source)) | {
        f"tools/{spec.name}" for spec in specs(work)
    }
    named = {
        str(path.relative_to(PACKAGE / "prompts").with_suffix(""))
        for path in (PACKAGE / "prompts").rglob("*.md")
    }
    literal = {name for name in named if f'"{name}"' in source}
    assert named - used - literal == set()
