"""The real clock."""

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """Time as this machine has it."""

    def now(self) -> datetime:
        """The wall time, UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)
