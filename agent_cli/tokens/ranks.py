"""The o200k_base encoding from package data: exact, and never over the network (case C39)."""

import gzip
import hashlib
from base64 import b64decode
from functools import cache
from importlib import resources
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import tiktoken

SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Of the unpacked rank file, as tiktoken itself expects it."""
# How o200k_base cuts text into words before merging bytes: words with their capitals, numbers of up to three
# digits, punctuation, line ends, other spaces.
_UPPER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_PATTERN = "|".join(  # noqa: FLY002 - one alternative a line
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
_lock = Lock()


def encoding() -> "tiktoken.Encoding":
    """The encoding, loaded once at the first call (about 0.3 s). Raises ImportError, ValueError: it cannot be."""
    with _lock:
        return _load()


@cache
def _load() -> "tiktoken.Encoding":
    import tiktoken

    data = gzip.decompress(
        (resources.files("agent_cli.tokens") / "data" / "o200k_base.tiktoken.gz").read_bytes()
    )
    if hashlib.sha256(data).hexdigest() != SHA256:
        raise ValueError("the o200k_base rank file is damaged; install the package again")
    words = data.split()
    ranks = dict(zip(map(b64decode, words[::2]), map(int, words[1::2]), strict=True))
    return tiktoken.Encoding("o200k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})
