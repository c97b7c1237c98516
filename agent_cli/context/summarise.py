"""The rolling summary: what is asked of the model, what is accepted, what happens when it fails (K4, C04, C08)."""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing

import msgspec

from agent_cli import prompts
from agent_cli.context.clip import Count, middle
from agent_cli.context.recap import escape
from agent_cli.context.record import main_argument
from agent_cli.core.errors import ConnectionFailed, Overflow, ProviderError
from agent_cli.core.events import Finished, Restarted
from agent_cli.core.messages import Message, Text, Thinking, ToolCall
from agent_cli.core.models import Completion, Request, StopReason
from agent_cli.core.ports import Provider

RETRIES = 2
"""Further tries with the same messages after an answer that cannot be used."""
STRIPPED = (0.0, 0.1, 0.2, 0.5, 1.0)
"""Shares of the oldest tool results left out, one after another, as long as the request is too long."""
NEWEST = (1.0, 0.5, 0.25)
"""Then only the newest lines go in, up to these shares of the room."""
MAX_TEXT_CHARS = 6_000
"""Characters of one message that a summary request holds; the user's words are kept by machine besides."""
LEAST_TOKENS = 12
"""An answer without any heading and shorter than this says too little to stand for a conversation."""
LEAST_REPLACED = 300
"""A summary up to this many tokens is never too long for what it replaces."""
THINKING_ROOM = 4_096
"""Tokens of output beside the summary itself, for models that think first."""

LAST_CHARS = 600
"""A tool call within the last characters of an answer is what the model meant to do next, not a quotation."""

# How models write calls as text when their server does not parse them: XML, JSON, and marks in brackets or pipes.
_CALL = re.compile(
    r"^\s*(?:```\w*\s*)?(?:"
    r"<\W?(?:\w+:)?(?:tool|function)[_\u2581]?calls?\b|<\W?(?:\w+:)?(?:invoke|tool_use|function)\b"
    r"|\[TOOL_CALLS?\]|<\W(?:tool\u2581calls|python_tag)"
    r"|\{\s*\"(?:name|tool|function)\"\s*:)",
    re.IGNORECASE | re.MULTILINE,
)
_HEADING = re.compile(r"^#+\s*\w", re.MULTILINE)


class Task(msgspec.Struct, frozen=True):
    """What is to be summarised. `pending` is the request the user waits for, which stays; `tokens` caps the summary
    (o200k); `replaced` is the size of what it replaces."""

    messages: tuple[Message, ...]
    previous: str
    pending: str
    focus: str
    tokens: int
    replaced: int
    result_chars: int


class Summary(msgspec.Struct, frozen=True):
    """A model's summary, or an empty text and the reason why there is none."""

    text: str
    failure: str = ""


class Summariser:
    """Asks one model for one summary. `room` is what its input may hold and `output` its answer, in o200k and own
    tokens; `observe` is told of every answer, so that it can be billed; `pass_on` of calls that are tried again."""

    def __init__(
        self,
        provider: Provider,
        *,
        count: Count,
        room: int,
        output: int,
        observe: Callable[[Request, Completion], Awaitable[None]],
        pass_on: Callable[[Restarted], None],
    ) -> None:
        self._provider = provider
        self._count = count
        self._room = room
        self._output = output
        self._observe = observe
        self._pass_on = pass_on

    async def write(self, task: Task) -> Summary:
        """At the end of the ladder there is no summary, and a reason. What the provider could not cure by its own
        tries is not tried again. Raises ConnectionFailed: no server."""
        failure = "the messages do not fit the model that summarises"
        tries = 0
        for prompt in self._prompts(task):
            while tries <= RETRIES:
                try:
                    completion = await self._ask(prompt)
                except Overflow as error:
                    failure = str(error)
                    break
                except ConnectionFailed:
                    raise
                except ProviderError as error:
                    return Summary("", str(error))
                text = summary_text(completion)
                failure = rejection(completion, text, task.replaced, self._count)
                if not failure:
                    return Summary(middle(text, task.tokens, self._count))
                tries += 1
        return Summary("", failure)

    def _prompts(self, task: Task) -> Iterator[str]:
        """The requests of the ladder that fit, each shorter than the one before."""
        shortest = None
        for lines in self._rungs(task):
            prompt = request_text(task, lines)
            if shortest is not None and len(prompt) >= shortest:
                continue
            if self._count(prompt) <= self._room:
                shortest = len(prompt)
                yield prompt

    def _rungs(self, task: Task) -> Iterator[Sequence[str]]:
        lines: Sequence[str] = ()
        results = sum(len(message.results) for message in task.messages)
        for share in STRIPPED:
            lines = list(
                message_lines(task.messages, without=int(share * results), result_chars=task.result_chars)
            )
            yield lines
        room = self._room - self._count(request_text(task, ()))
        for share in NEWEST:
            yield self._newest(lines, int(share * room))

    def _newest(self, lines: Sequence[str], room: int) -> Sequence[str]:
        first = len(lines)
        while first > 0 and room > 0:
            first -= 1
            room -= self._count(lines[first]) + 1
        return lines[first + 1 :] if room < 0 else lines[first:]

    async def _ask(self, prompt: str) -> Completion:
        message = Message("summary", "", "user", (Text(prompt),))
        request = Request((prompts.load("summary_system"),), (), (message,), self._output, use_tools=False)
        async with aclosing(self._provider.stream(request)) as stream:
            async for event in stream:
                if isinstance(event, Finished):
                    await self._observe(request, event.completion)
                    return event.completion
                if isinstance(event, Restarted):
                    self._pass_on(event)
        raise ProviderError("the answer had no end")


def request_text(task: Task, lines: Sequence[str]) -> str:
    """The summary request: the previous summary, if there is one, and the messages to merge into it (K4)."""
    return prompts.fill(
        "summary_request",
        tokens=str(task.tokens),
        focus="\n\n" + prompts.fill("summary_focus", focus=task.focus) if task.focus else "",
        previous=_section("summary_previous", summary=task.previous),
        pending=_section("summary_pending", request=_shortened(task.pending, MAX_TEXT_CHARS)),
        messages=escape("\n".join(lines)),
    )


def _section(name: str, **quoted: str) -> str:
    """A part of the request followed by a blank line; nothing when it would quote nothing."""
    filled = {word: escape(text) for word, text in quoted.items()}
    return prompts.fill(name, **filled) + "\n\n" if any(filled.values()) else ""


def message_lines(messages: Sequence[Message], *, without: int, result_chars: int) -> Iterator[str]:
    """The messages as text, every part bounded (C04); the oldest `without` tool results are left out."""
    for message in messages:
        if message.role != "tool" and message.text.strip():
            yield f"{message.role.upper()}: {_shortened(message.text, MAX_TEXT_CHARS)}"
        for call in message.calls:
            yield f"  [call {_title(call)}]"
        for result in message.results:
            without -= 1
            if without < 0:
                kind = "error" if result.is_error else "result"
                yield f"  [{kind}: {_shortened(result.content, result_chars)}]"


def _title(call: ToolCall) -> str:
    return f"{call.name} {main_argument(call)}".strip()


def _shortened(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[:chars] + "…"


def summary_text(completion: Completion) -> str:
    """The answer without scratch-pad sections."""
    text = "\n".join(part.text for part in completion.parts if isinstance(part, Text))
    text = re.sub(
        r"<(analysis|think|thinking|scratchpad)>.*?(</\1>|\Z)", "", text, flags=re.DOTALL | re.IGNORECASE
    )
    return re.sub(r"</?summary>", "", text).strip()


def rejection(completion: Completion, text: str, replaced: int, count: Count) -> str:
    """Why the answer cannot stand for the messages (C08); empty when it can."""
    if any(isinstance(part, ToolCall) for part in completion.parts):
        return "the model called a tool instead of summarising"
    if completion.stop in (StopReason.MAX_TOKENS, StopReason.CONTEXT_WINDOW):
        return "the summary was cut off by the output limit"
    if completion.stop in (StopReason.REFUSAL, StopReason.ERROR):
        return "the model declined to summarise"
    if not text:
        thought = any(isinstance(part, Thinking) for part in completion.parts)
        return "the model only thought and wrote no summary" if thought else "the summary was empty"
    if _CALL.match(text) or _CALL.search(text[-LAST_CHARS:]):
        return "the model wrote a tool call instead of a summary"
    if count(text) < LEAST_TOKENS and not _HEADING.search(text):
        return "the summary said too little"
    if count(text) > max(LEAST_REPLACED, replaced):
        return "the summary was longer than what it replaces"
    return ""
