"""What the Messages API refuses, each with the words it uses."""

from typing import Any

from agent_cli.providers.fakes.refusals import Received, Refusal, Rule

Dict = dict[str, Any]


def _key(received: Received) -> Refusal | None:
    bearer = received.headers.get("authorization", "").removeprefix("Bearer").strip()
    key = received.headers.get("x-api-key") or bearer
    if not key:
        return Refusal("x-api-key header is required", status=401)
    return None if key == received.house.api_key else Refusal("invalid x-api-key", status=401)


def _version(received: Received) -> Refusal | None:
    return (
        None
        if received.headers.get("anthropic-version")
        else Refusal("anthropic-version: header is required")
    )


KEY_RULES = (
    Rule("key", "https://docs.anthropic.com/en/api/errors", _key),
    Rule("version", "https://docs.anthropic.com/en/api/versioning", _version),
)
RULES = KEY_RULES
COUNT_RULES = KEY_RULES


def over_window(body: Dict, used: int, window: int) -> Refusal | None:
    """Returns the refusal of a request of `used` tokens that does not fit the window."""
    return Refusal(f"prompt is too long: {used} tokens > {window} maximum") if used > window else None
