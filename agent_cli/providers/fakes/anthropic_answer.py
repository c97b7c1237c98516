"""A reply as the Messages API sends it, streamed or whole."""

import base64
import hashlib
import json
from typing import Any

from agent_cli.core.usage import Usage
from agent_cli.providers.fakes.replies import Reply
from agent_cli.providers.fakes.shaping import Ids, Shaped, cut_up, stopped

Dict = dict[str, Any]

_STOPS = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
    "context_window": "model_context_window_exceeded",
    "pause": "pause_turn",
}
_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_CREATED = "2025-12-01T00:00:00Z"


def seal(thinking: str) -> str:
    """Returns the signature that a thinking block with this text must carry."""
    return base64.b64encode(hashlib.sha512(f"sealed:{thinking}".encode()).digest()).decode()


def streamed(reply: Reply, body: Dict, usage: Usage, ids: Ids) -> Shaped:
    """Returns the events of a stream."""
    opened = {**_message(body, ids), "content": [], "usage": {**_usage(usage), "output_tokens": 1}}
    content = [_event("message_start", message=opened), _event("ping")]
    for index, (start, deltas) in enumerate(_blocks(reply, ids)):
        content.append(_event("content_block_start", index=index, content_block=start))
        content += [_event("content_block_delta", index=index, delta=delta) for delta in deltas]
        content.append(_event("content_block_stop", index=index))
    delta = {"stop_reason": stopped(reply, _STOPS, "end_turn", "tool_use"), "stop_sequence": None}
    return Shaped(
        content, [_event("message_delta", delta=delta, usage=_usage(usage)), _event("message_stop")]
    )


def whole(reply: Reply, body: Dict, usage: Usage, ids: Ids) -> Dict:
    """Returns the body of an answer that is not streamed."""
    content: list[Dict] = []
    if reply.thinking:
        content.append({"type": "thinking", "thinking": reply.thinking, "signature": seal(reply.thinking)})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    for index, call in enumerate(reply.calls):
        content.append(
            {**_tool_use(call.name, call.id or ids.call("toolu_", index)), "input": _object(call.json)}
        )
    stop = stopped(reply, _STOPS, "end_turn", "tool_use")
    return {**_message(body, ids), "content": content, "stop_reason": stop, "usage": _usage(usage)}


def error(status: int, message: str, request_id: str) -> Dict:
    """Returns the body of an error response."""
    kind = _ERROR_TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": request_id}


def models(names: tuple[str, ...], window: int) -> Dict:
    """Returns the body of the model list; `window` is in tokens."""
    return {
        "data": [model(name, window) for name in names],
        "has_more": False,
        "first_id": names[0] if names else None,
        "last_id": names[-1] if names else None,
    }


def model(name: str, window: int) -> Dict:
    """Returns one model's entry; `window` is in tokens."""
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": _CREATED,
        "lifecycle": "active",
        "max_input_tokens": window,
        "max_tokens": window,
    }


def _event(kind: str, **fields: object) -> bytes:
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False, separators=(",", ":"))
    return f"event: {kind}\ndata: {data}\n\n".encode()


def _message(body: Dict, ids: Ids) -> Dict:
    return {
        "id": ids.answer("msg_"),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _blocks(reply: Reply, ids: Ids) -> list[tuple[Dict, list[Dict]]]:
    """Each content block as it starts, and its deltas."""
    made: list[tuple[Dict, list[Dict]]] = []
    if reply.thinking:
        deltas: list[Dict] = [
            {"type": "thinking_delta", "thinking": piece} for piece in cut_up(reply.thinking, reply.chunk)
        ]
        deltas.append({"type": "signature_delta", "signature": seal(reply.thinking)})
        made.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if reply.text:
        texts = [{"type": "text_delta", "text": piece} for piece in cut_up(reply.text, reply.chunk)]
        made.append(({"type": "text", "text": ""}, texts))
    for index, call in enumerate(reply.calls):
        pieces = ["", *cut_up(call.json, reply.chunk)]
        inputs = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
        made.append((_tool_use(call.name, call.id or ids.call("toolu_", index)), inputs))
    return made


def _tool_use(name: str, use_id: str) -> Dict:
    return {"type": "tool_use", "id": use_id, "name": name, "input": {}}


def _object(arguments: str) -> Dict:
    """Whole answers hold an object, so broken arguments cannot be sent that way."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _usage(usage: Usage) -> Dict:
    return {
        "input_tokens": usage.input - usage.cache_read - usage.cache_write,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": usage.output,
    }
