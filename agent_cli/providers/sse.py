"""Server-sent events out of bytes, in pieces of any size.

The SDKs' own stream classes hide the `[DONE]` mark and stop at the first line that is not JSON.
"""

import codecs

import msgspec


class ServerEvent(msgspec.Struct, frozen=True):
    """One event: its name, empty when the server gave none, and its data lines joined by newlines."""

    name: str
    data: str


class EventReader:
    """Feed it the body's bytes; it returns the events completed so far."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._rest = ""
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Takes the next bytes."""
        # Only \n, \r\n and \r end a line here; str.splitlines would also cut at U+2028 inside JSON.
        text = self._rest + self._decoder.decode(chunk)
        held = "\r" if text.endswith("\r") else ""
        lines = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._rest = lines.pop() + held
        return [event for line in lines if (event := self._line(line)) is not None]

    def close(self) -> list[ServerEvent]:
        """Returns the last event of a body that ends without a blank line."""
        return self.feed(self._decoder.decode(b"", final=True).encode() + b"\n\n")

    def _line(self, line: str) -> ServerEvent | None:
        if not line:
            event = ServerEvent(self._name, "\n".join(self._data)) if self._data else None
            self._name, self._data = "", []
            return event
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match field:
            case "data":
                self._data.append(value)
            case "event":
                self._name = value
        return None
