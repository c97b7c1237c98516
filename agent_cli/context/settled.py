"""The beginning of a growing message list that has been looked at and needs no second look."""

from collections.abc import Set as AbstractSet

from agent_cli.core.messages import Message


class Settled:
    """Remembers one beginning: whole steps, every call in it answered. So a step costs what is new, not the history."""

    def __init__(self) -> None:
        self._messages: tuple[Message, ...] = ()
        self._call_ids: set[str] = set()

    @property
    def call_ids(self) -> AbstractSet[str]:
        """The ids of the calls in it."""
        return self._call_ids

    def within(self, messages: tuple[Message, ...]) -> int:
        """How many messages at the beginning of the list are settled. Another list starts over."""
        # Equal objects are mostly the very same ones, which tuples compare without looking inside.
        if messages[: len(self._messages)] != self._messages:
            self._messages, self._call_ids = (), set()
        return len(self._messages)

    def advance(self, messages: tuple[Message, ...], sound: int) -> None:
        """Settles what precedes the last step among the first `sound` messages: results may still be added to that
        one."""
        start = len(self._messages)
        end = next((at for at in range(sound - 1, start, -1) if messages[at].role == "assistant"), start)
        self._call_ids.update(call.id for message in messages[start:end] for call in message.calls)
        self._messages = messages[:end]
