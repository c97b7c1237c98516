"""What happened, as rich renderables: finished tool calls, compactions, notices. Nothing is parsed as markup."""

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from agent_cli.core.entries import Compaction
from agent_cli.core.events import Notice, Restarted, ToolFinished
from agent_cli.render.text import clean, one_line, visible

DIFF_LINES = 60
ERROR_LINES = 6
BODY_LINES = {"shell": 6, "todo": 30}
"""Lines of a tool's result that are worth showing; of others only their number is."""
_NOTICE = {"info": "dim", "warning": "yellow", "error": "red"}


def said(text: str) -> RenderableType:
    """What the user said."""
    first, *rest = clean(text).split("\n")
    return Text("\n".join([f"› {first}", *(f"  {line}" for line in rest)]), style="bold")


def finished(event: ToolFinished) -> RenderableType:
    """A tool call with its main argument and a short result."""
    failed = event.result.is_error
    head = Text.assemble(("● ", "red" if failed else "green"), (visible(event.call.name), "bold"))
    if event.title:
        head.append(f" {one_line(event.title)}")
    head.no_wrap, head.overflow = True, "ellipsis"
    return Group(head, *_result(event))


def compacted(entry: Compaction, cost_usd: float | None) -> RenderableType:
    """A compaction in one line."""
    how = "dropped oldest" if entry.layer == "TRUNCATE" else "compacted"
    money = f" · ${cost_usd:.4f}" if cost_usd else ""
    return Text(
        f"⇣ {how} ({entry.trigger}): {entry.messages_before} → {entry.messages_after} messages, "
        f"{entry.tokens_before:,} → {entry.tokens_after:,} tokens{money}",
        style="cyan",
    )


def notice(event: Notice) -> RenderableType:
    """A line for the user."""
    return Text(clean(event.text), style=_NOTICE[event.level])


def failure(text: str) -> RenderableType:
    """An error in the words that the user needs."""
    return Text(f"✗ {clean(text)}", style="red")


def restarted(event: Restarted, *, shown: bool) -> RenderableType:
    """A call that is tried again; `shown`: part of its answer stands above and is void."""
    void = " What stands above of this answer is void." if shown else ""
    return Text(
        f"… {one_line(event.reason)} Try {event.attempt} of {event.attempts} in {event.delay:.1f} s.{void}",
        style="yellow",
    )


def plain(text: str, style: str = "") -> RenderableType:
    """Text as it is."""
    return Text(clean(text), style=style)


def diff(text: str, limit: int = DIFF_LINES, *, spell: bool = False) -> RenderableType:
    """A unified diff in colour, cut after `limit` lines (0: never); `spell` makes hidden characters visible."""
    lines = (visible if spell else clean)(text).split("\n")
    shown = lines[:limit] if limit else lines
    made = Text()
    for line in shown:
        made.append(f"{line}\n", style=_diff_style(line))
    if len(shown) < len(lines):
        made.append(f"… {len(lines) - len(shown)} more lines\n", style="dim")
    made.right_crop(1)
    return made


def _diff_style(line: str) -> str:
    match line[:1]:
        case "+":
            return "green"
        case "-":
            return "red"
        case "@":
            return "cyan"
        case _:
            return "dim"


def _result(event: ToolFinished) -> list[RenderableType]:
    if event.denied:
        return [_body([f"not allowed: {one_line(event.result.content)}"], "yellow")]
    if event.display and not event.result.is_error:
        lines = event.display.split("\n")
        changed = "\n".join(line for line in lines if not line.startswith(("--- ", "+++ ")))
        return [_indented(diff(changed))]
    lines = clean(event.result.content).strip("\n").split("\n")
    if event.result.is_error:
        return [_body(_last(lines, ERROR_LINES), "red")]
    limit = BODY_LINES.get(event.call.name, 0)
    if limit:
        return [_body(_last(lines, limit), "dim")]
    return [_body([lines[0] if len(lines) == 1 else f"{len(lines):,} lines"], "dim")]


def _last(lines: list[str], limit: int) -> list[str]:
    if len(lines) <= limit:
        return lines
    return [f"… {len(lines) - limit + 1:,} lines above", *lines[1 - limit :]]


def _body(lines: list[str], style: str) -> RenderableType:
    text = Text("\n".join(lines), style=style, no_wrap=True, overflow="ellipsis")
    return _indented(text)


def _indented(body: RenderableType) -> RenderableType:
    return Padding(body, (0, 0, 0, 2))
