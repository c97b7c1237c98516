"""What Chat Completions refuses, each with the words it uses."""

from typing import Any

from agent_cli.providers.fakes.refusals import Received, Refusal, Rule

Dict = dict[str, Any]


def _key(received: Received) -> Refusal | None:
    given = received.headers.get("authorization", "")
    if not given.removeprefix("Bearer").strip():
        return Refusal(
            "You didn't provide an API key. You need to provide your API key in an Authorization header using "
            "Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
            status=401,
        )
    key = given.removeprefix("Bearer").strip()
    if key == received.house.api_key:
        return None
    return Refusal(
        f"Incorrect API key provided: {key[:4]}***. You can find your API key at "
        "https://platform.openai.com/account/api-keys.",
        code="invalid_api_key",
        status=401,
    )


KEY_RULES = (Rule("key", "https://platform.openai.com/docs/guides/error-codes", _key),)
RULES = KEY_RULES


def over_window(body: Dict, used: int, window: int) -> Refusal | None:
    """Returns the refusal of a request of `used` tokens that does not fit the window."""
    if used > window:
        return Refusal(
            f"This model's maximum context length is {window} tokens. However, your messages resulted in {used} "
            "tokens. Please reduce the length of the messages.",
            "messages",
            "context_length_exceeded",
        )
    return None
