"""The permission gate before every tool call."""

import asyncio
from typing import Any, assert_never

from agent_cli.core.ports import Approver, Tool
from agent_cli.core.tools import Question
from agent_cli.permissions.decide import Permissions


class Gate:
    """Asks the rules, and where they say so the user; one question at a time."""

    def __init__(self, permissions: Permissions, approver: Approver) -> None:
        self.permissions = permissions
        self.approver = approver
        self._asking = asyncio.Lock()

    async def refusal(self, tool: Tool, args: Any) -> str | None:
        """Returns why the call may not run, or None when it may. Raises ToolFailure: the arguments make no sense."""
        name = tool.spec.name
        accesses = tool.access(args)
        async with self._asking:
            decision = self.permissions.decide(name, accesses, read_only=tool.read_only)
            if decision.verdict == "allow":
                return None
            if decision.verdict == "deny":
                return decision.reason
            question = Question(name, tool.title(args), tool.preview(args), decision.reason)
            answer = await self.approver.approve(question)
            match answer.choice:
                case "once":
                    return None
                case "session":
                    self.permissions.allow_for_session(name, accesses)
                    return None
                case "always":
                    self.permissions.remember(name, accesses)
                    return None
                case "no":
                    return answer.feedback or "The user said no."
                case _:
                    assert_never(answer.choice)
