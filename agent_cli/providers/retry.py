"""The one retry layer: the SDKs' own retries are off."""

import random
from collections.abc import AsyncGenerator
from contextlib import aclosing

from agent_cli.core.errors import ConnectionFailed, ProviderError
from agent_cli.core.events import ProviderEvent, Restarted
from agent_cli.core.models import ModelSpec, Request
from agent_cli.core.ports import Clock, Provider
from agent_cli.settings.schema import RetrySettings


class Retrying:
    """A provider that tries failed calls again: exponential waits with jitter, or as long as the server asks.

    Errors that a repetition cannot cure pass through at once. A broken stream is begun anew; `Restarted`
    tells listeners that what they showed of it is void.
    """

    def __init__(self, inner: Provider, settings: RetrySettings, clock: Clock) -> None:
        self._inner = inner
        self._settings = settings
        self._clock = clock

    @property
    def model(self) -> ModelSpec:
        """The model in use."""
        return self._inner.model

    async def stream(self, request: Request) -> AsyncGenerator[ProviderEvent, None]:
        """Runs one model call. Raises ProviderError: the last try's error, which says how many there were."""
        tries = max(1, self._settings.tries)
        began = self._clock.monotonic()
        for attempt in range(1, tries + 1):
            try:
                async with aclosing(self._inner.stream(request)) as events:
                    async for event in events:
                        yield event
            except ProviderError as error:
                delay = self._delay(error, attempt)
                if attempt == tries or not self._worth_it(error, delay, began):
                    _tell(error, attempt)
                    raise
                reason = str(error)
            else:
                return
            yield Restarted(attempt + 1, tries, delay, reason)
            await self._clock.sleep(delay)

    def warm(self) -> None:
        """Imports the provider's SDK ahead of the first call, where it has one; meant for a thread."""
        warm = getattr(self._inner, "warm", None)
        if warm is not None:
            warm()

    async def aclose(self) -> None:
        """Closes connections."""
        await self._inner.aclose()

    def _delay(self, error: ProviderError, attempt: int) -> float:
        """Seconds to wait before the next try."""
        if error.retry_after is not None:
            return error.retry_after
        delay = min(self._settings.max_delay, self._settings.base_delay * 2 ** (attempt - 1))
        return delay * random.uniform(0.75, 1.25)

    def _worth_it(self, error: ProviderError, delay: float, began: float) -> bool:
        if not error.retryable:
            return False
        if delay > self._settings.max_wait:
            return False
        # A server that cannot be reached at all is given up within `max_wait`, however slowly it fails.
        waited = self._clock.monotonic() - began + delay
        return not isinstance(error, ConnectionFailed) or waited <= self._settings.max_wait


def _tell(error: ProviderError, attempt: int) -> None:
    """Adds the number of tries, and the wait the server asked for, to the error's message."""
    text = str(error)
    if error.retryable and error.retry_after is not None:
        text += f" It asks to wait {error.retry_after:.0f} seconds."
    if attempt > 1:
        text += f" Tried {attempt} times."
    error.args = (text,)
