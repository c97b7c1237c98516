"""The o200k_base encoding from package data: exact, and never over the network (case C39)."""

import gzip
import hashlib
import zlib
from binascii import a2b_base64
from functools import cache
from importlib import resources
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Of the unpacked rank file, as tiktoken itself expects it."""

# How o200k_base cuts text into words before merging bytes: words with their capitals, numbers of up to three
# digits, punctuation, line ends, other spaces.
_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_PATTERN = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+{_SUFFIX}",
        rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*{_SUFFIX}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
_loading = Lock()


def encoding() -> "Encoding | None":
    """The encoding, or None where tiktoken or its ranks cannot be loaded.

    Loaded at the first call (about 0.2 s and 50 MB) and tried once; every thread gets the same object.
    """
    with _loading:
        return _load()


@cache
def _load() -> "Encoding | None":
    try:
        from tiktoken import Encoding  # noqa: PLC0415 - slow to import, must not delay the prompt

        ranks = _read_ranks()
    except (ImportError, OSError, EOFError, zlib.error, ValueError):
        return None
    # No special tokens: markers such as <|endoftext|> in a text are plain text (C38).
    built = Encoding("o200k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
    # The native core has its own copy; this one would only serve pickling, at 27 MB.
    ranks.clear()
    return built


def _read_ranks() -> dict[bytes, int]:
    """Token bytes to rank. Raises OSError, EOFError, zlib.error, ValueError: the file is missing or damaged."""
    packed = resources.files("agent_cli.tokens") / "data" / "o200k_base.tiktoken.gz"
    content = gzip.decompress(packed.read_bytes())
    if hashlib.sha256(content).hexdigest() != SHA256:
        raise ValueError("the o200k_base rank file is damaged")
    # Each line is "BASE64 RANK" and ranks count up from 0, so the order says it all.
    tokens = content.split()[::2]
    return dict(zip(map(a2b_base64, tokens), range(len(tokens)), strict=True))
