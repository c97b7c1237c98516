"""What a request and its answer cost: o200k tokens, and the part of the input that a prompt cache held."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import msgspec

from agent_cli.core.usage import Usage
from agent_cli.providers.fakes.replies import Reply, Wire
from agent_cli.tokens.count import IMAGE_TOKENS, MESSAGE_OVERHEAD, Counter

Dict = dict[str, Any]

_CACHE_MINIMUM = 1024
"""Shorter beginnings are not cached by either service."""
_CACHE_STEP = 128
_LOOKBACK = 20
"""Blocks before a mark in which the Messages API looks for an earlier entry."""


class Piece(msgspec.Struct, frozen=True):
    """A stretch of the request in the order a cache sees it; `marked` carries a cache breakpoint."""

    text: str
    tokens: int
    marked: bool = False


class Meter:
    """Counts for one server, and remembers what its prompt cache holds. Not thread-safe."""

    def __init__(self) -> None:
        self._counter = Counter()
        self._known: dict[str, int] = {}
        self._cached: set[bytes] = set()

    def pieces(self, wire: Wire, body: Dict) -> list[Piece]:
        """Returns the request's pieces: tools, then system, then messages."""
        made = [self._piece(tool) for tool in body.get("tools") or ()]
        if wire == "openai":
            return [*made, *(self._piece(message, MESSAGE_OVERHEAD) for message in body["messages"])]
        made += [self._piece(block) for block in _blocks(body.get("system") or [])]
        for message in body["messages"]:
            overhead = MESSAGE_OVERHEAD
            for block in _blocks(message["content"]):
                made.append(self._piece({**block, "role": message["role"]}, overhead))
                overhead = 0
        return made

    def input(self, wire: Wire, model: str, pieces: list[Piece]) -> Usage:
        """Returns the usage of the input and keeps its beginnings in the cache."""
        total = sum(piece.tokens for piece in pieces)
        keys = _prefix_keys(f"{wire}:{model}", pieces)
        sizes: list[int] = []
        for piece in pieces:
            sizes.append(piece.tokens + (sizes[-1] if sizes else 0))
        if wire == "openai":
            held = max(
                (size for key, size in zip(keys, sizes, strict=True) if key in self._cached), default=0
            )
            self._cached.update(keys)
            read = held // _CACHE_STEP * _CACHE_STEP if held >= _CACHE_MINIMUM else 0
            return Usage(input=total, cache_read=read)
        marks = [at for at, piece in enumerate(pieces) if piece.marked and sizes[at] >= _CACHE_MINIMUM]
        near = {at for mark in marks for at in range(max(0, mark - _LOOKBACK), mark + 1)}
        read = max((sizes[at] for at in near if keys[at] in self._cached), default=0)
        self._cached.update(keys[at] for at in marks)
        written = max(sizes[marks[-1]] - read, 0) if marks else 0
        return Usage(input=total, cache_read=read, cache_write=written)

    def output(self, reply: Reply) -> int:
        """Returns the tokens of an answer."""
        texts = [reply.text, reply.thinking, *(call.name + call.json for call in reply.calls)]
        return sum(self._count(text) for text in texts)

    def _piece(self, block: Dict, overhead: int = 0) -> Piece:
        bare = {name: value for name, value in block.items() if name != "cache_control"}
        tokens = overhead + sum(self._count(text) for text in _texts(bare)) + IMAGE_TOKENS * _images(bare)
        return Piece(json.dumps(bare), tokens, "cache_control" in block)

    def _count(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = self._counter.text(text)
        return self._known[text]


def _blocks(content: str | list[Dict]) -> list[Dict]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


_NOT_COUNTED = ("role", "type", "id", "tool_call_id", "tool_use_id", "signature", "is_error")


def _texts(block: Dict) -> Iterator[str]:
    """What a model reads of a message, block or tool: its texts, and its objects as JSON."""
    for name, value in block.items():
        if name in _NOT_COUNTED:
            continue
        if isinstance(value, dict) and name in ("source", "image_url"):
            continue
        if name in ("parameters", "input_schema", "input"):
            yield json.dumps(value, ensure_ascii=False)
        elif isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from _texts(value)
        elif isinstance(value, list):
            yield from (text for item in value if isinstance(item, dict) for text in _texts(item))


def _images(block: Dict) -> int:
    """The images in a message or block, tool results included."""
    content = block.get("content")
    inner = sum(_images(part) for part in content) if isinstance(content, list) else 0
    return inner + (block.get("type") in ("image", "image_url"))


def _prefix_keys(seed: str, pieces: list[Piece]) -> list[bytes]:
    key = seed.encode()
    keys = []
    for piece in pieces:
        key = hashlib.sha256(key + piece.text.encode()).digest()
        keys.append(key)
    return keys
