"""Why a request is refused: the shape of the rules that both wires' tables are made of."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

Dict = dict[str, Any]


class Refusal(msgspec.Struct, frozen=True):
    """A refusal as the real service words it; `param` and `code` are fields of OpenAI's errors."""

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400


class House(msgspec.Struct, frozen=True):
    """What the server offers and asks for; `window` is in tokens."""

    window: int
    api_key: str
    models: tuple[str, ...]
    require_reasoning: bool = False


class Received(msgspec.Struct, frozen=True):
    """A request before it is judged; header names are in lower case."""

    headers: dict[str, str]
    body: Dict
    house: House


class Rule(msgspec.Struct, frozen=True):
    """One thing the real service refuses; `source` says where that is known from.

    Rules are asked in the order of their table: each may rely on the ones before it.
    """

    name: str
    source: str
    check: Callable[[Received], Iterator[Refusal]]


def first_refusal(rules: Iterable[Rule], received: Received) -> Refusal | None:
    """Returns what the first broken rule says, None when all are kept."""
    return next((refusal for rule in rules for refusal in rule.check(received)), None)
