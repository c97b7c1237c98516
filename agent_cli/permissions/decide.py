"""May this call run? Deny rules, then plan mode, then ask rules, then whatever allows it; else the user is asked."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent_cli.core.errors import SettingsError, UsageError
from agent_cli.core.tools import Access, ReadPath, RunCommand, WritePath
from agent_cli.permissions import path_globs, shell_words
from agent_cli.permissions.modes import OWN_STATE, Ground, why_ask
from agent_cli.permissions.remember import Consent, Remembered, consent
from agent_cli.permissions.rules import Rule, parse_rules
from agent_cli.prompts import fill, load
from agent_cli.settings.schema import PermissionMode


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do with a call; `reason` is for the user and for the model."""

    verdict: Literal["allow", "ask", "deny"]
    reason: str = ""


_ALLOW = Decision("allow")


class Permissions:
    """The permission state of a session. `mode` may be changed at any time."""

    def __init__(
        self,
        mode: PermissionMode,
        *,
        allow: Iterable[str],
        ask: Iterable[str],
        deny: Iterable[str],
        root: Path,
        inside: Callable[[Path], bool],
        readable: Callable[[Path], bool],
        remembered: Remembered,
        protected: Sequence[Path] = (),
        tools: Collection[str] = (),
    ) -> None:
        """`root` is the project's folder that path patterns start from; `protected` folders are never written
        without asking; `tools` are the names that rules may use (empty: any).

        Raises SettingsError: a rule is malformed or names no tool.
        """
        self.mode: PermissionMode = mode
        self._allow = _parsed("allow", allow, tools)
        self._ask = _parsed("ask", ask, tools)
        self._deny = _parsed("deny", deny, tools)
        self._ground = Ground(
            root.resolve(), inside, readable, tuple(folder.resolve() for folder in protected)
        )
        self.remembered = remembered
        self._session: set[Consent] = set()

    @property
    def session_consents(self) -> frozenset[Consent]:
        """What the user allowed until the session ends."""
        return frozenset(self._session)

    def decide(self, tool_name: str, accesses: Sequence[Access], *, read_only: bool) -> Decision:
        """Decides about one call from all that it would touch."""
        harmless = not accesses and (read_only or tool_name in OWN_STATE)
        touched = accesses or (None,)
        if rule := self._forbidding(self._deny, tool_name, touched):
            return Decision("deny", fill("permissions/deny_rule", rule=str(rule)))
        if (
            self.mode == "plan"
            and not harmless
            and not all(isinstance(access, ReadPath) for access in touched)
        ):
            return Decision("deny", fill("permissions/deny_plan", tool=tool_name))
        for access in touched:
            reason = self._why_ask(tool_name, access, harmless)
            if reason is not None:
                return Decision("ask", reason)
        return _ALLOW

    def allow_for_session(self, tool: str, accesses: Sequence[Access]) -> None:
        """Allows exactly this until the session ends."""
        self._session.update(consent(tool, access) for access in accesses or (None,))

    def remember(self, tool: str, accesses: Sequence[Access]) -> None:
        """Allows exactly this from now on, in this project. Raises AgentError: it cannot be saved."""
        self.allow_for_session(tool, accesses)
        self.remembered.add(consent(tool, access) for access in accesses or (None,))

    def _why_ask(self, tool: str, access: Access | None, harmless: bool) -> str | None:
        given = consent(tool, access)
        if given in self._session:
            return None
        if self._hidden(tool, access) and given not in self.remembered:
            return load("permissions/ask_hidden")
        if self.mode == "yolo":
            return None
        if rule := self._forbidding(self._ask, tool, (access,)):
            return fill("permissions/ask_rule", rule=str(rule))
        if given in self.remembered or any(self._covers(rule, tool, access) for rule in self._allow):
            return None
        if access is None:
            return None if harmless else fill("permissions/ask_tool", tool=tool)
        return why_ask(self.mode, tool, access, self._ground)

    def _forbidding(self, rules: Iterable[Rule], tool: str, touched: Iterable[Access | None]) -> Rule | None:
        pairs = ((rule, access) for rule in rules if rule.tool == tool for access in touched)
        return next((rule for rule, access in pairs if self._touches(rule, access)), None)

    def _touches(self, rule: Rule, access: Access | None) -> bool:
        return rule.pattern is None if access is None else rule.forbids(access, self._ground.root)

    def _hidden(self, tool: str, access: Access | None) -> bool:
        """A deny rule must not be passed by a command that cannot be read."""
        patterns = any(rule.tool == tool and rule.pattern is not None for rule in self._deny)
        return patterns and isinstance(access, RunCommand) and shell_words.hides(access.command)

    def _covers(self, rule: Rule, tool: str, access: Access | None) -> bool:
        if rule.tool != tool:
            return False
        if access is None or isinstance(access, RunCommand):
            return rule.pattern is None if access is None else rule.allows(access, self._ground.root)
        return self._reaches(rule, access) and rule.allows(access, self._ground.root)

    def _reaches(self, rule: Rule, access: ReadPath | WritePath) -> bool:
        """A rule without a pattern stays in the workspace; guarded files need a rule that spells the path out."""
        if isinstance(access, WritePath) and self._ground.guarded(access.path):
            return rule.pattern is not None and path_globs.is_exact(rule.pattern)
        return rule.pattern is not None or not self._ground.outside(access)


def _parsed(key: str, texts: Iterable[str], tools: Collection[str]) -> tuple[Rule, ...]:
    try:
        return tuple(rule for text in texts for rule in parse_rules(text, tools))
    except UsageError as error:
        raise SettingsError(f"permissions.{key}: {error}") from error
