"""The text that stands in the view for messages that left it."""

import re
from collections.abc import Mapping

from agent_cli import prompts

TAGS = (
    "earlier_conversation",
    "transcript",
    "summary",
    "users_messages",
    "todo_list",
    "files_changed",
    "files_read",
    "commands_run",
    "messages",
    "previous_summary",
    "current_request",
)
_NAME = rf"(?=/?(?:{'|'.join(TAGS)})\s*>)"
_TAG = re.compile(f"<{_NAME}", re.IGNORECASE)
_ESCAPED = re.compile(f"&lt;{_NAME}", re.IGNORECASE)
_SUMMARY = re.compile(r"<summary>\n(.*?)\n</summary>", re.DOTALL)


def compose(summary: str, facts: Mapping[str, str], *, transcript: str = "", stale: bool = False) -> str:
    """The recap: labelled as a record and not a request (C17), the model's summary, then the machine's notes.

    `transcript` is the path the whole conversation can be read at (J3); `stale` says that the newest part is not
    in the summary.
    """
    parts = {"transcript": transcript, "summary": summary, **facts}
    shown = [f"<{tag}>\n{escape(text)}\n</{tag}>" for tag, text in parts.items() if text]
    if stale and summary:
        shown.insert(2 if transcript else 1, prompts.load("context_recap_stale"))
    return prompts.fill("context_recap", sections="\n\n".join(shown))


def summary_in(recap: str) -> str:
    """The model's summary inside a recap, as it was given to `compose`; empty when there is none."""
    found = _SUMMARY.search(recap)
    return _ESCAPED.sub("<", found[1]) if found else ""


def escape(text: str) -> str:
    """Our own tags inside quoted text made harmless, so that nothing quoted can end its section."""
    return _TAG.sub("&lt;", text)
