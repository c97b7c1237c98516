"""What a tool is to the loop: its definition, what it would touch, what it answers."""

from pathlib import Path
from typing import Literal

import msgspec

from agent_cli.core.messages import Image


class ToolFailure(Exception):
    """A tool could not do what was asked; the text goes to the model and says how to go on."""


class ReadPath(msgspec.Struct, frozen=True):
    """The call would read or list this resolved path."""

    path: Path


class WritePath(msgspec.Struct, frozen=True):
    """The call would create or change the file at this resolved path."""

    path: Path


class RunCommand(msgspec.Struct, frozen=True):
    """The call would run this shell command."""

    command: str


Access = ReadPath | WritePath | RunCommand


class ToolOutput(msgspec.Struct, frozen=True):
    """A tool's answer before cleaning and capping; `content` may be raw bytes of a program.

    `display` is text for screens (a diff); `kind` steers the cap: shell output is shortened to its two ends.
    """

    content: str | bytes
    is_error: bool = False
    display: str = ""
    kind: Literal["text", "shell"] = "text"
    images: tuple[Image, ...] = ()


class Question(msgspec.Struct, frozen=True):
    """A permission question: which tool, what exactly it would do, and why it is asked."""

    tool: str
    title: str
    detail: str
    reason: str


class Answer(msgspec.Struct, frozen=True):
    """The user's answer to a permission question; `feedback` is what they tell the model instead."""

    choice: Literal["once", "session", "always", "no"]
    feedback: str = ""
