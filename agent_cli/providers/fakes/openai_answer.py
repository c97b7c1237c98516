"""A reply as Chat Completions sends it, streamed or whole."""

import json
from typing import Any

from agent_cli.core.usage import Usage
from agent_cli.providers.fakes.replies import Call, Reply
from agent_cli.providers.fakes.shaping import Ids, Shaped, cut_up, stopped

Dict = dict[str, Any]

_STOPS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "refusal": "content_filter",
}
_CREATED = 1_764_547_200


def streamed(reply: Reply, body: Dict, usage: Usage, ids: Ids) -> Shaped:
    """Returns the chunks of a stream: the first has the role, the last before `[DONE]` the usage if asked for."""
    options = body.get("stream_options") or {}
    frame: Dict = {
        "id": ids.answer("chatcmpl-"),
        "object": "chat.completion.chunk",
        "created": _CREATED,
        "model": body["model"],
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
    }
    if options.get("include_usage"):
        frame["usage"] = None

    def chunk(delta: Dict, finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _event({**frame, "choices": [choice]})

    first = {"role": "assistant", "content": "" if reply.text or not reply.calls else None, "refusal": None}
    content = [chunk(first)]
    content += [chunk({"reasoning_content": piece}) for piece in cut_up(reply.thinking, reply.chunk)]
    content += [chunk({"content": piece}) for piece in cut_up(reply.text, reply.chunk)]
    for index, call in enumerate(reply.calls):
        start = {"index": index, **_call(call, ids, index, arguments="")}
        content.append(chunk({"tool_calls": [start]}))
        content += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            for piece in cut_up(call.json, reply.chunk)
        ]
    ending = [chunk({}, stopped(reply, _STOPS, "stop", "tool_calls"))]
    if "usage" in frame:
        ending.append(_event({**frame, "choices": [], "usage": _usage(usage)}))
    return Shaped(content, [*ending, b"data: [DONE]\n\n"])


def whole(reply: Reply, body: Dict, usage: Usage, ids: Ids) -> Dict:
    """Returns the body of an answer that is not streamed."""
    message: Dict = {
        "role": "assistant",
        "content": reply.text or (None if reply.calls else ""),
        "refusal": None,
    }
    if reply.thinking:
        message["reasoning_content"] = reply.thinking
    if reply.calls:
        message["tool_calls"] = [_call(call, ids, index) for index, call in enumerate(reply.calls)]
    finish = stopped(reply, _STOPS, "stop", "tool_calls")
    return {
        "id": ids.answer("chatcmpl-"),
        "object": "chat.completion",
        "created": _CREATED,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": _usage(usage),
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
    }


def error(status: int, message: str, code: str | None, param: str | None) -> Dict:
    """Returns the body of an error response."""
    return {"error": {"message": message, "type": _error_type(status, code), "param": param, "code": code}}


def models(names: tuple[str, ...], window: int) -> Dict:
    """Returns the body of the model list; `window` is not told on this wire."""
    return {"object": "list", "data": [model(name, window) for name in names]}


def model(name: str, window: int) -> Dict:
    """Returns one model's entry; `window` is not told on this wire."""
    return {"id": name, "object": "model", "created": _CREATED, "owned_by": "system"}


def _event(data: Dict) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()


def _call(call: Call, ids: Ids, index: int, arguments: str | None = None) -> Dict:
    function = {"name": call.name, "arguments": call.json if arguments is None else arguments}
    return {"id": call.id or ids.call("call_", index), "type": "function", "function": function}


def _usage(usage: Usage) -> Dict:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _error_type(status: int, code: str | None) -> str:
    if status == 429:
        return code or "rate_limit_exceeded"
    return "server_error" if status >= 500 else "invalid_request_error"
