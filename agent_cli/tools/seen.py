"""What the model has seen of each file, so that nothing it does not know of is overwritten (C55)."""

from hashlib import sha256
from pathlib import Path
from typing import Literal


class SeenFiles:
    """Remembers a hash of each file's content as it was last read or written in this session; times and sizes are not
    trusted, since a change may keep both."""

    def __init__(self) -> None:
        self._hashes: dict[Path, bytes] = {}

    def note(self, path: Path, data: bytes) -> None:
        """The model has read, or we have written, this content."""
        self._hashes[path] = sha256(data).digest()

    def state(self, path: Path, data: bytes) -> Literal["same", "changed", "never"]:
        """How the content on disk now stands to what the model knows."""
        known = self._hashes.get(path)
        if known is None:
            return "never"
        return "same" if known == sha256(data).digest() else "changed"
