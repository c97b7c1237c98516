"""`/diff`: what has changed in the work tree since the last commit."""

from agent_cli.commands.registry import Command, Emit, Reply
from agent_cli.core.errors import AgentError
from agent_cli.render.text import visible
from agent_cli.session.opened import Opened
from agent_cli.workspace.git_diff import Changes, changes


async def diff(opened: Opened, args: str, emit: Emit) -> Reply:
    """The diff of tracked files and the names of untracked ones."""
    if opened.place.git_root is None:
        return Reply(f"{opened.place.cwd} is in no git repository.", error=True)
    try:
        found = await changes(opened.place.cwd)
    except AgentError as error:
        return Reply(str(error), error=True)
    data = {"diff": found.diff, "untracked": list(found.untracked), "cut": found.cut}
    return Reply(_text(found), data=data)


def _text(found: Changes) -> str:
    blocks = [visible(found.diff).rstrip("\n")] if found.diff else []
    if found.untracked:
        blocks.append("\n".join(["Untracked files:", *(f"  {name}" for name in found.untracked)]))
    if found.cut:
        blocks.append("(cut: there is more than is shown; run git diff for all of it)")
    return "\n\n".join(blocks) or "Nothing has changed since the last commit."


COMMANDS = (Command(("diff",), "/diff", "what has changed in the git work tree", diff, while_busy=True),)
