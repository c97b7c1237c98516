"""A server's refusal → one of our errors, with what to do next in its message."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

import msgspec

from agent_cli.core.errors import (
    AuthFailed,
    BadRequest,
    ContentFiltered,
    MalformedHistory,
    Overflow,
    Overloaded,
    ProviderError,
    QuotaExceeded,
    RateLimited,
    ServerFailed,
    ThinkingRefused,
)
from agent_cli.providers import overflow

SHOWN = 300
"""Characters of a server's own words that a message quotes."""
_DEPTH = 8
"""JSON inside JSON strings inside ... is followed this far."""
_OVERFLOW_STATUS = (None, 200, 400, 413, 422, 500)
"""llama.cpp says 500, LM Studio 200; everyone else 400, 413 or 422."""

_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance is too low|billing_(?:error|hard_limit)"
    r"|insufficient balance|payment required",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"rate.?limit|too many (?:requests|tokens)|per.minute|\bt(?:okens)?_?pm\b|throttl", re.IGNORECASE
)
_BUSY = re.compile(r"overloaded|service.?unavailable|no capacity", re.IGNORECASE)
_LATE = re.compile(r"deadline.?exceeded|timed out|timeout_error", re.IGNORECASE)
_AUTH = re.compile(
    r"authentication_error|invalid_api_key|incorrect api key|api key not valid|permission_error",
    re.IGNORECASE,
)
_MALFORMED = re.compile(
    r"ids were found without `?tool_result`? blocks"
    r"|unexpected `?tool_use_id`? found in `?tool_result`?"
    r"|must be followed by tool messages responding to each"
    r"|must be a response to a prece+ding message with '?tool_calls"
    r"|failed to parse tool call arguments as json"
    r"|each `?tool_use`? must have a single result"
    r"|ids must be unique"
    r"|roles must alternate"
    r"|must be passed back",
    re.IGNORECASE,
)
# The block was changed or is another account's (Anthropic), or the field is unknown (servers of the Chat wire).
_THINKING = re.compile(
    r"`?thinking`?.{0,60}blocks?.{0,60}cannot be modified"
    r"|blocks in the latest assistant message cannot be modified"
    r"|signature\W.{0,20}\bthinking|\bthinking\W.{0,20}signature"
    r"|\breasoning(?:_content|_details)?\W{1,3}.{0,20}(?:unsupported|not (?:supported|permitted|allowed)|unexpected)"
    r"|(?:extra inputs?|unknown|unrecognized|unexpected)\b.{0,60}\b(?:reasoning|reasoning_content|thinking)\b",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content_filter|content management policy|content_policy|moderation|invalid_prompt"
    r"|output blocked by content filtering",
    re.IGNORECASE,
)
_INTERNAL = re.compile(r"\bapi_error\b|internal.?server.?error|\bserver_error\b", re.IGNORECASE)


class Asked(msgspec.Struct, frozen=True):
    """Who was asked: the provider's name for messages, and what is needed to speak of its key without telling it."""

    who: str
    key_env: str
    api_key: str = ""


def classify(
    status: int | None,
    body: str,
    code: str | None = None,
    *,
    asked: Asked,
    retry_after: float | None = None,
) -> ProviderError:
    """Returns the error for a refused call. Vetoes come before overflow: a rate limit that speaks of tokens is
    no overflow.

    `body` is the response's text, JSON or not; `code` an error code seen elsewhere; `status` None when the
    refusal came inside a stream; `retry_after` is in seconds.
    """
    facts = list(_facts(body, _DEPTH)) if body.strip() else []
    text = " \n".join([*(fact.text for fact in facts), code or ""]).strip()
    said = _said(facts, body, asked)
    real, status = status, _status(status, facts)
    what = f"{said} [HTTP {status}]" if real is not None and real >= 400 else said
    error = _veto(status, text, what, asked) or _overflow(status, text, what, asked)
    error = error or _refusal(status, text, what, asked)
    error.retry_after = retry_after
    return error


def _overflow(status: int | None, text: str, what: str, asked: Asked) -> Overflow | None:
    sizes = overflow.find(text) if status in _OVERFLOW_STATUS else None
    if sizes is None and status in (400, 413) and not text:
        sizes = overflow.Sizes()  # Cerebras and Mistral send no body at all.
    if sizes is None:
        return None
    return Overflow(
        f"The conversation is too long for the model of {asked.who}: {what}. "
        "Compact it or choose a model with a larger window.",
        limit=sizes.limit,
        used=sizes.used,
        status=status,
    )


def _status(status: int | None, facts: list["_Fact"]) -> int | None:
    """The response's status, or the one that a gateway wrote into an error that came as a success."""
    if status is not None and status >= 400:
        return status
    codes = [fact.value for fact in facts if fact.key in ("code", "status", "status_code")]
    return next((int(code) for code in codes if re.fullmatch(r"[45]\d\d", code)), status)


def _veto(status: int | None, text: str, what: str, asked: Asked) -> ProviderError | None:
    """Quota, key and load: whatever else the text says, it is not about the messages."""
    who = asked.who
    if status == 402 or _QUOTA.search(text):
        return QuotaExceeded(
            f"The quota or credit of the account at {who} is used up: {what}. Check its billing page.",
            status=status,
        )
    if status in (401, 403) or (status != 429 and _AUTH.search(text)):
        return AuthFailed(
            f"{who} did not accept the key: {what}. Check {asked.key_env}, or api_key_env in the settings.",
            status=status,
        )
    if status in (503, 529) or (status != 429 and _BUSY.search(text)):
        return Overloaded(
            f"{who} has no capacity now: {what}. Try again in a while.",
            status=status,
        )
    if status == 429 or _RATE.search(text):
        return RateLimited(
            f"{who} limits the rate of requests: {what}. Wait a little and try again.",
            status=status,
        )
    if status in (408, 504) or _LATE.search(text):
        return ServerFailed(f"{who} took too long: {what}. Try again.", status=status)
    return None


def _refusal(status: int | None, text: str, what: str, asked: Asked) -> ProviderError:
    who = asked.who
    if status in (None, 200, 400, 422) and _THINKING.search(text):
        return ThinkingRefused(
            f"{who} refused the model's earlier thinking: {what}. Compact or start a new session.",
            status=status,
        )
    if _MALFORMED.search(text):
        return MalformedHistory(
            f"{who} refused the message list: {what}. Compact or start a new session.", status=status
        )
    if _FILTER.search(text):
        return ContentFiltered(
            f"A content filter of {who} stopped this: {what}. Say it in other words.", status=status
        )
    if status == 404:
        return BadRequest(
            f"{who} does not know this model or address: {what}. Check the model's name (-m) and the base URL.",
            status=status,
        )
    if (status or 0) >= 500 or status == 409 or (status in (None, 200) and _INTERNAL.search(text)):
        return ServerFailed(f"{who} had an internal error: {what}. Try again.", status=status)
    return BadRequest(f"{who} refused the request: {what}. Check the model and its settings.", status=status)


class _Fact(msgspec.Struct, frozen=True):
    """A scalar of the body, as `key: value`."""

    key: str
    value: str

    @property
    def text(self) -> str:
        return f"{self.key}: {self.value}" if self.key else self.value


def _facts(text: str, depth: int) -> Iterator[_Fact]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield _Fact("", text)
        return
    yield from _walk("", value, depth)


def _walk(key: str, value: object, depth: int) -> Iterator[_Fact]:
    """Walks JSON, and the JSON that gateways put into strings of it (OpenRouter, Vercel)."""
    if isinstance(value, dict) and depth:
        for name, item in value.items():
            yield from _walk(str(name), item, depth - 1)
    elif isinstance(value, list) and depth:
        for item in value:
            yield from _walk(key, item, depth - 1)
    elif isinstance(value, str) and depth and value.lstrip().startswith(("{", "[")):
        for fact in _facts(value, depth - 1):
            yield fact if fact.key else _Fact(key, fact.value)
    elif value is not None:
        yield _Fact(key, str(value))


def _said(facts: list[_Fact], body: str, asked: Asked) -> str:
    """The server's own words in one short line, without the key."""
    messages = [
        fact.value for fact in facts if fact.key in ("message", "error", "detail") and fact.value.strip()
    ]
    text = " ".join(": ".join(dict.fromkeys(messages or [body])).split())
    if "<html" in text[:200].lower():
        text = "it answered with a web page"
    text = redact(text, asked.api_key).rstrip(".") or "it gave no reason"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def redact(text: str, api_key: str) -> str:
    """Returns the text without the key, should a server echo it."""
    return text.replace(api_key, "[key]") if len(api_key) > 3 else text


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Returns the seconds a server asks to wait: from `retry-after-ms` or `retry-after` (seconds or an HTTP
    date), None for rubbish."""
    millis = _number(headers.get("retry-after-ms"))
    if millis is not None:
        return millis / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        then = parsedate_to_datetime(value)
        return max(0.0, (then - now).total_seconds())
    except (TypeError, ValueError):
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if number >= 0 and math.isfinite(number) else None
