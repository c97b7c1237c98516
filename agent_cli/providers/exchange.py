"""One HTTP exchange of either wire: events out of the SDK's raw response, its exceptions into ours."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from types import ModuleType
from typing import Any, Protocol

from agent_cli.core.errors import AuthFailed, BadRequest, ConnectionFailed, ProviderError, StreamCut
from agent_cli.core.events import Finished, ProviderEvent
from agent_cli.core.models import Completion
from agent_cli.providers.classify import Asked, classify, redact, retry_after
from agent_cli.providers.sse import EventReader, ServerEvent

CONNECT_TIMEOUT = 8.0
"""Seconds to wait for a connection: five tries and their pauses stay under a minute."""
_DRAIN = 0.5
"""Seconds given to the last bytes after the answer's end, so that the connection can be used again."""


@dataclass(frozen=True, slots=True)
class Peer:
    """The server asked, for messages and error translation; `idle_timeout` is in seconds."""

    sdk: ModuleType
    asked: Asked
    url: str
    idle_timeout: float

    @property
    def who(self) -> str:
        """The provider's name."""
        return self.asked.who


class Assembly(Protocol):
    """Puts one answer together from a wire's events."""

    @property
    def complete(self) -> bool:
        """Whether what came so far is a whole answer."""
        ...

    @property
    def ended(self) -> bool:
        """Whether nothing more is to come."""
        ...

    def feed(self, event: ServerEvent) -> Iterable[ProviderEvent]:
        """Takes the next event. Raises ProviderError: the server reports a failure in the stream."""
        ...

    def completion(self, request_id: str) -> Completion:
        """The whole answer."""
        ...


async def run(
    opening: AbstractAsyncContextManager[Any], assembly: Assembly, peer: Peer
) -> AsyncGenerator[ProviderEvent, None]:
    """Streams one answer. Raises ProviderError: refused, not reachable, or cut before its end (C34)."""
    async with translated(peer), opening as response:
        async with aclosing(_received(response, assembly, peer)) as received:
            async for event in received:
                for made in assembly.feed(event):
                    yield made
        request_id = response.headers.get("x-request-id") or response.headers.get("request-id") or ""
    if not assembly.complete:
        raise StreamCut(f"The answer of {peer.who} ended before it was complete. Try again.")
    yield Finished(assembly.completion(request_id))


async def _received(response: Any, assembly: Assembly, peer: Peer) -> AsyncGenerator[ServerEvent, None]:
    import httpx2  # noqa: PLC0415 - slow to import, needed only once a provider is in use

    kind = response.headers.get("content-type", "")
    if "html" in kind:
        raise BadRequest(
            f"{peer.url} answered with a web page, not as a model. Check the base URL of {peer.who}."
        )
    if "application/json" in kind:
        yield ServerEvent("", (await response.read()).decode("utf-8", "replace"))
        return
    reader = EventReader()
    try:
        async with aclosing(response.iter_bytes()) as chunks:
            async for chunk in chunks:
                for event in reader.feed(chunk):
                    yield event
                if assembly.ended:
                    await _drain(chunks)
                    return
        for event in reader.close():
            yield event
    except httpx2.ReadTimeout as error:
        if not assembly.complete:
            raise StreamCut(
                f"{peer.who} sent nothing for {peer.idle_timeout:g} seconds in the middle of the answer. Try again."
            ) from error
    except httpx2.HTTPError as error:
        if not assembly.complete:
            raise StreamCut(
                f"The connection to {peer.who} broke off in the middle of the answer. Try again."
            ) from error


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN):
            async for _ in chunks:
                pass


@asynccontextmanager
async def translated(peer: Peer) -> AsyncIterator[None]:
    """Turns what the SDK raises before an answer begins into our errors."""
    sdk = peer.sdk
    try:
        yield
    except sdk.APIStatusError as error:
        response = error.response
        wait = retry_after(response.headers, datetime.now(UTC))
        raise classify(response.status_code, response.text, asked=peer.asked, retry_after=wait) from None
    except sdk.APIConnectionError as error:
        raise _unreachable(error, peer) from None
    except UnicodeEncodeError:
        raise AuthFailed(
            f"The key for {peer.who} holds characters that no key has. Check {peer.asked.key_env}."
        ) from None


def _unreachable(error: Exception, peer: Peer) -> ProviderError:
    import httpx2  # noqa: PLC0415 - slow to import, needed only once a provider is in use

    cause = error.__cause__
    match cause:
        case httpx2.UnsupportedProtocol() | httpx2.LocalProtocolError():
            reason = redact(str(cause), peer.asked.api_key)
            return BadRequest(
                f"{peer.url} cannot be asked: {reason}. Check the base URL and the key of {peer.who}."
            )
        case httpx2.ConnectTimeout():
            reason = f"no connection within {CONNECT_TIMEOUT:g} seconds"
        case httpx2.ReadTimeout():
            reason = f"it took the request and then sent nothing for {peer.idle_timeout:g} seconds"
        case httpx2.ConnectError():
            reason = str(cause) or "the connection was refused"
        case _:
            reason = "it closed the connection without an answer"
    return ConnectionFailed(
        f"Could not reach {peer.who} at {peer.url}: {reason}. Check the network and the base URL, then try again."
    )
