"""Chat Completions: OpenAI and the many servers that speak its wire."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING

from agent_cli.core.events import ProviderEvent
from agent_cli.core.models import ModelSpec, Request
from agent_cli.providers.classify import Asked
from agent_cli.providers.exchange import CONNECT_TIMEOUT, Peer, run, translated
from agent_cli.providers.openai_answer import OpenAIAnswer
from agent_cli.providers.openai_wire import body
from agent_cli.settings.explain import masked

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OFFICIAL_URL = "https://api.openai.com/v1"


class OpenAIChat:
    """A model behind Chat Completions. `base_url` None is OpenAI itself; `idle_timeout` is in seconds."""

    def __init__(
        self, model: ModelSpec, *, api_key: str, base_url: str | None, idle_timeout: float = 120.0
    ) -> None:
        self._model = model
        self._url = (base_url or OFFICIAL_URL).rstrip("/")
        self._asked = Asked(model.provider, "OPENAI_API_KEY", api_key.strip())
        self._idle_timeout = idle_timeout
        self._lock = threading.Lock()
        self._client: AsyncOpenAI | None = None

    @property
    def model(self) -> ModelSpec:
        """The model in use."""
        return self._model

    def warm(self) -> None:
        """Imports the SDK (0.3-0.6 seconds) and makes the client; meant for a thread."""
        self.client()

    def client(self) -> "AsyncOpenAI":
        """Returns the SDK's client, made on first use. Its own retries are off."""
        import openai  # noqa: PLC0415 - slow to import, must not delay the prompt

        with self._lock:
            if self._client is None:
                self._client = openai.AsyncOpenAI(
                    api_key=self._asked.api_key or "none",
                    base_url=self._url,
                    max_retries=0,
                    timeout=openai.Timeout(self._idle_timeout, connect=CONNECT_TIMEOUT),
                )
            return self._client

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """Runs one model call. Raises ProviderError."""
        made = body(self._model, request, official=self._url.startswith("https://api.openai.com"))
        client = await asyncio.to_thread(self.client)
        # As an extra body: the SDK walks every message of a typed one, which takes 0.3 seconds in long sessions.
        opening = client.chat.completions.with_streaming_response.create(
            model=self._model.name, messages=(), stream=True, extra_body=made
        )
        answer = OpenAIAnswer(request.messages, self._asked)
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
        import openai  # noqa: PLC0415 - slow to import, must not delay the prompt

        return Peer(openai, self._asked, masked(self._url), self._idle_timeout)
