"""Our messages → the body of a Chat Completions request. Pure and deterministic."""

import re
from typing import Any

from agent_cli import prompts
from agent_cli.core.messages import Image, Message, Text, Thinking
from agent_cli.core.models import ModelSpec, Request, ToolSpec
from agent_cli.providers.portable import CallIds, as_json, clean, portable_name, shown

WIRE = "openai:"
"""Thinking from this wire is marked `openai:FIELD`, FIELD being the message field it came in and goes back in."""

_TOOLS_WITHOUT_EFFORT = re.compile(r"gpt-(5\.[6-9]|[6-9])(?!\d)")

Dict = dict[str, Any]


def body(model: ModelSpec, request: Request, *, official: bool) -> Dict:
    """Returns the request body. `official` is OpenAI's own server, which wants `max_completion_tokens` and
    refuses the reasoning fields of others (C30, C32).

    There the GPT-5.6 and 6 families answer a request with function tools by status 400 unless the effort is "none",
    also where no effort is sent; the error itself names that way out (BerriAI/litellm#34569, and OpenAI's forum,
    "Gpt-5.6 chat completion reasoning effort").
    """
    made: Dict = {
        "model": model.name,
        "messages": messages(request, reasoning=not official),
        "max_completion_tokens" if official else "max_tokens": request.max_output,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.tools:
        made["tools"] = [_tool(spec) for spec in request.tools]
        if official and _TOOLS_WITHOUT_EFFORT.match(model.name):
            made["reasoning_effort"] = "none"
        if not request.use_tools:
            made["tool_choice"] = "none"
    return made


def messages(request: Request, *, reasoning: bool) -> list[Dict]:
    """Returns the message list: the system blocks in one message, then the conversation."""
    ids = CallIds()
    fields = _reasoning_fields(request.messages) if reasoning else ()
    out: list[Dict] = []
    system = "\n\n".join(clean(block) for block in request.system if block.strip())
    if system:
        out.append({"role": "system", "content": system})
    images: list[Image] = []
    for message in request.messages:
        if message.role != "tool" and images:
            out.append({"role": "user", "content": _tool_images(images)})
            images = []
        match message.role:
            case "user":
                out.append({"role": "user", "content": _user_content(message)})
            case "assistant":
                out.append(_assistant(message, ids, fields))
            case "tool":
                out += _results(message, ids)
                images += [part for part in message.parts if isinstance(part, Image)]
    if images:
        out.append({"role": "user", "content": _tool_images(images)})
    return out


def _reasoning_fields(history: tuple[Message, ...]) -> tuple[str, ...]:
    wires = {part.wire for message in history for part in message.parts if isinstance(part, Thinking)}
    return tuple(sorted(wire.removeprefix(WIRE) for wire in wires if wire.startswith(WIRE)))


def _assistant(message: Message, ids: CallIds, fields: tuple[str, ...]) -> Dict:
    calls = [
        {
            "id": ids.call(call),
            "type": "function",
            "function": {"name": portable_name(call.name), "arguments": as_json(call.arguments)},
        }
        for call in message.calls
    ]
    text = clean(message.text)
    made: Dict = {"role": "assistant", "content": text if text.strip() else None}
    if calls:
        made["tool_calls"] = calls
    elif made["content"] is None:
        made["content"] = prompts.load("no_text")
    for name in fields:
        thought = _reasoning(message, name)
        if not thought and calls:
            # Servers that think between calls refuse a calling message without its reasoning, and some refuse "".
            thought = prompts.load("no_reasoning")
        if thought:
            made[name] = thought
    return made


def _reasoning(message: Message, name: str) -> str:
    return "".join(
        part.text for part in message.parts if isinstance(part, Thinking) and part.wire == WIRE + name
    )


def _user_content(message: Message) -> str | list[Dict]:
    if not any(isinstance(part, Image) for part in message.parts):
        return shown(message.text, prompts.load("no_text"))
    content: list[Dict] = []
    for part in message.parts:
        if isinstance(part, Image):
            content.append(_image(part))
        elif isinstance(part, Text) and part.text.strip():
            content.append({"type": "text", "text": clean(part.text)})
    return content


def _results(message: Message, ids: CallIds) -> list[Dict]:
    blank = prompts.load("no_output")
    return [
        {"role": "tool", "tool_call_id": ids.result(result), "content": shown(result.content, blank)}
        for result in message.results
    ]


def _tool_images(images: list[Image]) -> list[Dict]:
    """Tool messages hold text only on this wire, so their images follow in a user message."""
    return [{"type": "text", "text": prompts.load("tool_image")}, *(_image(image) for image in images)]


def _image(image: Image) -> Dict:
    return {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{image.data}"}}


def _tool(spec: ToolSpec) -> Dict:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.schema}
    return {"type": "function", "function": function}
