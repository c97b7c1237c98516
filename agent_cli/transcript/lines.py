"""One entry as one line of JSON, and back."""

import json
import re
from typing import Any, get_args

import msgspec

from agent_cli.core.entries import Entry, Header, Unknown

_TAGS = frozenset(struct.__struct_config__.tag for struct in (Header, *get_args(Entry)))
_SURROGATES = re.compile("[\ud800-\udfff]")

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Header | Entry)
_type = msgspec.json.Decoder(Unknown)


def encode(entry: Header | Entry) -> bytes:
    """The line, newline included. Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD."""
    try:
        return _encoder.encode(entry) + b"\n"
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(entry), ensure_ascii=False, separators=(",", ":"))
        return _SURROGATES.sub("\ufffd", text).encode() + b"\n"


def decode(line: bytes) -> Header | Entry | Unknown | None:
    """The entry in a line; None when the line is damaged. Never raises, whatever the bytes are."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    try:
        found = _type.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return None if found.type in _TAGS else found


def complete(tail: bytes) -> bool:
    """Whether a line without its newline is whole all the same: a JSON object with a type (C68)."""
    try:
        _type.decode(tail)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return True
