"""What fills the window, for `/context info` (G2)."""

from collections.abc import Iterable

import msgspec

from agent_cli.context.draft import Draft, Drafter
from agent_cli.core.messages import Message, Role
from agent_cli.settings.schema import ContextMode


class ContextInfo(msgspec.Struct, frozen=True):
    """Tokens are the model's own. The five rows from `system` to `tool_definitions` add up to `total`."""

    system: int
    user: int
    assistant: int
    tool_messages: int
    tool_definitions: int
    total: int
    maximum: int
    usable: int
    threshold: int
    mode: ContextMode
    override: ContextMode | None
    default: ContextMode
    ratio: float
    source: str
    """reported: by the provider for the last request; counted: by its tokenizer; estimated: from characters."""
    window_source: str


def measure(
    draft: Draft, drafter: Drafter, *, mode: ContextMode, override: ContextMode | None, default: ContextMode
) -> ContextInfo:
    """Divides the size of the next request among what it is made of."""
    counter = drafter.counter
    fixed = drafter.fixed.current()
    system = counter.fixed(fixed.system, ())
    rows = [system, *(counter.messages(_of(draft.messages, role)) for role in ("user", "assistant", "tool"))]
    rows.append(drafter.fixed_tokens() - system)
    own = _scaled(rows, draft.size)
    return ContextInfo(
        *own,
        total=draft.size,
        maximum=draft.budget.window,
        usable=draft.budget.usable,
        threshold=draft.budget.trigger,
        mode=mode,
        override=override,
        default=default,
        ratio=round(counter.ratio, 3),
        source=_source(draft, drafter),
        window_source=_window_source(drafter),
    )


def as_dict(info: ContextInfo) -> dict[str, object]:
    """For JSON output."""
    return msgspec.to_builtins(info)


def as_text(info: ContextInfo) -> str:
    """An aligned table without markup."""
    override = (
        f"{info.override} (default {info.default})" if info.override else f"none (default {info.default})"
    )
    rows = {
        "system": info.system,
        "user": info.user,
        "assistant": info.assistant,
        "tool messages": info.tool_messages,
        "tool definitions": info.tool_definitions,
        "total": info.total,
        "threshold": info.threshold,
        "usable": info.usable,
    }
    share = {name: 100 * tokens / max(1, info.usable) for name, tokens in rows.items()}
    return "\n".join(
        [
            f"{'Context':<18}{'tokens':>12}{'of usable':>12}",
            *(f"{name:<18}{tokens:>12,}{share[name]:>10.1f} %" for name, tokens in rows.items()),
            f"{'maximum':<18}{info.maximum:>12,}  {info.window_source}",
            f"{'count':<18}  {info.source}, ratio {info.ratio:g}",
            f"{'mode':<18}  {info.mode}",
            f"{'override':<18}  {override}",
        ]
    )


def _of(messages: Iterable[Message], role: Role) -> Iterable[Message]:
    return (message for message in messages if message.role == role)


def _scaled(rows: list[int], total: int) -> list[int]:
    """The rows in proportion, so that they add up to `total`; the largest takes what rounding leaves."""
    whole = sum(rows)
    if not whole:
        return rows
    scaled = [row * total // whole for row in rows]
    scaled[scaled.index(max(scaled))] += total - sum(scaled)
    return scaled


def _window_source(drafter: Drafter) -> str:
    learned = drafter.learned is not None and drafter.window == drafter.learned
    return "named by the provider's error" if learned else drafter.model.window_source


def _source(draft: Draft, drafter: Drafter) -> str:
    anchor = draft.view.anchor
    if anchor is not None and anchor.model == drafter.model.id:
        return "reported"
    return "counted" if drafter.counter.exact else "estimated"
