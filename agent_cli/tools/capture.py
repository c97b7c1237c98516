"""A program's output in bounded memory: its beginning and its end, the rest counted."""

from agent_cli.tools.text import clean

KEPT_BYTES = 1024 * 1024
"""Bytes kept of each end."""


class Capture:
    """Takes output piece by piece."""

    def __init__(self, kept: int = KEPT_BYTES) -> None:
        self.size = 0
        self._kept = kept
        self._head = bytearray()
        self._tail = bytearray()

    def add(self, data: bytes) -> None:
        """Appends a piece."""
        self.size += len(data)
        room = self._kept - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        # Twice the size is let grow before it is cut, so that cutting costs little per byte.
        if len(self._tail) > 2 * self._kept:
            del self._tail[: -self._kept]

    def last(self, count: int) -> bytes:
        """The newest `count` bytes, or what there is."""
        return bytes((self._tail or self._head)[-count:])

    def text(self) -> str:
        """The cleaned output, with a note of the bytes left out between its two ends."""
        tail = bytes(self._tail[-self._kept :])
        left_out = self.size - len(self._head) - len(tail)
        if not left_out:
            return clean(bytes(self._head) + tail)
        head = clean(whole_characters(bytes(self._head)))
        return f"{head}\n[{left_out:,} bytes left out of {self.size:,}]\n{clean(whole_characters(tail))}"


def whole_characters(data: bytes) -> bytes:
    """The bytes without the parts of UTF-8 characters that were cut at either end."""
    start = next((i for i, byte in enumerate(data[:3]) if byte & 0xC0 != 0x80), 0)
    for back in range(1, min(4, len(data)) + 1):
        lead = data[-back]
        if lead & 0xC0 == 0x80:
            continue
        needed = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        return data[start : len(data) - back] if needed > back else data[start:]
    return data[start:]
