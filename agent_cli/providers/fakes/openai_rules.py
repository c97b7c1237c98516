"""What Chat Completions refuses, each with the words it uses. Rules about the message list are next door."""

import re
from collections.abc import Iterator
from typing import Any

from agent_cli.providers.fakes import openai_history as history
from agent_cli.providers.fakes.refusals import Received, Refusal, Rule

Dict = dict[str, Any]

_FIELDS = frozenset((
    "messages", "model", "audio", "frequency_penalty", "function_call", "functions", "logit_bias",
    "logprobs", "max_completion_tokens", "max_tokens", "metadata", "modalities", "moderation", "n",
    "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_options",
    "prompt_cache_retention", "reasoning_effort", "response_format", "safety_identifier", "seed",
    "service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools",
    "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
))  # fmt: skip
_LIMITS = ("max_tokens", "max_completion_tokens")
_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_MAX_TOOL_NAME = 64


def _key(received: Received) -> Iterator[Refusal]:
    key = received.headers.get("authorization", "").removeprefix("Bearer").strip()
    if not key:
        yield Refusal(
            "You didn't provide an API key. You need to provide your API key in an Authorization header using "
            "Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
            status=401,
        )
    elif key != received.house.api_key:
        yield Refusal(
            f"Incorrect API key provided: {key[:4]}***. You can find your API key at "
            "https://platform.openai.com/account/api-keys.",
            code="invalid_api_key",
            status=401,
        )


def _unknown_fields(received: Received) -> Iterator[Refusal]:
    for name in received.body:
        if name not in _FIELDS:
            yield Refusal(f"Unknown parameter: '{name}'.", name, "unknown_parameter")


def _model(received: Received) -> Iterator[Refusal]:
    model = received.body.get("model")
    if not model:
        yield Refusal("you must provide a model parameter")
    elif model not in received.house.models:
        yield Refusal(
            f"The model `{model}` does not exist or you do not have access to it.",
            code="model_not_found",
            status=404,
        )


def _token_limits(received: Received) -> Iterator[Refusal]:
    body = received.body
    if all(body.get(name) is not None for name in _LIMITS):
        yield Refusal(
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
            "max_tokens",
            "invalid_parameter_combination",
        )
    for name in _LIMITS:
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool):
            yield history.wrong_type(name, "an integer", value)
        elif value < 1:
            yield Refusal(
                f"Invalid '{name}': integer below minimum value. Expected a value >= 1, but got {value} instead.",
                name,
                "integer_below_min_value",
            )


def _stream_options(received: Received) -> Iterator[Refusal]:
    if received.body.get("stream_options") is not None and not received.body.get("stream"):
        yield Refusal(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.", "stream_options"
        )


def _tools(received: Received) -> Iterator[Refusal]:
    tools = received.body.get("tools")
    if tools is None:
        return
    if not isinstance(tools, list):
        yield history.wrong_type("tools", "an array of objects", tools)
    elif not tools:
        yield history.empty_array("tools")
    else:
        for at, tool in enumerate(tools):
            yield from _tool(f"tools[{at}]", tool)


def _tool(where: str, tool: object) -> Iterator[Refusal]:
    if not isinstance(tool, dict) or not isinstance(tool.get("function"), dict):
        yield history.missing(f"{where}.function")
        return
    if tool.get("type") != "function":
        yield history.invalid_value(f"{where}.type", tool.get("type"), ("function",))
    name = tool["function"].get("name")
    at = f"{where}.function.name"
    if not isinstance(name, str):
        yield history.missing(at)
    elif not _TOOL_NAME.fullmatch(name):
        yield Refusal(
            f"Invalid '{at}': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            at,
            "invalid_value",
        )
    elif len(name) > _MAX_TOOL_NAME:
        yield history.too_long(at, name, _MAX_TOOL_NAME)


def _tool_schemas(received: Received) -> Iterator[Refusal]:
    for at, tool in enumerate(received.body.get("tools") or ()):
        function = tool["function"]
        for complaint in _schema_complaints(function.get("parameters", {"type": "object", "properties": {}})):
            yield Refusal(
                f"Invalid schema for function '{function['name']}': {complaint}",
                f"tools[{at}].function.parameters",
                "invalid_function_parameters",
            )


def _schema_complaints(schema: object) -> Iterator[str]:
    kind = schema.get("type") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or kind != "object":
        yield f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{kind}\"'."
    elif not isinstance(schema.get("properties"), dict):
        yield "In context=(), object schema missing properties."
    else:
        yield from _arrays(schema, ())


def _arrays(schema: Dict, context: tuple[str, ...]) -> Iterator[str]:
    if schema.get("type") == "array" and "items" not in schema:
        yield f"In context={context}, array schema missing items."
    for name in ("properties", "$defs"):
        for key, inner in (schema.get(name) or {}).items():
            if isinstance(inner, dict):
                yield from _arrays(inner, (*context, name, key))
    if isinstance(schema.get("items"), dict):
        yield from _arrays(schema["items"], (*context, "items"))


def _tool_choice(received: Received) -> Iterator[Refusal]:
    for name in ("tool_choice", "parallel_tool_calls"):
        if received.body.get(name) is not None and not received.body.get("tools"):
            yield Refusal(
                f"Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.", name
            )


KEY_RULES = (Rule("key", "platform.openai.com/docs/guides/error-codes", _key),)

RULES = (
    *KEY_RULES,
    Rule("model", "platform.openai.com/docs/guides/error-codes; 404 model_not_found", _model),
    Rule("unknown fields", "error text 'Unknown parameter'; fields of the API reference", _unknown_fields),
    Rule("token limits", "platform.openai.com/docs/api-reference/chat/create", _token_limits),
    Rule("stream options", "platform.openai.com/docs/api-reference/chat/create", _stream_options),
    Rule("tools", "platform.openai.com/docs/api-reference/chat/create; name a-z, A-Z, 0-9, _ and -, 64 long", _tools),
    Rule("tool schemas", "error code invalid_function_parameters (containers/kubernetes-mcp-server#340)", _tool_schemas),
    Rule("tool choice", "error text '... is only allowed when 'tools' are specified'", _tool_choice),
    *history.RULES,
)  # fmt: skip


def over_window(body: Dict, used: int, window: int) -> Refusal | None:
    """Returns the refusal of a request of `used` tokens that does not fit the window (context_length_exceeded)."""
    asked = next((body[name] for name in _LIMITS if body.get(name) is not None), 0)
    if used + asked <= window:
        return None
    if used > window:
        said = f"your messages resulted in {used} tokens. Please reduce the length of the messages."
    else:
        said = (
            f"you requested {used + asked} tokens ({used} in the messages, {asked} in the completion). Please "
            "reduce the length of the messages or completion."
        )
    message = f"This model's maximum context length is {window} tokens. However, {said}"
    return Refusal(message, "messages", "context_length_exceeded")
