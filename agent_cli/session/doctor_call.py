"""A small call to the chosen model: does it answer, and can it call tools?"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime

from agent_cli import prompts
from agent_cli.core.errors import ProviderError
from agent_cli.core.events import Finished, Restarted
from agent_cli.core.messages import Message, Text, ToolCall
from agent_cli.core.models import Completion, Request, StopReason, ToolSpec
from agent_cli.core.ports import Provider
from agent_cli.session.check import Check

SECONDS = 20.0
MAX_OUTPUT = 256
"""Tokens; models that reason before they call a tool need more than one."""
_TOOL = "ready"
_SCHEMA: dict[str, object] = {"type": "object", "properties": {}, "additionalProperties": False}


async def calls(provider: Provider) -> AsyncIterator[Check]:
    """Asks the model to call a tool: two findings, or one when it does not answer within 20 seconds."""
    began = time.monotonic()
    try:
        async with asyncio.timeout(SECONDS):
            completion = await _ask(provider)
    except TimeoutError:
        advice = "Check the network, the base URL and whether the server is busy."
        yield Check("fail", "call", f"no answer within {SECONDS:.0f} s", advice)
        return
    except ProviderError as error:
        yield Check("fail", "call", str(error))
        return
    used = completion.usage
    size = f", {used.input:,} tokens in, {used.output:,} out" if used else ", which reports no usage"
    yield Check("ok", "call", f"answered in {time.monotonic() - began:.1f} s{size}")
    yield _tool_check(completion)


async def _ask(provider: Provider) -> Completion:
    """One try: what a retry would wait for is what the user wants to know now."""
    async with aclosing(provider.stream(_request())) as events:
        async for event in events:
            match event:
                case Restarted(reason=reason):
                    raise ProviderError(reason)
                case Finished(completion):
                    return completion
                case _:
                    continue
    raise ProviderError("The answer broke off.")


def _request() -> Request:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    asked = Message("m1", now, "user", (Text(prompts.load("doctor_request")),))
    tool = ToolSpec(_TOOL, prompts.load("doctor_tool"), _SCHEMA)
    return Request((), (tool,), (asked,), MAX_OUTPUT)


def _tool_check(completion: Completion) -> Check:
    if any(isinstance(part, ToolCall) and part.name == _TOOL for part in completion.parts):
        return Check("ok", "tool calls", "the model calls tools")
    if completion.stop is StopReason.MAX_TOKENS:
        return Check("ok", "tool calls", f"not told: the answer was cut at {MAX_OUTPUT} tokens")
    advice = "Choose a model, or a server's chat template, that supports tool calls."
    return Check("warn", "tool calls", "asked to call a tool, the model answered in words", advice)
