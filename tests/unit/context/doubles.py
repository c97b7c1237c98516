"""A store in memory, a fixed part, a scripted model: what the context engine needs around it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence

from agent_cli.context.engine import ContextEngine
from agent_cli.context.fixed import Fixed
from agent_cli.context.ledger import Ledger
from agent_cli.core.entries import Compaction, Entry
from agent_cli.core.errors import ProviderError
from agent_cli.core.events import AgentEvent, Finished, Notice, ProviderEvent
from agent_cli.core.hooks import Hooks
from agent_cli.core.messages import Message, Part, Text, ToolCall, ToolResult
from agent_cli.core.models import Completion, ModelSpec, Request, StopReason, ToolSpec
from agent_cli.core.usage import Usage
from agent_cli.settings.schema import ContextSettings
from agent_cli.tokens.count import Counter
from tests.build import FakeClock

Reply = str | Completion | ProviderError | Callable[[Request], "Reply"]


def spec(window: int = 32_000, **fields) -> ModelSpec:
    return ModelSpec("test", fields.pop("name", "model"), window, "test", **fields)


def finished(
    *parts: Part | str, stop: StopReason = StopReason.END_TURN, usage: Usage | None = None
) -> Completion:
    made = tuple(Text(part) if isinstance(part, str) else part for part in parts)
    return Completion(made, stop, usage)


class ScriptedProvider:
    """Answers with the replies in turn; the last one is repeated. Keeps the requests."""

    def __init__(self, *replies: Reply, model: ModelSpec | None = None) -> None:
        self._model = model or spec()
        self._replies = list(replies) or ["## Goal\nGo on."]
        self.requests: list[Request] = []

    @property
    def model(self) -> ModelSpec:
        return self._model

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        self.requests.append(request)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        while callable(reply):
            reply = reply(request)
        if isinstance(reply, ProviderError):
            raise reply
        await asyncio.sleep(0)
        yield Finished(reply if isinstance(reply, Completion) else finished(reply))

    async def aclose(self) -> None:
        return None


class MemoryStore:
    """Keeps entries in a list and offloaded texts by path."""

    def __init__(self, path: str = "transcripts/s.jsonl") -> None:
        self.entries: list[Entry] = []
        self.texts: dict[str, str] = {}
        self._path = path

    def append(self, entry: Entry) -> None:
        self.entries.append(entry)

    def sync(self) -> None:
        return None

    def offload(self, name: str, text: str) -> str:
        path = f"transcripts/s/{name}-{len(self.texts) + 1}.txt"
        self.texts[path] = text
        return path

    @property
    def path(self) -> str:
        return self._path


class StaticFixed:
    """A system prompt and instructions that can be edited; edits count only after `reload`."""

    def __init__(
        self, system: Sequence[str] = ("You are an agent.",), tools: Sequence[ToolSpec] = ()
    ) -> None:
        self.on_disk = Fixed(tuple(system), tuple(tools))
        self._current = self.on_disk
        self.reloads = 0

    def current(self) -> Fixed:
        return self._current

    def reload(self) -> Fixed:
        self.reloads += 1
        self._current = self.on_disk
        return self._current


class RecordingHooks(Hooks):
    """Remembers the compactions it was told of, and how many entries the store held then."""

    def __init__(self) -> None:
        self.compactions: list[Compaction] = []

    async def on_compact(self, entry: Compaction) -> None:
        self.compactions.append(entry)


class Bench:
    """An engine with all its surroundings at hand."""

    def __init__(
        self,
        *replies: Reply,
        window: int = 32_000,
        model: ModelSpec | None = None,
        provider: ScriptedProvider | None = None,
        entries: Iterable[Entry] = (),
        fixed: StaticFixed | None = None,
        store: MemoryStore | None = None,
        clock: FakeClock | None = None,
        **settings,
    ) -> None:
        self.settings = ContextSettings(**settings)
        self.provider = provider or ScriptedProvider(*replies, model=model or spec(window))
        self.store = store or MemoryStore()
        self.clock = clock or FakeClock()
        self.fixed = fixed or StaticFixed()
        self.hooks = RecordingHooks()
        self.events: list[AgentEvent] = []
        self.ledger = Ledger(self.store, self.clock, entries)
        self.engine = ContextEngine(
            ledger=self.ledger,
            settings=self.settings,
            provider=self.provider,
            counter=Counter(self.provider.model.ratio),
            fixed=self.fixed,
            clock=self.clock,
            hooks=self.hooks,
        )
        self._calls = 0

    def user(self, text: str) -> Message:
        return self.ledger.message("user", (Text(text),))

    def say(self, text: str) -> Message:
        return self.ledger.message("assistant", (Text(text),))

    def step(self, content: str, name: str = "read_file", *, is_error: bool = False, **arguments) -> str:
        """One tool call and its result; returns the call's id."""
        self._calls += 1
        call_id = f"call_{self._calls}"
        call = ToolCall(call_id, name, json.dumps(arguments or {"path": f"src/file{self._calls}.py"}))
        self.ledger.message("assistant", (call,))
        self.ledger.message("tool", (ToolResult(call_id, content, is_error),))
        return call_id

    def prepare(self, appended: Sequence[Message] = ()) -> Request:
        return asyncio.run(self.engine.prepare(self.events.append, appended))

    def compress(self, trigger="manual", focus: str = "") -> Compaction | None:
        return asyncio.run(self.engine.compress(self.events.append, trigger=trigger, focus=focus))

    def own(self, request: Request) -> int:
        return self.engine.counter.own(self.engine.estimate(request))

    def resumed(self) -> "Bench":
        """Another engine on what the store holds."""
        return Bench(
            provider=self.provider,
            entries=tuple(self.store.entries),
            fixed=self.fixed,
            clock=self.clock,
            **{name: getattr(self.settings, name) for name in self.settings.__struct_fields__},
        )

    @property
    def compactions(self) -> list[Compaction]:
        return [entry for entry in self.store.entries if isinstance(entry, Compaction)]

    @property
    def notices(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, Notice)]


def words(tokens: int, seed: str = "word") -> str:
    """Text of about that many tokens, no two words alike."""
    sample = " ".join(f"{seed}{number}" for number in range(100, 200))
    wanted = tokens * 100 // Counter(1.0).text(sample)
    return " ".join(f"{seed}{number}" for number in range(max(2, wanted)))


def texts(request: Request) -> str:
    """Everything the model can read in a request's messages."""
    lines = []
    for message in request.messages:
        for part in message.parts:
            match part:
                case Text(text):
                    lines.append(text)
                case ToolResult(_, content):
                    lines.append(content)
                case ToolCall(_, name, arguments):
                    lines.append(f"{name} {arguments}")
                case _:
                    pass
    return "\n".join(lines)
