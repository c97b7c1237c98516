"""A server on 127.0.0.1 that sends exactly the bytes a test wants, and asks of both providers."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from agent_cli.core.events import Finished
from agent_cli.core.models import Completion, ModelSpec, Request
from agent_cli.providers.anthropic import Anthropic
from agent_cli.providers.openai_chat import OpenAIChat
from tests.build import user

KEY = "sk-secret-1234567890"
OPENAI = ModelSpec("openai", "gpt-x", 128_000, "test")
CLAUDE = ModelSpec("anthropic", "claude-x", 200_000, "test")


@dataclass
class Server:
    port: int = 0
    bodies: list[dict] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def ok(body: bytes, kind: str = "text/event-stream", **headers: str) -> bytes:
    return answer(200, body, kind, **headers)


def answer(status: int, body: bytes, kind: str = "application/json", **headers: str) -> bytes:
    lines = [
        f"HTTP/1.1 {status} X",
        f"content-type: {kind}",
        f"content-length: {len(body)}",
        "connection: close",
    ]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def cut(body: bytes) -> bytes:
    """An answer that promises more bytes than come before the connection closes."""
    return b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 999999\r\n\r\n" + body


def sse(*chunks: dict, done: bool = True) -> bytes:
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode()


def events(*chunks: dict) -> bytes:
    lines = [f"event: {chunk['type']}\ndata: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks]
    return "".join(lines).encode()


@asynccontextmanager
async def serving(*replies: bytes, silent: bool = False):
    """Sends one reply a request, the last one again and again; `silent` keeps the connection open after it."""
    server, count = Server(), 0

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            server.heads.append(head)
            length = [line for line in head.lower().split("\r\n") if line.startswith("content-length")]
            if length:
                server.bodies.append(json.loads(await reader.readexactly(int(length[0].split(":")[1]))))
            reply = replies[min(count, len(replies) - 1)]
            count += 1
            writer.write(reply)
            await writer.drain()
            if silent:
                await reader.read()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            server.closed.set()
            writer.close()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()


def request(*messages, **fields) -> Request:
    base = {"system": ("Be brief.",), "tools": (), "max_output": 1000}
    return Request(messages=messages or (user("hello"),), **{**base, **fields})


async def collect(provider, asked: Request | None = None) -> list:
    try:
        return [event async for event in provider.stream(asked or request())]
    finally:
        await provider.aclose()


def openai(server: Server, **fields) -> OpenAIChat:
    return OpenAIChat(OPENAI, **{"api_key": KEY, "base_url": f"{server.url}/v1", **fields})


def claude(server: Server, **fields) -> Anthropic:
    return Anthropic(CLAUDE, **{"api_key": KEY, "base_url": server.url, **fields})


def ask_openai(*replies: bytes, asked: Request | None = None, **fields) -> list:
    async def go() -> list:
        async with serving(*replies) as server:
            return await collect(openai(server, **fields), asked)

    return asyncio.run(go())


def ask_claude(*replies: bytes, asked: Request | None = None, **fields) -> list:
    async def go() -> list:
        async with serving(*replies) as server:
            return await collect(claude(server, **fields), asked)

    return asyncio.run(go())


def completion(events: list) -> Completion:
    assert isinstance(events[-1], Finished)
    return events[-1].completion
