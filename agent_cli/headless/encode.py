"""Events as the lines of `--output-format json` and `stream-json` (design, section 1)."""

from collections.abc import Sequence
from typing import Any

import msgspec

from agent_cli.core.events import AgentEvent, Compacted, MessageAdded, Outcome, ToolFinished
from agent_cli.core.messages import Message, ToolCall, ToolResult
from agent_cli.session.session import Totals


def line(fields: dict[str, Any]) -> str:
    """One object as one line of JSON."""
    return msgspec.json.encode(fields).decode() + "\n"


def init(
    session_id: str, *, model: str, cwd: str, tools: Sequence[str], context_mode: str, permission_mode: str
) -> dict[str, Any]:
    """The first line of a stream."""
    return {
        "type": "init",
        "session_id": session_id,
        "model": model,
        "cwd": cwd,
        "tools": list(tools),
        "context_mode": context_mode,
        "permission_mode": permission_mode,
    }


def stream_lines(session_id: str, event: AgentEvent) -> list[dict[str, Any]]:
    """The lines of one event; most events have none."""
    match event:
        case MessageAdded(message):
            return _message(session_id, message)
        case ToolFinished(_, result):
            return [_result(session_id, result)]
        case Compacted(entry):
            return [
                {
                    "type": "compaction",
                    "session_id": session_id,
                    "layer": entry.layer,
                    "trigger": entry.trigger,
                    "messages_before": entry.messages_before,
                    "messages_after": entry.messages_after,
                    "tokens_before": entry.tokens_before,
                    "tokens_after": entry.tokens_after,
                }
            ]
        case _:
            return []


def _message(session_id: str, message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return []
    content = msgspec.to_builtins(message.parts)
    whole = {"type": "message", "session_id": session_id, "role": message.role, "content": content}
    return [whole, *(_call(session_id, call) for call in message.calls)]


def _call(session_id: str, call: ToolCall) -> dict[str, Any]:
    try:
        arguments = msgspec.json.decode(call.arguments or "{}")
    except msgspec.DecodeError:
        arguments = call.arguments
    return {
        "type": "tool_use",
        "session_id": session_id,
        "id": call.id,
        "name": call.name,
        "input": arguments,
    }


def _result(session_id: str, result: ToolResult) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "session_id": session_id,
        "id": result.call_id,
        "is_error": result.is_error,
        "content": result.content,
    }


def result(
    session_id: str, outcome: Outcome, *, answer: str, model: str, steps: int, totals: Totals, error: str
) -> dict[str, Any]:
    """The last line: how the run ended and what it used."""
    usage = totals.usage
    return {
        "type": "result",
        "subtype": outcome,
        "is_error": outcome != "ok",
        "result": answer,
        "session_id": session_id,
        "model": model,
        "num_steps": steps,
        "usage": {
            "input": usage.input,
            "output": usage.output,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
        },
        "cost_usd": totals.cost_usd,
        "compactions": totals.compactions,
        "permission_denials": totals.denials,
        "error": error or None,
    }
