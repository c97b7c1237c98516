"""The "did you mean" of every message about an unknown word."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns ` Did you mean X?` for the nearest known word, or an empty string when none is near."""
    near = get_close_matches(word, list(known), n=1)
    return f" Did you mean {near[0]}?" if near else ""
