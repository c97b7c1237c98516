"""Our messages → the body of a Messages request. Pure and deterministic."""

from itertools import groupby
from typing import Any

from agent_cli import prompts
from agent_cli.core.messages import Image, Message, Part, Text, Thinking, ToolCall, ToolResult
from agent_cli.core.models import ModelSpec, Request
from agent_cli.providers.portable import CallIds, as_object, clean, portable_name, shown

WIRE = "anthropic"
_CACHE = {"type": "ephemeral"}
_NEVER_CACHED = ("thinking", "redacted_thinking")

Dict = dict[str, Any]


def body(model: ModelSpec, request: Request) -> Dict:
    """Returns the request body with at most four cache breakpoints: last tool, last system block, and the
    last two messages."""
    made: Dict = {"model": model.name, "max_tokens": request.max_output, "stream": True}
    system: list[Dict] = [{"type": "text", "text": clean(block)} for block in request.system if block.strip()]
    if system:
        made["system"] = system
        system[-1]["cache_control"] = _CACHE
    tools: list[Dict] = [
        {"name": spec.name, "description": spec.description, "input_schema": spec.schema}
        for spec in request.tools
    ]
    if tools:
        tools[-1]["cache_control"] = _CACHE
        made["tools"] = tools
        if not request.use_tools:
            made["tool_choice"] = {"type": "none"}
    made["messages"] = messages(request)
    for message in made["messages"][-2:]:
        _mark(message["content"])
    return made


def messages(request: Request) -> list[Dict]:
    """Returns the message list: roles alternate, and tool results come first in the user message that
    follows their calls."""
    ids = CallIds()
    made: list[Dict] = []
    for role, run in groupby(request.messages, key=_wire_role):
        content = [block for message in run for block in _blocks(message, ids)]
        if role == "user":
            content.sort(key=lambda block: block["type"] != "tool_result")
        made.append({"role": role, "content": content})
    return made


def _wire_role(message: Message) -> str:
    return "assistant" if message.role == "assistant" else "user"


def _blocks(message: Message, ids: CallIds) -> list[Dict]:
    if message.role == "tool":
        return _result_blocks(message, ids)
    made = [block for part in message.parts if (block := _block(part, ids)) is not None]
    if all(block["type"] in _NEVER_CACHED for block in made):
        made.append({"type": "text", "text": prompts.load("no_text")})
    return made


def _block(part: Part, ids: CallIds) -> Dict | None:
    match part:
        case Text(text=text):
            return {"type": "text", "text": clean(text)} if text.strip() else None
        case Thinking():
            return _thinking(part)
        case ToolCall():
            name = portable_name(part.name)
            return {
                "type": "tool_use",
                "id": ids.call(part),
                "name": name,
                "input": as_object(part.arguments),
            }
        case Image():
            return _image(part)
        case ToolResult():
            return None


def _thinking(part: Thinking) -> Dict | None:
    """The provider's own sealed block byte for byte, or nothing (C31)."""
    if part.wire != WIRE:
        return None
    if part.data:
        return {"type": "redacted_thinking", "data": part.data}
    if not part.signature:
        return None
    return {"type": "thinking", "thinking": part.text, "signature": part.signature}


def _result_blocks(message: Message, ids: CallIds) -> list[Dict]:
    images = [_image(part) for part in message.parts if isinstance(part, Image)]
    made: list[Dict] = []
    for result in message.results:
        text = shown(result.content, prompts.load("no_output"))
        block: Dict = {"type": "tool_result", "tool_use_id": ids.result(result), "content": text}
        if result.is_error:
            block["is_error"] = True
        made.append(block)
    if images and made:
        made[-1]["content"] = [{"type": "text", "text": made[-1]["content"]}, *images]
    return made


def _image(image: Image) -> Dict:
    source = {"type": "base64", "media_type": image.media_type, "data": image.data}
    return {"type": "image", "source": source}


def _mark(content: list[Dict]) -> None:
    for block in reversed(content):
        if block["type"] not in _NEVER_CACHED:
            block["cache_control"] = _CACHE
            return
