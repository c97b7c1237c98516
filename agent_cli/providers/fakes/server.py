"""The server a test, demo or benchmark starts: it judges each request, then lets the script answer."""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal, NoReturn, Self

from agent_cli import prompts
from agent_cli.core.usage import Usage
from agent_cli.providers.fakes import anthropic_answer, anthropic_rules, openai_answer, openai_rules
from agent_cli.providers.fakes.meter import Meter
from agent_cli.providers.fakes.refusals import House, Received, Refusal, first_refusal
from agent_cli.providers.fakes.replies import Answer, Cut, Fault, Raw, Reply, Wire
from agent_cli.providers.fakes.seen import Seen, see
from agent_cli.providers.fakes.shaping import Ids, Shaped
from agent_cli.providers.fakes.transport import Chunk, Outgoing, Transport

Dict = dict[str, Any]
Script = Callable[[Seen], Answer] | Sequence[Answer]

_JSON = {"content-type": "application/json"}
_EVENTS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
_MODEL_CALLS: dict[str, Wire] = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}
_REQUEST_ID = {"openai": "x-request-id", "anthropic": "request-id"}
_COUNT = "/v1/messages/count_tokens"


@dataclass(slots=True)
class Recorded:
    """A request and what became of it. `status` is 0 until the answer is known; `input_tokens` are o200k tokens."""

    path: str
    headers: dict[str, str]
    body: Dict
    wire: Wire
    status: int = 0
    input_tokens: int = 0
    usage: Usage | None = None
    """What a whole answer to this request was billed."""
    error: str = ""
    refused: bool = False
    """A rule refused it, not the script."""
    aborted: bool = False
    """The connection ended before the answer was complete."""
    purpose: Literal["step", "summary"] = "step"
    request_id: str = ""


@dataclass(slots=True)
class _State:
    """What changes while the server runs; guarded by one lock."""

    meter: Meter = field(default_factory=Meter)
    accepted: int = 0


class FakeServer:
    """Serves `script` on a free port of 127.0.0.1 inside a `with` block.

    A list answers one model call an item, and once it is used up each further call gets status 500. `window` is in
    tokens. `require_reasoning` refuses calling messages that come back without their reasoning (C30). An exception
    of the script gives status 500 and is raised again at the end of the block.
    """

    def __init__(
        self,
        script: Script,
        *,
        window: int = 32_768,
        api_key: str = "test-key",
        models: Sequence[str] = ("scripted",),
        require_reasoning: bool = False,
    ) -> None:
        self.requests: list[Recorded] = []
        """The model calls, in order of arrival."""
        self.lookups: list[Recorded] = []
        """Everything else: model lists, token counts, unknown paths."""
        self._script = script
        self._house = House(window, api_key, tuple(models), require_reasoning)
        self._state = _State()
        self._lock = threading.Lock()
        self._transport = Transport(self._receive)

    def __enter__(self) -> Self:
        self._transport.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._transport.close()
        for failure in self._transport.failures:
            if error is None:
                raise failure
            error.add_note(f"the script of the fake server failed: {failure!r}")

    @property
    def openai_url(self) -> str:
        """What OPENAI_BASE_URL should be."""
        return f"http://127.0.0.1:{self._transport.port}/v1"

    @property
    def anthropic_url(self) -> str:
        """What ANTHROPIC_BASE_URL should be."""
        return f"http://127.0.0.1:{self._transport.port}"

    @property
    def refused(self) -> list[Recorded]:
        """The requests that broke a rule of the real service."""
        return [request for request in [*self.requests, *self.lookups] if request.refused]

    def _receive(self, method: str, target: str, headers: dict[str, str], raw: bytes) -> Outgoing:
        path = target.partition("?")[0]
        wire = _MODEL_CALLS.get(path) if method == "POST" else None
        recorded = Recorded(path, headers, {}, wire or _wire_of(headers))
        with self._lock:
            recorded.request_id = f"req_{len(self.requests) + len(self.lookups) + 1:06d}"
            (self.requests if wire else self.lookups).append(recorded)
        outgoing = self._model_call(recorded, raw) if wire else self._lookup(method, recorded, raw)
        recorded.status = outgoing.status
        outgoing.headers.setdefault(_REQUEST_ID[recorded.wire], recorded.request_id)

        def aborted() -> None:
            recorded.aborted = True

        outgoing.aborted = aborted
        return outgoing

    def _lookup(self, method: str, recorded: Recorded, raw: bytes) -> Outgoing:
        path, wire, house = recorded.path, recorded.wire, self._house
        refusal = first_refusal(_KEY_RULES[wire], Received(recorded.headers, {}, house))
        if refusal is not None:
            return _refused(recorded, refusal)
        if method == "POST" and path == _COUNT:
            return self._count(recorded, raw)
        answers = _ANSWERS[wire]
        if method == "GET" and path == "/v1/models":
            return _json(200, answers.models(house.models, house.window))
        name = path.removeprefix("/v1/models/")
        if method == "GET" and name in house.models:
            return _json(200, answers.model(name, house.window))
        return _refused(recorded, Refusal(f"Invalid URL ({method} {path})", status=404))

    def _count(self, recorded: Recorded, raw: bytes) -> Outgoing:
        refusal = _read(recorded, raw) or first_refusal(
            anthropic_rules.COUNT_RULES, Received(recorded.headers, recorded.body, self._house)
        )
        if refusal is not None:
            return _refused(recorded, refusal)
        with self._lock:
            pieces = self._state.meter.pieces("anthropic", recorded.body)
        return _json(200, {"input_tokens": sum(piece.tokens for piece in pieces)})

    def _model_call(self, recorded: Recorded, raw: bytes) -> Outgoing:
        wire = recorded.wire
        refusal = _read(recorded, raw) or first_refusal(
            _RULES[wire], Received(recorded.headers, recorded.body, self._house)
        )
        if refusal is not None:
            return _refused(recorded, refusal)
        body = recorded.body
        with self._lock:
            pieces = self._state.meter.pieces(wire, body)
            recorded.input_tokens = sum(piece.tokens for piece in pieces)
            refusal = _OVER_WINDOW[wire](body, recorded.input_tokens, self._house.window)
            if refusal is not None:
                return _refused(recorded, refusal)
            self._state.accepted += 1
            seen = see(wire, body, number=self._state.accepted, input_tokens=recorded.input_tokens)
            recorded.purpose = "summary" if prompts.load("summary_system") in seen.system else "step"
            answer = self._next(seen)
            if isinstance(answer, Reply | Cut):
                reply = answer.reply if isinstance(answer, Cut) else answer
                used = self._state.meter.input(wire, body["model"], pieces)
                recorded.usage = reply.usage or used + Usage(output=self._state.meter.output(reply))
        return _answered(recorded, answer, seen)

    def _next(self, seen: Seen) -> Answer:
        if callable(self._script):
            return self._script(seen)
        if seen.number <= len(self._script):
            return self._script[seen.number - 1]
        count = len(self._script)
        return Fault(500, f"The script is exhausted: it has {count} answers, this is call {seen.number}.")


_ANSWERS = {"openai": openai_answer, "anthropic": anthropic_answer}
_RULES = {"openai": openai_rules.RULES, "anthropic": anthropic_rules.RULES}
_KEY_RULES = {"openai": openai_rules.KEY_RULES, "anthropic": anthropic_rules.KEY_RULES}
_OVER_WINDOW = {"openai": openai_rules.over_window, "anthropic": anthropic_rules.over_window}


def _wire_of(headers: dict[str, str]) -> Wire:
    return "anthropic" if "x-api-key" in headers or "anthropic-version" in headers else "openai"


def _read(recorded: Recorded, raw: bytes) -> Refusal | None:
    """Puts the body's object into the record."""
    try:
        body = json.loads(raw, parse_constant=_no_constant)
        json.dumps(body, ensure_ascii=False).encode()
    except ValueError as error:
        if recorded.wire == "anthropic":
            return Refusal(f"The request body is not valid JSON: {error}")
        return Refusal("We could not parse the JSON body of your request.")
    if not isinstance(body, dict):
        return Refusal("Input should be a valid dictionary")
    recorded.body = body
    return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _json(status: int, body: Dict, headers: dict[str, str] | None = None) -> Outgoing:
    data = json.dumps(body, ensure_ascii=False).encode()
    return Outgoing(status, {**_JSON, **(headers or {})}, [data], length=len(data))


def _error(
    recorded: Recorded, status: int, message: str, code: str | None = None, param: str | None = None
) -> Dict:
    if recorded.wire == "openai":
        return openai_answer.error(status, message, code, param)
    return anthropic_answer.error(status, message, recorded.request_id)


def _refused(recorded: Recorded, refusal: Refusal) -> Outgoing:
    recorded.refused = True
    recorded.error = refusal.message
    body = _error(recorded, refusal.status, refusal.message, refusal.code, refusal.param)
    return _json(refusal.status, body)


def _answered(recorded: Recorded, answer: Answer, seen: Seen) -> Outgoing:
    match answer:
        case Fault(status, body, headers, code):
            recorded.error = body if isinstance(body, str) else json.dumps(body)
            made = _error(recorded, status, body, code) if isinstance(body, str) else body
            return _json(status, made, headers)
        case Raw(chunks):
            return Outgoing(200, dict(_EVENTS), list(chunks))
        case Cut(reply):
            return _replied(recorded, reply, seen, answer)
        case Reply():
            return _replied(recorded, answer, seen, None)


def _replied(recorded: Recorded, reply: Reply, seen: Seen, cut: Cut | None) -> Outgoing:
    wire = _ANSWERS[recorded.wire]
    usage = recorded.usage or Usage()
    ids = Ids(f"{seen.number}:{json.dumps(seen.body)}")
    if not seen.stream:
        return _whole(wire.whole(reply, seen.body, usage, ids), reply, cut)
    shaped = wire.streamed(reply, seen.body, usage, ids)
    events = _cut(shaped, cut) if cut else [*shaped.content, *shaped.ending]
    chunks: list[Chunk] = []
    for event in events:
        chunks.append(event)
        if reply.pace:
            chunks.append(reply.pace)
    return Outgoing(200, dict(_EVENTS), chunks, delay=reply.delay, cut=cut is not None)


def _whole(body: Dict, reply: Reply, cut: Cut | None) -> Outgoing:
    outgoing = _json(200, body)
    if cut:
        data = json.dumps(body, ensure_ascii=False).encode()
        outgoing.chunks = [data[: min(int(len(data) * cut.after), len(data) - 1)]]
        outgoing.cut = True
    outgoing.delay = reply.delay
    return outgoing


def _cut(shaped: Shaped, cut: Cut) -> list[bytes]:
    if cut.after_events is not None:
        return [*shaped.content, *shaped.ending[:-1]][: cut.after_events]
    left = int(sum(map(len, shaped.content)) * cut.after)
    kept: list[bytes] = []
    for event in shaped.content:
        kept.append(event[:left])
        left -= len(kept[-1])
    return [event for event in kept if event]
