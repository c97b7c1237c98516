"""tiktoken's own definition of o200k_base, fed from the packed ranks: what counts are compared with."""

import base64
import gzip
import hashlib
from functools import cache
from importlib import resources

import tiktoken
import tiktoken_ext.openai_public as published


@cache
def reference() -> tiktoken.Encoding:
    packed = resources.files("agent_cli.tokens") / "data" / "o200k_base.tiktoken.gz"
    content = gzip.decompress(packed.read_bytes())

    def load(url, expected_hash):
        assert hashlib.sha256(content).hexdigest() == expected_hash
        return dict(_rank(line) for line in content.splitlines())

    original, published.load_tiktoken_bpe = published.load_tiktoken_bpe, load
    try:
        return tiktoken.Encoding(**published.o200k_base())
    finally:
        published.load_tiktoken_bpe = original


def _rank(line: bytes) -> tuple[bytes, int]:
    token, rank = line.split()
    return base64.b64decode(token), int(rank)


def expected(text: str) -> int:
    return len(reference().encode(text, disallowed_special=()))
