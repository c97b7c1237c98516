"""Bare requests, for what the SDKs would not send, and valid ones to start from."""

import http.client
import json
from typing import Any

from agent_cli.providers.fakes import FakeServer, Reply

KEYS = {
    "openai": {"authorization": "Bearer test-key"},
    "anthropic": {"x-api-key": "test-key", "anthropic-version": "2023-06-01"},
}
PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}


def ask(
    server: FakeServer, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[int, Any]:
    """`body` is sent as JSON, bytes as they are."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", int(server.anthropic_url.rsplit(":", 1)[1]), timeout=10
    )
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    try:
        connection.request(method, path, data, headers or {})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def post(
    wire: str, body: Any, headers: dict[str, str] | None = None, **options: Any
) -> tuple[int, Any, FakeServer]:
    """Sends one request to a fresh server with a big window unless told otherwise."""
    options.setdefault("window", 100_000)
    with FakeServer(lambda seen: Reply("ok"), **options) as server:
        status, answer = ask(server, "POST", PATHS[wire], body, KEYS[wire] if headers is None else headers)
    return status, answer, server


def said(answer: Any) -> str:
    return answer["error"]["message"]
