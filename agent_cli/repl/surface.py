"""What the front end needs of a screen; there is one for terminals that can move the cursor and a plain one."""

from typing import Protocol

from rich.console import RenderableType

from agent_cli.repl.live import Live
from agent_cli.repl.menu import Choice

SAID = "said"
"""The kind of what the user said; a plain terminal has echoed it already."""


class Surface(Protocol):
    """Prints and asks."""

    live: Live
    """What is going on, for screens that can show it."""
    events: int
    """How many events have been shown."""

    def print(self, renderable: RenderableType, kind: str = "text") -> None:
        """Adds to what is read for good."""
        ...

    def begin(self, activity: str) -> None:
        """Shows what is going on, until `rest`."""
        ...

    def rest(self) -> None:
        """Nothing is going on."""
        ...

    def refresh(self) -> None:
        """Something that is drawn has changed."""
        ...

    async def choose(self, title: str, choices: tuple[Choice, ...], *, guarded: bool = False) -> str | None:
        """Lets the user choose; None: they did not. `guarded`: only keys meant for it count."""
        ...

    async def ask_line(self, label: str) -> str | None:
        """Asks for a line; None: the user went back."""
        ...

    def leave(self, code: int) -> None:
        """Ends the front end."""
        ...
