"""What both wires need to send a reply: fresh ids, pieces, stop words."""

import hashlib
from collections.abc import Mapping

import msgspec

from agent_cli.providers.fakes.replies import Reply


class Shaped(msgspec.Struct, frozen=True):
    """A stream's events: those that carry the answer, and those that end it."""

    content: list[bytes]
    ending: list[bytes]


class Ids(msgspec.Struct, frozen=True):
    """Ids that are the same for the same request and script, and else never repeat."""

    seed: str

    def answer(self, prefix: str) -> str:
        """Returns the id of the answer."""
        return prefix + self._hash("answer")

    def call(self, prefix: str, index: int) -> str:
        """Returns the id of the call at this position."""
        return prefix + self._hash(f"call {index}")

    def _hash(self, what: str) -> str:
        return hashlib.sha256(f"{self.seed}:{what}".encode("utf-8", "surrogatepass")).hexdigest()[:24]


def cut_up(text: str, size: int) -> list[str]:
    """Returns the text in pieces of `size` characters."""
    return [text[start : start + size] for start in range(0, len(text), max(1, size))]


def stopped(reply: Reply, words: Mapping[str, str], ended: str, calls: str) -> str:
    """Returns the reason to stop in the wire's word."""
    if reply.stop is None:
        return calls if reply.calls else ended
    return words.get(reply.stop, reply.stop)
