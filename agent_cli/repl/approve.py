"""Permission questions: the exact command or diff, then yes once, this session, always, no, or something else."""

from rich.console import Group
from rich.text import Text

from agent_cli.core.tools import Answer, Question
from agent_cli.render import events
from agent_cli.render.text import visible
from agent_cli.repl.menu import Choice
from agent_cli.repl.settle import settled
from agent_cli.repl.surface import Surface

_CHOICES = (
    Choice("once", "yes, this once", "y"),
    Choice("session", "yes, and exactly this again in this session", "a"),
    Choice("always", "yes, and exactly this always in this project", "p"),
    Choice("no", "no", "n"),
    Choice("instead", "no, and tell it what to do instead", "e"),
)
_SHOWN = {
    "once": "allowed once",
    "session": "allowed for this session",
    "always": "always allowed here",
    "no": "refused",
}


class Approve:
    """Asks the person at the screen."""

    def __init__(self, screen: Surface) -> None:
        self._screen = screen

    async def approve(self, question: Question) -> Answer:
        """Shows what would be done, whole and with nothing hidden, and waits (C63, C65)."""
        await settled(self._screen)
        self._screen.print(_asked(question))
        chosen = await self._screen.choose(f"Allow {visible(question.tool)}?", _CHOICES, guarded=True)
        answer = await self._answer(chosen)
        self._screen.begin("working")
        told = f": {answer.feedback}" if answer.feedback else ""
        self._screen.print(events.plain(f"  {_SHOWN[answer.choice]}{told}", "dim"), "answer")
        return answer

    async def _answer(self, chosen: str | None) -> Answer:
        match chosen:
            case "once" | "session" | "always":
                return Answer(chosen)
            case "instead":
                told = await self._screen.ask_line("instead › ")
                return Answer("no", (told or "").strip())
            case _:
                return Answer("no")


def _asked(question: Question) -> Group:
    head = Text.assemble(("? ", "yellow"), (visible(question.tool), "bold"), f" {visible(question.reason)}")
    if question.detail.startswith("--- "):
        return Group(head, events.diff(question.detail, 0, spell=True))
    return Group(head, Text("\n".join(f"    {line}" for line in visible(question.detail).split("\n"))))
