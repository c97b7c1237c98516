"""What was typed in this project, newest first, in a file only its owner can read."""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.history import History

from agent_cli.transcript.private import FILE, make_folder

READ_BYTES = 1_000_000
LONGEST = 20_000
"""Characters; longer messages are pastes and not worth going back to."""


class ProjectHistory(History):
    """One JSON string a line. It is a convenience: a disk that refuses is passed over."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """The newest first; a damaged line is skipped."""
        try:
            with self._path.open("rb") as file:
                file.seek(max(0, self._path.stat().st_size - READ_BYTES))
                lines = file.read().splitlines()
        except OSError:
            return
        for line in reversed(lines):
            with suppress(ValueError):
                text = json.loads(line)
                if isinstance(text, str):
                    yield text

    def store_string(self, string: str) -> None:
        """Adds one, unless it is very long."""
        if len(string) > LONGEST:
            return
        data = json.dumps(string, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with suppress(OSError):
            make_folder(self._path.parent)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, FILE)
            with os.fdopen(descriptor, "ab") as file:
                file.write(data)
