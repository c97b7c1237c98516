"""What Chat Completions refuses in a message list, each with the words it uses."""

import json
from collections.abc import Iterator
from typing import Any

from agent_cli.providers.fakes.refusals import Received, Refusal, Rule

Dict = dict[str, Any]

MAX_CALL_ID = 40
"""Characters."""
_ROLES = ("system", "assistant", "user", "function", "tool", "developer")
_FIELDS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "function": {"role", "content", "name"},
    "tool": {"role", "content", "name", "tool_call_id"},
    "assistant": {
        *("role", "content", "name", "refusal", "audio", "annotations", "function_call", "tool_calls"),
        # The many servers that stream reasoning take it back in the same field.
        *("reasoning_content", "reasoning"),
    },
}
_PARTS = {
    "user": ("text", "image_url", "input_audio", "file"),
    "assistant": ("text", "refusal"),
}


def missing(where: str) -> Refusal:
    """The refusal of a request without a field it must have."""
    return Refusal(f"Missing required parameter: '{where}'.", where, "missing_required_parameter")


def wrong_type(where: str, wanted: str, got: object) -> Refusal:
    """The refusal of a value of another type; `wanted` has its article."""
    names = {
        str: "a string",
        bool: "a boolean",
        int: "an integer",
        float: "a decimal",
        list: "an array",
        dict: "an object",
    }
    word = names.get(type(got), "null")
    return Refusal(
        f"Invalid type for '{where}': expected {wanted}, but got {word} instead.", where, "invalid_type"
    )


def empty_array(where: str) -> Refusal:
    """The refusal of an array that must have items."""
    text = f"Invalid '{where}': empty array. Expected an array with minimum length 1, but got an empty array instead."
    return Refusal(text, where, "empty_array")


def invalid_value(where: str, value: object, allowed: tuple[str, ...]) -> Refusal:
    """The refusal of a word that is not on the list."""
    quoted = [f"'{word}'" for word in allowed]
    listed = ", ".join(quoted[:-1]) + (", and " if quoted[1:] else "") + quoted[-1]
    return Refusal(f"Invalid value: '{value}'. Supported values are: {listed}.", where, "invalid_value")


def too_long(where: str, text: str, limit: int) -> Refusal:
    """The refusal of a string over `limit` characters."""
    return Refusal(
        f"Invalid '{where}': string too long. Expected a string with maximum length {limit}, but got a string with "
        f"length {len(text)} instead.",
        where,
        "string_above_max_length",
    )


def _messages(received: Received) -> Iterator[Refusal]:
    messages = received.body.get("messages")
    if messages is None:
        yield missing("messages")
    elif not isinstance(messages, list):
        yield wrong_type("messages", "an array of objects", messages)
    elif not messages:
        yield empty_array("messages")
    else:
        for at, message in enumerate(messages):
            if not isinstance(message, dict):
                yield wrong_type(f"messages[{at}]", "an object", message)


def _roles(received: Received) -> Iterator[Refusal]:
    for where, message in _each(received):
        if "role" not in message:
            yield missing(f"{where}.role")
        elif message["role"] not in _ROLES:
            yield invalid_value(f"{where}.role", message["role"], _ROLES)


def _unknown_fields(received: Received) -> Iterator[Refusal]:
    for where, message in _each(received):
        for name in message:
            if name not in _FIELDS[message["role"]]:
                yield Refusal(f"Unknown parameter: '{where}.{name}'.", f"{where}.{name}", "unknown_parameter")


def _content(received: Received) -> Iterator[Refusal]:
    for at, message in enumerate(received.body["messages"]):
        content = message.get("content")
        if isinstance(content, list):
            yield from _parts(f"messages[{at}].content", message["role"], content)
        elif content is None and message["role"] != "assistant":
            yield Refusal(
                "Invalid value for 'content': expected a string, got null.", f"messages.[{at}].content"
            )
        elif content is not None and not isinstance(content, str):
            yield wrong_type(f"messages[{at}].content", "one of a string or array of objects", content)


def _parts(where: str, role: str, parts: list[object]) -> Iterator[Refusal]:
    if not parts:
        yield empty_array(where)
    for at, part in enumerate(parts):
        if not isinstance(part, dict):
            yield wrong_type(f"{where}[{at}]", "an object", part)
        elif part.get("type") not in _PARTS.get(role, ("text",)):
            yield invalid_value(f"{where}[{at}].type", part.get("type"), _PARTS.get(role, ("text",)))
        elif part["type"] == "text" and not isinstance(part.get("text"), str):
            yield missing(f"{where}[{at}].text")


def _says_nothing(received: Received) -> Iterator[Refusal]:
    for at, message in enumerate(received.body["messages"]):
        said = any(message.get(name) for name in ("tool_calls", "refusal", "audio", "function_call"))
        if message["role"] == "assistant" and message.get("content") is None and not said:
            yield Refusal(
                "Invalid value for 'content': expected a string, got null.", f"messages.[{at}].content"
            )


def _tool_calls(received: Received) -> Iterator[Refusal]:
    for where, message in _each(received):
        calls = message.get("tool_calls")
        if calls is None:
            continue
        if not isinstance(calls, list):
            yield wrong_type(f"{where}.tool_calls", "an array of objects", calls)
        elif not calls:
            yield empty_array(f"{where}.tool_calls")
        else:
            for at, call in enumerate(calls):
                yield from _tool_call(f"{where}.tool_calls[{at}]", call)


def _tool_call(where: str, call: object) -> Iterator[Refusal]:
    if not isinstance(call, dict):
        yield wrong_type(where, "an object", call)
        return
    function = call.get("function")
    if not isinstance(call.get("id"), str):
        yield missing(f"{where}.id")
    elif not call["id"]:
        yield Refusal(
            f"Invalid '{where}.id': empty string. Expected a string with minimum length 1, but got an empty string "
            "instead.",
            f"{where}.id",
            "empty_string",
        )
    elif len(call["id"]) > MAX_CALL_ID:
        yield too_long(f"{where}.id", call["id"], MAX_CALL_ID)
    elif call.get("type") != "function":
        yield invalid_value(f"{where}.type", call.get("type"), ("function",))
    elif not isinstance(function, dict) or not isinstance(function.get("name"), str):
        yield missing(f"{where}.function.name")
    elif not isinstance(function.get("arguments"), str):
        yield missing(f"{where}.function.arguments")


def _arguments(received: Received) -> Iterator[Refusal]:
    for where, message in _each(received):
        for at, call in enumerate(message.get("tool_calls") or ()):
            try:
                wrong = "" if isinstance(json.loads(call["function"]["arguments"]), dict) else "not an object"
            except ValueError as error:
                wrong = str(error)
            if wrong:
                yield Refusal(
                    f"Failed to parse tool call arguments as JSON: {wrong}",
                    f"{where}.tool_calls[{at}].function.arguments",
                )


def _repeated_ids(received: Received) -> Iterator[Refusal]:
    for where, message in _each(received):
        ids = [call["id"] for call in message.get("tool_calls") or ()]
        for at, call_id in enumerate(ids):
            if call_id in ids[:at]:
                yield Refusal(
                    f"Invalid parameter: Duplicate value for 'tool_call_id' of '{call_id}', in {where}.",
                    f"{where}.tool_calls[{at}].id",
                )


def _answers(received: Received) -> Iterator[Refusal]:
    """Each call is answered by exactly one of the tool messages right behind it, and each of those answers one."""
    waiting: dict[str, bool] = {}
    answered_at: dict[str, int] = {}
    calling = 0
    messages: list[Dict] = received.body["messages"]
    end: Dict = {"role": "end"}
    for at, message in enumerate([*messages, end]):
        if message["role"] == "tool":
            yield from _answer(at, message, waiting, answered_at)
            continue
        unanswered = [call_id for call_id, answered in waiting.items() if not answered]
        if unanswered:
            yield Refusal(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                "'tool_call_id'. The following tool_call_ids did not have response messages: "
                + ", ".join(unanswered),
                f"messages.[{calling + 1}].role",
            )
        waiting = {call["id"]: False for call in message.get("tool_calls") or ()}
        answered_at, calling = {}, at


def _answer(
    at: int, message: Dict, waiting: dict[str, bool], answered_at: dict[str, int]
) -> Iterator[Refusal]:
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str):
        yield missing(f"messages[{at}].tool_call_id")
    elif call_id not in waiting:
        yield Refusal(
            "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
            "'tool_calls'.",
            f"messages.[{at}].role",
        )
    elif call_id in answered_at:
        yield Refusal(
            f"Invalid parameter: Duplicate value for 'tool_call_id' of '{call_id}', in "
            f"messages[{answered_at[call_id]}] and messages[{at}].",
            f"messages.[{at}].tool_call_id",
        )
    else:
        waiting[call_id] = True
        answered_at[call_id] = at


def _reasoning(received: Received) -> Iterator[Refusal]:
    if not received.house.require_reasoning:
        return
    for _, message in _each(received):
        if message.get("tool_calls") and not (message.get("reasoning_content") or "").strip():
            yield Refusal(
                "The `reasoning_content` in the thinking mode must be passed back to the API.",
                code="invalid_request_error",
            )


def _each(received: Received) -> Iterator[tuple[str, Dict]]:
    for at, message in enumerate(received.body["messages"]):
        yield f"messages[{at}]", message


RULES = (
    Rule("messages", "platform.openai.com/docs/api-reference/chat/create", _messages),
    Rule("roles", "error text 'Supported values are: 'system', 'assistant', ...'", _roles),
    Rule("unknown message fields", "error text 'Unknown parameter'; fields of the API reference", _unknown_fields),
    Rule("content", "error text 'expected a string, got null'; parts of the API reference", _content),
    Rule("says nothing", "API reference: content is required unless tool_calls or function_call is given", _says_nothing),
    Rule("tool calls", "error code string_above_max_length at 40 characters (anomalyco/opencode#12653)", _tool_calls),
    Rule("arguments", "llama.cpp's text, vLLM alike (OpenHands/software-agent-sdk#2887)", _arguments),
    Rule("repeated ids", "Duplicate value for 'tool_call_id' (openclaw/openclaw#40897)", _repeated_ids),
    Rule("answers", "must be followed by tool messages; Duplicate value (agno-agi/agno#5116)", _answers),
    Rule("reasoning", "api-docs.deepseek.com/guides/thinking_mode (earendil-works/pi#3636)", _reasoning),
)  # fmt: skip
