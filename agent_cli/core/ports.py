"""The seams between layers: what the core asks of providers, tools, people, disks and clocks."""

from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import datetime
from typing import Any, Protocol

import msgspec

from agent_cli.core.entries import Entry
from agent_cli.core.events import ProviderEvent
from agent_cli.core.models import ModelSpec, Request, ToolSpec
from agent_cli.core.tools import Access, Answer, Question, ToolOutput


class Clock(Protocol):
    """Time, so that waiting can be tested without waiting."""

    def now(self) -> datetime:
        """The wall time, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        ...


class Provider(Protocol):
    """A model behind one wire."""

    @property
    def model(self) -> ModelSpec:
        """The model in use."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """Runs one model call; the last event is `Finished`.

        Raises ProviderError: the call failed (`Overflow` when the input is too long).
        """
        ...

    async def aclose(self) -> None:
        """Closes connections."""
        ...


class Tool(Protocol):
    """A tool the model can call. `args_type` is the struct its arguments are checked against."""

    @property
    def spec(self) -> ToolSpec:
        """The definition that is sent to the model."""
        ...

    @property
    def args_type(self) -> type[msgspec.Struct]:
        """The struct that the call's arguments are checked against."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether calls may run side by side."""
        ...

    def title(self, args: Any) -> str:
        """The main argument in one line, for screens and placeholders."""
        ...

    def access(self, args: Any) -> Sequence[Access]:
        """What the call would touch, for the permission gate. Raises ToolFailure: the arguments make no sense."""
        ...

    def preview(self, args: Any) -> str:
        """What a person needs to see before allowing the call: the exact command, or a diff."""
        ...

    async def run(self, args: Any, progress: Callable[[str], None]) -> ToolOutput:
        """Does it. Raises ToolFailure: the text goes to the model."""
        ...


class Approver(Protocol):
    """Whoever answers permission questions."""

    async def approve(self, question: Question) -> Answer:
        """Asks and waits for the answer."""
        ...


class Store(Protocol):
    """Where a session is kept."""

    def append(self, entry: Entry) -> None:
        """Writes one entry and flushes it. Raises AgentError: the disk refuses."""
        ...

    def sync(self) -> None:
        """Forces what was appended to disk (turn end)."""
        ...

    def offload(self, name: str, text: str) -> str:
        """Keeps a text too large for the view beside the transcript; returns the path to read it at."""
        ...

    @property
    def path(self) -> str:
        """The transcript's path, or an empty string when nothing is kept."""
        ...
