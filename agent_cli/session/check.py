"""One finding of `agent doctor`."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, what was found, and what to do about it. Only a `fail` keeps the product from working."""

    level: Literal["ok", "warn", "fail"]
    subject: str
    found: str
    advice: str = ""

    def line(self) -> str:
        """The finding in one line."""
        text = f"{self.found}. {self.advice}" if self.advice else self.found
        return f"{self.level:<5} {self.subject:<12} {' '.join(text.split())}"
