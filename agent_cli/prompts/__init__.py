"""Every text that is sent to a model, one Markdown file each, reviewed like code."""

from functools import cache
from importlib import resources
from string import Template


@cache
def load(name: str) -> str:
    """Returns the text of `prompts/NAME.md` without its final newline; `name` may hold a folder (`tools/shell`)."""
    return (resources.files(__name__) / f"{name}.md").read_text(encoding="utf-8").rstrip("\n")


def fill(name: str, /, **values: str) -> str:
    """Returns the text of `prompts/NAME.md` with its `${word}` places filled. Raises KeyError: one is missing."""
    return Template(load(name)).substitute(values)
