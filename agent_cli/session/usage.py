"""What a whole session has used, from the usage entries of its transcript."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from agent_cli.core.entries import Compaction, Entry, UsageEntry
from agent_cli.core.usage import Usage


@dataclass(frozen=True, slots=True)
class Spent:
    """Sums over model calls. `cost_usd` holds the calls whose price is known; `unpriced` counts the others."""

    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0
    unpriced: int = 0
    compactions: int = 0


def spent(entries: Iterable[Entry]) -> Spent:
    """Adds up a session's entries. A session forked from another one counts what it took over."""
    total = Spent()
    for entry in entries:
        match entry:
            case UsageEntry(usage=usage, cost_usd=cost):
                total = replace(
                    total,
                    calls=total.calls + 1,
                    usage=total.usage + usage,
                    cost_usd=total.cost_usd + (cost or 0.0),
                    unpriced=total.unpriced + (cost is None),
                )
            case Compaction():
                total = replace(total, compactions=total.compactions + 1)
            case _:
                continue
    return total
