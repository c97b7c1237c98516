"""The debug log: what happens inside, in a file only its owner can read, without keys and without what was said."""

import logging
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agent_cli.core.events import (
    AgentEvent,
    Compacted,
    Notice,
    Restarted,
    StepStarted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    UsageReported,
)
from agent_cli.session.model_choice import accounts
from agent_cli.settings.schema import Settings

LOGGER = logging.getLogger("agent_cli")
FORMAT = "%(asctime)s %(levelname)s %(message)s"
_PASSWORD = re.compile(r"://[^/@\s:]*:([^/@\s]+)@")
_SHORTEST = 4
"""A secret shorter than this is part of ordinary words: hiding it would spoil the log and protect nothing."""


class Redacting(logging.Formatter):
    """Leaves keys out of every line, tracebacks included."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__(FORMAT)
        self._secrets = sorted(
            (secret for secret in secrets if len(secret) >= _SHORTEST), key=len, reverse=True
        )

    def format(self, record: logging.LogRecord) -> str:
        """The line without keys."""
        line = super().format(record)
        for secret in self._secrets:
            line = line.replace(secret, "[key]")
        return line


class DebugFile(logging.StreamHandler[Any]):
    """Appends to one file, 0600 from creation on. Raises OSError: it cannot be opened."""

    def __init__(self, path: Path, secrets: Iterable[str]) -> None:
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        descriptor = os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        os.fchmod(descriptor, 0o600)
        super().__init__(os.fdopen(descriptor, "a", encoding="utf-8", errors="replace"))
        self.path = path
        self.level_before = LOGGER.level
        self.setFormatter(Redacting(secrets))

    def close(self) -> None:
        """Closes the file."""
        self.stream.close()
        super().close()


def current() -> DebugFile | None:
    """The log that is being written, if any."""
    return next((handler for handler in LOGGER.handlers if isinstance(handler, DebugFile)), None)


def start(state: Path, settings: Settings, env: Mapping[str, str]) -> Path:
    """Begins or goes on with the log in the state folder and returns its path. Raises OSError."""
    running = current()
    if running is not None:
        return running.path
    handler = DebugFile(state / "debug.log", _secrets(settings, env))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.DEBUG)
    return handler.path


def stop() -> Path | None:
    """Ends the log and returns its path; None when there was none."""
    running = current()
    if running is None:
        return None
    LOGGER.removeHandler(running)
    LOGGER.setLevel(running.level_before)
    running.close()
    return running.path


def trace(event: AgentEvent) -> None:
    """Logs an event by its kind and sizes."""
    match event:
        case StepStarted(number):
            LOGGER.debug("step %d", number)
        case ToolStarted(call):
            LOGGER.debug("tool %s (%s) starts", call.name, call.id)
        case ToolFinished(call, result, denied=denied):
            how = "denied" if denied else "failed" if result.is_error else "done"
            LOGGER.debug("tool %s (%s) %s: %d characters", call.name, call.id, how, len(result.content))
        case UsageReported(usage, cost, purpose):
            LOGGER.debug("usage of a %s: %s, %s USD", purpose, usage, cost)
        case Restarted(attempt, attempts, delay, reason):
            LOGGER.debug("try %d of %d in %.1f s: %s", attempt, attempts, delay, reason)
        case Compacted() | Notice():
            LOGGER.debug("%s", event.entry.line() if isinstance(event, Compacted) else event.text)
        case TurnFinished(outcome, answer, steps, stop, error):
            LOGGER.debug(
                "turn %s after %d steps (%s): %d characters %s", outcome, steps, stop, len(answer), error
            )
        case _:
            pass


def _secrets(settings: Settings, env: Mapping[str, str]) -> set[str]:
    """Keys, and the passwords in base URLs."""
    known = accounts(settings, env).values()
    keys = {account.api_key.strip() for account in known if account.api_key}
    passwords = (_PASSWORD.search(account.base_url) for account in known if account.base_url)
    return keys | {found[1] for found in passwords if found}
