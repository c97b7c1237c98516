"""The next request, its size and the numbers it is judged by."""

from collections.abc import Iterable, Sequence

import msgspec

from agent_cli.context.budget import Budget, budget, window_of
from agent_cli.context.fixed import Fixed, FixedPart
from agent_cli.context.repair import Repairer
from agent_cli.context.view import View
from agent_cli.core.entries import UsageEntry
from agent_cli.core.messages import Message
from agent_cli.core.models import ModelSpec, Request
from agent_cli.core.ports import Provider
from agent_cli.settings.schema import ContextSettings
from agent_cli.tokens.count import Counter


class Draft(msgspec.Struct, frozen=True):
    """`messages` is the view, repaired; `request` holds what hooks append as well. `estimated` is the request's
    size in o200k tokens, `size` in the model's own, by the gate of case C11."""

    view: View
    messages: tuple[Message, ...]
    request: Request
    estimated: int
    size: int
    budget: Budget


class Drafter:
    """Knows what shapes a request besides the view: the model, its counter, the fixed part, the settings."""

    def __init__(
        self, *, provider: Provider, counter: Counter, fixed: FixedPart, settings: ContextSettings
    ) -> None:
        self.provider = provider
        self.counter = counter
        self.fixed = fixed
        self.settings = settings
        self.learned: int | None = None
        """The window as the provider named it in an overflow error, in its own tokens (C11)."""
        self._counted: tuple[Fixed, Counter, int] | None = None
        self._repairer = Repairer()
        self._sum: tuple[Counter, tuple[Message, ...], int] = (counter, (), 0)

    @property
    def model(self) -> ModelSpec:
        """The model in use."""
        return self.provider.model

    @property
    def window(self) -> int:
        """The window in the model's own tokens."""
        return window_of(self.model, self.settings, self.learned)

    def size(self, messages: Iterable[Message]) -> int:
        """Own tokens of messages."""
        return self.counter.own(self.counter.messages(messages))

    def plain(self, own: int) -> int:
        """Own tokens as o200k tokens, never negative."""
        return max(0, int(own / self.counter.ratio))

    def fixed_tokens(self) -> int:
        """The fixed part in o200k tokens; counted once, since it changes only when it is read again."""
        fixed = self.fixed.current()
        if self._counted is None or self._counted[0] is not fixed or self._counted[1] is not self.counter:
            self._counted = (fixed, self.counter, self.counter.fixed(fixed.system, fixed.tools))
        return self._counted[2]

    def tokens(self, messages: tuple[Message, ...]) -> int:
        """The o200k tokens of a request's messages; only those added since the last time are counted."""
        counter, known, total = self._sum
        if counter is not self.counter or messages[: len(known)] != known:
            known, total = (), 0
        total += self.counter.messages(messages[len(known) :])
        self._sum = (self.counter, messages, total)
        return total

    def budget(self, appended: Sequence[Message] = ()) -> Budget:
        """The numbers that hold now; what hooks append counts as fixed."""
        around = self.fixed_tokens() + self.counter.messages(appended)
        return budget(
            model=self.model,
            settings=self.settings,
            window=self.window,
            fixed=self.counter.own(around),
            ratio=self.counter.ratio,
        )

    def draft(self, view: View, appended: Sequence[Message] = ()) -> Draft:
        """The request for a view."""
        messages = self._repairer.repair(view.messages)
        sent = self._repairer.repair((*view.messages, *appended)) if appended else messages
        fixed = self.fixed.current()
        numbers = self.budget(appended)
        request = Request(fixed.system, fixed.tools, sent, numbers.output)
        estimated = self.fixed_tokens() + self._sent_tokens(messages, sent)
        size = gate(estimated, view.anchor, self.model, self.counter)
        return Draft(view, messages, request, estimated, size, numbers)

    def _sent_tokens(self, messages: tuple[Message, ...], sent: tuple[Message, ...]) -> int:
        """What hooks append differs from request to request, so that it is counted apart."""
        if sent[: len(messages)] == messages:
            return self.tokens(messages) + self.counter.messages(sent[len(messages) :])
        return self.counter.messages(sent)


def gate(estimated: int, anchor: UsageEntry | None, model: ModelSpec, counter: Counter) -> int:
    """Own tokens: the larger of our full estimate and of the last reported usage plus the estimate of what was
    added since (C11)."""
    full = counter.own(estimated)
    if anchor is None or anchor.model != model.id:
        return full
    return max(full, anchor.usage.input + int((estimated - anchor.estimated) * counter.ratio))
