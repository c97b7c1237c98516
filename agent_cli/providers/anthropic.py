"""The Messages API of Anthropic, and of servers that speak its wire."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from agent_cli.core.events import ProviderEvent
from agent_cli.core.models import ModelSpec, Request
from agent_cli.providers.anthropic_answer import AnthropicAnswer
from agent_cli.providers.anthropic_wire import body
from agent_cli.providers.classify import Asked
from agent_cli.providers.exchange import CONNECT_TIMEOUT, Peer, run, translated
from agent_cli.settings.explain import masked

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

OFFICIAL_URL = "https://api.anthropic.com"


class Anthropic:
    """A model behind Messages. `base_url` None is Anthropic itself; `idle_timeout` is in seconds."""

    def __init__(
        self, model: ModelSpec, *, api_key: str, base_url: str | None, idle_timeout: float = 120.0
    ) -> None:
        self._model = model
        self._url = (base_url or OFFICIAL_URL).rstrip("/")
        self._asked = Asked(model.provider, "ANTHROPIC_API_KEY", api_key.strip())
        self._idle_timeout = idle_timeout
        self._lock = threading.Lock()
        self._client: AsyncAnthropic | None = None

    @property
    def model(self) -> ModelSpec:
        """The model in use."""
        return self._model

    def warm(self) -> None:
        """Imports the SDK (0.6-1.3 seconds) and makes the client; meant for a thread."""
        self.client()

    def client(self) -> "AsyncAnthropic":
        """Returns the SDK's client, made on first use. Its own retries are off."""
        import anthropic  # noqa: PLC0415 - slow to import, must not delay the prompt

        with self._lock:
            if self._client is None:
                self._client = anthropic.AsyncAnthropic(
                    api_key=self._asked.api_key or "none",
                    base_url=self._url,
                    max_retries=0,
                    timeout=anthropic.Timeout(self._idle_timeout, connect=CONNECT_TIMEOUT),
                )
            return self._client

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """Runs one model call. Raises ProviderError."""
        made: Any = body(self._model, request)
        client = await asyncio.to_thread(self.client)
        opening = client.messages.with_streaming_response.create(**made)
        answer = AnthropicAnswer(request.messages, self._asked)
        async with aclosing(run(opening, answer, self._peer())) as events:
            async for event in events:
                yield event

    async def list_models(self) -> list[str]:
        """Returns the ids of the models the server offers. Raises ProviderError."""
        client = await asyncio.to_thread(self.client)
        async with translated(self._peer()):
            return [model.id async for model in client.models.list()]

    async def aclose(self) -> None:
        """Closes connections."""
        if self._client is not None:
            await self._client.close()

    def _peer(self) -> Peer:
        import anthropic  # noqa: PLC0415 - slow to import, must not delay the prompt

        return Peer(anthropic, self._asked, masked(self._url), self._idle_timeout)
