"""The provider without a model: eight kinds of plain requests, carried out through the same loop and tools.

It keeps no state: what was asked and what was done is read from the messages of each request.
"""

import json
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator
from textwrap import indent

import msgspec

from agent_cli import prompts
from agent_cli.core.events import Finished, ProviderEvent, TextDelta
from agent_cli.core.messages import Message, Text, ToolCall, ToolResult
from agent_cli.core.models import Completion, ModelSpec, Request, StopReason

MODEL = ModelSpec("offline", "offline", 32_768, "built in", can_summarise=False, reports_cache=False)
ANSWER_CHARS = 12_000
"""Characters of tool output in one answer; the tool results themselves hold the rest."""
RECORDED_CHARS = 300
"""Characters of a command that the record of a compaction keeps."""
COUNT = "count lines"

Words = dict[str, str]


class Step(msgspec.Struct, frozen=True):
    """One tool call to make: its tool, its arguments and the words it was asked in."""

    tool: str
    arguments: dict[str, object]
    asked: str
    kind: str


class Kind(msgspec.Struct, frozen=True):
    """A row of the table: what it is called, an example, its forms, and the call it becomes."""

    name: str
    example: str
    forms: tuple[str, ...]
    call: Callable[[Words], tuple[str, dict[str, object]]]


_QUOTED = r"`[^`]*`|\"[^\"]*\"|'[^']*'"
_PATH = rf"(?:the\s+)?(?:file\s+|folder\s+|directory\s+)?(?P<path>{_QUOTED}|\S+)"
_IN = rf"(?:\s+(?:in|of|under|from|inside)\s+{_PATH})?"
_OLD, _NEW = rf"(?P<old>{_QUOTED}|.+?)", rf"(?P<new>{_QUOTED}|.+?)"
_ALL = r"(?P<all>(?:all|every)\s+(?:occurrences?\s+of\s+)?)?"
_WORD = rf"(?:the\s+)?(?:word\s+|text\s+)?(?P<word>{_QUOTED}|.+?)"
_SHOW = r"(?:read|open|show|cat|view|print|display)(?:\s+me)?\s+(?:the\s+contents?\s+of\s+)?"
_MAKE = r"(?:create|make|write)\s+(?:a\s+)?(?:new\s+)?(?:file\s+)?(?:(?:named|called)\s+)?"
_FILES = r"(?:all\s+)?(?:the\s+)?(?:files\s+)?(?:(?:named|called|matching|like)\s+)?"
_CONVERSATION = r"(?:\s+(?:the\s+|this\s+)?(?:conversation|context|session|history))?"
_FOCUS = r"(?:,?\s+(?:with\s+)?(?:a\s+)?focus(?:ing)?\s+on\s+(?P<focus>.+))?"
_GLOB = re.compile(r"[*?\[]")


def _replace(words: Words) -> tuple[str, dict[str, object]]:
    arguments: dict[str, object] = {"path": words["path"], "old_text": words["old"], "new_text": words["new"]}
    return "edit_file", {**arguments, "replace_all": True} if words["all"] else arguments


def _create(words: Words) -> tuple[str, dict[str, object]]:
    content = words["content"].removesuffix("\n") + "\n"
    return "write_file", {"path": words["path"], "content": content}


def _search(words: Words) -> tuple[str, dict[str, object]]:
    word, where = words["word"], words["path"]
    pattern = word if words["grep"] else re.sub(r"([.^$*+?{}\[\]\\|()])", r"\\\1", word)
    if not where:
        return "grep", {"pattern": pattern}
    return "grep", {"pattern": pattern, "glob" if _GLOB.search(where) else "path": where}


def _list(words: Words) -> tuple[str, dict[str, object]]:
    where, pattern = words["path"], words["pattern"]
    if not pattern and not _GLOB.search(where):
        return "list_files", {"path": where} if where else {}
    if not pattern:
        pattern, where = where, ""
    pattern = pattern if "/" in pattern else f"**/{pattern}"
    return "glob", {"pattern": pattern, "path": where} if where else {"pattern": pattern}


def _read(words: Words) -> tuple[str, dict[str, object]]:
    if not words["first"]:
        return "read_file", {"path": words["path"]}
    first, last = int(words["first"]), int(words["last"] or words["first"])
    return "read_file", {"path": words["path"], "offset": first, "limit": max(1, last - first + 1)}


def _compact(words: Words) -> tuple[str, dict[str, object]]:
    return "compact", {"focus": words["focus"]} if words["focus"] else {}


# fmt: off
KINDS = (
    Kind("replace text in a file", "replace beta = 2 by beta = 3 in settings.py", (
        rf"(?:replace|change)\s+{_ALL}{_OLD}\s+(?:by|with|to|into)\s+{_NEW}\s+in\s+{_PATH}",
        rf"in\s+{_PATH},?\s+(?:replace|change)\s+{_ALL}{_OLD}\s+(?:by|with|to|into)\s+{_NEW}",
    ), _replace),
    Kind("create a file", "create notes.txt with hello", (
        rf"{_MAKE}{_PATH}\s+(?:with|containing)\s+(?:the\s+)?(?:(?:contents?|text)[:\s]\s*)?(?P<content>{_QUOTED}|.+)",
        rf"(?:write|put|save)\s+(?P<content>{_QUOTED}|.+?)\s+(?:to|into|in)\s+{_PATH}",
    ), _create),
    Kind(COUNT, "count the lines of settings.py", (
        rf"count\s+(?:the\s+)?(?:number\s+of\s+)?lines\s+(?:in|of)\s+{_PATH}",
        rf"how\s+many\s+lines\s+(?:are\s+)?(?:there\s+)?(?:in|does|has)\s+{_PATH}(?:\s+have)?",
    ), lambda words: ("read_file", {"path": words["path"], "limit": 1})),
    Kind("search for a word", "search for TODO in src", (
        rf"(?:search|look)\s+for\s+{_WORD}{_IN}",
        rf"(?P<grep>grep)\s+(?:for\s+)?{_WORD}{_IN}",
        rf"search\s+{_PATH}\s+for\s+{_WORD}",
        rf"find\s+(?:the\s+)?(?:word|text)\s+{_WORD}{_IN}",
        rf"find\s+(?P<word>{_QUOTED}|[^\s.*?\[]+)\s+in\s+(?P<path>\S+)",
    ), _search),
    Kind("list or find files", "list files in src", (
        rf"(?:list|show)(?:\s+me)?(?:\s+all)?(?:\s+the)?\s+files{_IN}",
        rf"(?:what|which)\s+files\s+are(?:\s+there)?{_IN}",
        rf"(?:find|list)\s+{_FILES}(?P<pattern>\S*[.*?\[]\S*)(?:\s+files)?{_IN}",
        r"(?:list|ls)(?:\s+(?P<path>\S+))?",
    ), _list),
    Kind("read a file", "read settings.py", (
        rf"{_SHOW}lines?\s+(?P<first>\d+)(?:\s*(?:-|to)\s*(?P<last>\d+))?\s+(?:of|in|from)\s+{_PATH}",
        rf"{_SHOW}{_PATH}",
    ), _read),
    Kind("run a command", "run pytest -q", (
        rf"(?:run|execute)\s+(?:the\s+)?(?:shell\s+)?command[:\s]\s*(?P<command>{_QUOTED}|.+)",
        rf"(?:run|execute)\s+(?P<command>{_QUOTED}|(?!(?:the|all|my|our|some|it|this|that|tests?)\b).+)",
    ), lambda words: ("shell", {"command": words["command"]})),
    Kind("compact the conversation", "compact", (rf"(?:compact|compress){_CONVERSATION}{_FOCUS}",), _compact),
)
# fmt: on
_FORMS = tuple((kind, re.compile(form, re.IGNORECASE | re.DOTALL)) for kind in KINDS for form in kind.forms)
_THEN = re.compile(rf"(?<!\w)(?:{_QUOTED})(?!\w)|(?P<then>[\s,;]+(?:and\s+)?then\b[\s,:]+)", re.IGNORECASE)
_POLITE = re.compile(r"(?:(?:please|now|first|next|also|(?:can|could|would)\s+you)[\s,]+)+", re.IGNORECASE)
_END = re.compile(r"(?<=[`\"'])[.!?]+$|\?+$")
_HELP = re.compile(r"(?:help|hi|hello|hey|what\s+can\s+you\s+do|who\s+are\s+you)\W*", re.IGNORECASE)


def understand(text: str) -> tuple[Step, ...]:
    """Returns the calls that a request asks for; empty when any part of it is not understood."""
    steps = [_step(part) for part in _parts(text.strip())]
    return tuple(step for step in steps if step is not None) if all(steps) else ()


def _parts(text: str) -> Iterator[str]:
    start = 0
    for found in _THEN.finditer(text):
        if found["then"]:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def _step(part: str) -> Step | None:
    polite = _POLITE.match(part)
    asked = part[polite.end() :] if polite else part
    asked = re.sub(r"[\s,]+please[.!?]*$", "", asked, flags=re.IGNORECASE).strip()
    for kind, form in _FORMS:
        found = form.fullmatch(asked) or form.fullmatch(_END.sub("", asked))
        if found is not None:
            words = {name: _bare(name, value) for name, value in found.groupdict().items()}
            tool, arguments = kind.call(defaultdict(str, words))
            return Step(tool, arguments, asked, kind.name)
    return None


def _bare(name: str, value: str | None) -> str:
    """The word without its quotes; a path also without the end of the sentence."""
    text = (value or "").strip()
    if name == "path" and text.strip("./"):
        text = text.rstrip("?!,").removesuffix(".")
    return text[1:-1] if re.fullmatch(_QUOTED, text) else text


class Offline:
    """Not a language model: carries out plain requests and says so when it does not understand one."""

    @property
    def model(self) -> ModelSpec:
        """The model in use."""
        return MODEL

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """Answers with the next call, or with what the calls found."""
        completion = reply(request.messages)
        for part in completion.parts:
            if isinstance(part, Text):
                yield TextDelta(part.text)
        yield Finished(completion)

    async def aclose(self) -> None:
        """Nothing to close."""


def reply(messages: tuple[Message, ...]) -> Completion:
    """The next step of the newest request the user typed: pure, the same messages give the same reply."""
    asked = next((message for message in reversed(messages) if message.typed), None)
    text = asked.text.strip() if asked is not None else ""
    if asked is None or _HELP.fullmatch(text):
        return Completion((Text(_help()),), StopReason.END_TURN)
    steps = understand(text)
    if not steps:
        shown = text if len(text) <= 200 else f"{text[:200]}…"
        refusal = f"I do not understand “{shown}”, so I did nothing.\n\n{_help()}"
        return Completion((Text(refusal),), StopReason.REFUSAL)
    results = _results(asked, messages)
    done = max(results) + 1 if results else _remembered(asked, steps, messages)
    failed = any(result.is_error for result in results.values())
    if failed or done >= len(steps):
        stop = StopReason.ERROR if failed else StopReason.END_TURN
        return Completion((Text(_report(steps, results, done)),), stop)
    arguments = json.dumps(steps[done].arguments, ensure_ascii=False)
    call = ToolCall(f"{_prefix(asked)}{done}", steps[done].tool, arguments)
    return Completion((call,), StopReason.TOOL_USE)


def _prefix(asked: Message) -> str:
    return f"offline-{asked.id}-"


def _results(asked: Message, messages: tuple[Message, ...]) -> dict[int, ToolResult]:
    """The visible results of this request's calls by position."""
    prefix = _prefix(asked)
    all_results = (result for message in messages for result in message.results)
    found = [result for result in all_results if result.call_id.startswith(prefix)]
    return {int(result.call_id.removeprefix(prefix)): result for result in found}


def _remembered(asked: Message, steps: tuple[Step, ...], messages: tuple[Message, ...]) -> int:
    """How many steps were done, when a compaction took every call out of sight and its record is all there is.

    What changes files or runs commands is not done twice; reading may be.
    """
    before = messages[: messages.index(asked)]
    if any(message.origin not in ("summary", "ack") for message in before):
        return 0  # History leaves oldest first: while older messages are in sight, no call has left.
    recaps = [message.text for message in before if message.ts > asked.ts]
    lines = "\n".join(recaps).splitlines()
    done = 0
    for position, step in enumerate(steps, 1):
        noted = _noted(step, lines)
        if noted is False:
            break
        done = position if noted else done
    return done


def _noted(step: Step, lines: list[str]) -> bool | None:
    """Whether the record shows that the step was done; None when no record is kept of such steps."""
    match step.tool:
        case "compact":
            return bool(lines)
        case "shell":
            starts = (f"{' '.join(str(step.arguments['command']).split())[:RECORDED_CHARS]} (",)
        case "write_file" | "edit_file":
            starts = (f"{step.arguments['path']} (written", f"{step.arguments['path']} (edited")
        case _:
            return None
    return any(line.startswith(starts) for line in lines)


def _help() -> str:
    examples = "\n".join(f"- {kind.name}: `{kind.example}`" for kind in KINDS)
    return prompts.fill("offline_help", examples=examples)


def _report(steps: tuple[Step, ...], results: dict[int, ToolResult], done: int) -> str:
    """What came of each step."""
    room = ANSWER_CHARS // len(steps)
    told = [_told(step, results.get(at), room) for at, step in enumerate(steps[:done])]
    left = [step.asked for step in steps[done:]]
    if left:
        told.append("Not done because of this: " + "; ".join(left))
    return "\n\n".join(told)


def _told(step: Step, result: ToolResult | None, room: int) -> str:
    if result is None:
        return f"{step.asked}: done earlier; the output is no longer in view."
    content = result.content.strip("\n") or "(no output)"
    if step.kind == COUNT and not result.is_error:
        return f"{step.arguments['path']}: {_lines(content)}"
    if len(content) > room:
        content = f"{content[:room]}\n… ({len(content) - room} more characters in the tool's result)"
    failed = " this did not work." if result.is_error else ""
    return f"{step.asked}:{failed}\n\n{indent(content, '    ')}"


def _lines(content: str) -> str:
    """The number of lines of a file, from the reading tool's note about the rest of it."""
    if not re.match(r"\d+→", content):
        return "0 lines" if "empty" in content else content
    total = re.search(r"^\[.*\bof ([\d,]+)[;.]", content, re.MULTILINE)
    return f"{total[1]} lines" if total else "1 line"
