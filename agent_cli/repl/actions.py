"""What the keys do."""

import asyncio
import time
from collections.abc import Callable

from prompt_toolkit.key_binding.key_processor import KeyPressEvent

from agent_cli.repl.compose import Compose
from agent_cli.repl.conversation import Conversation
from agent_cli.repl.screen import Screen
from agent_cli.repl.toolbar import Status
from agent_cli.settings.schema import PermissionMode

TWICE_SECONDS = 1.0
"""Within this time a second Ctrl+C on an empty input quits."""
_NEXT_MODE: dict[PermissionMode, PermissionMode] = {
    "ask": "accept-edits",
    "accept-edits": "plan",
    "plan": "ask",
    "yolo": "ask",
}


class Actions:
    """One method a key."""

    def __init__(self, screen: Screen, compose: Compose, status: Status, conversation: Conversation) -> None:
        self._screen = screen
        self._compose = compose
        self._status = status
        self._conversation = conversation
        self._cleared = self._stopped = float("-inf")
        """When Ctrl+C last found an empty input, and when it last stopped something: pressing on must not quit."""

    @property
    def answering(self) -> bool:
        """Whether a key would answer the open question: keys that came in a burst never do."""
        menu = self._screen.menu
        return menu is not None and menu.armed and not self._screen.input.burst

    def send(self, event: KeyPressEvent) -> None:
        """Sends; takes the chosen completion first; after a backslash it is a new line."""
        buffer = self._compose.buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.insert_text("\n")
        elif self._screen.asks_line:
            draft = self._compose.take()
            self._screen.answer_line(draft.text if draft else "")
        elif (draft := self._compose.take()) is not None:
            self._conversation.submit(draft)

    def newline(self, event: KeyPressEvent) -> None:
        """A new line."""
        self._compose.buffer.insert_text("\n")

    def paste(self, event: KeyPressEvent) -> None:
        """A paste goes to the input, whatever is asked."""
        self._compose.paste(event.data)

    def stop(self, event: KeyPressEvent) -> None:
        """Closes what is open, else stops what is going on: what was queued comes back to the input."""
        menu = self._screen.menu
        if self._compose.buffer.complete_state is not None:
            self._compose.buffer.cancel_completion()
        elif menu is not None and not menu.guarded:
            menu.give(None)
        elif self._conversation.busy:
            self._interrupt()

    def clear(self, event: KeyPressEvent) -> None:
        """Stops what is going on; without that, clears the input; on an empty one, twice within a second, quits."""
        now = time.monotonic()
        if self._conversation.busy:
            self._stopped = now
            self.stop(event)
        elif not self._compose.empty:
            self._compose.clear()
        elif now - self._cleared <= TWICE_SECONDS:
            self._screen.leave(0)
        elif now - self._stopped > TWICE_SECONDS:
            self._cleared = now
            self._hint("Ctrl+C again to quit")

    def quit(self, event: KeyPressEvent) -> None:
        """Leaves."""
        self._screen.leave(0)

    def next_mode(self, event: KeyPressEvent) -> None:
        """Goes on to the next permission mode."""
        opened = self._conversation.opened
        if opened is not None:
            opened.permissions.mode = _NEXT_MODE[opened.permissions.mode]

    def edit(self, event: KeyPressEvent) -> None:
        """Opens the input in the user's editor."""
        self._compose.unfold()
        self._compose.buffer.open_in_editor()

    def up(self, event: KeyPressEvent) -> None:
        """On an empty input takes the message queued last back, else goes up or back in history."""
        draft = self._conversation.take_back() if self._compose.empty else None
        if draft is not None:
            self._compose.give_back([draft])
        else:
            self._compose.buffer.auto_up()

    def suspend(self, event: KeyPressEvent) -> None:
        """Puts the program into the background."""
        event.app.suspend_to_background()

    def menu_up(self, event: KeyPressEvent) -> None:
        """The line above."""
        self._menu(lambda menu: menu.move(-1))

    def menu_down(self, event: KeyPressEvent) -> None:
        """The line below."""
        self._menu(lambda menu: menu.move(1))

    def menu_accept(self, event: KeyPressEvent) -> None:
        """The line it is on."""
        self._menu(lambda menu: menu.accept())

    def menu_press(self, event: KeyPressEvent) -> None:
        """A letter or number."""
        self._menu(lambda menu: menu.press(event.data))

    def _menu(self, act: Callable) -> None:
        if self._screen.menu is not None:
            act(self._screen.menu)

    def _interrupt(self) -> None:
        drafts = self._conversation.interrupt()
        if self._screen.asks_line:
            # The line's own text goes; what was set aside comes back first, then what was queued.
            asyncio.get_running_loop().call_later(0.05, self._compose.give_back, drafts)
        else:
            self._compose.give_back(drafts)

    def _hint(self, text: str) -> None:
        self._status.hint = text

        def forget() -> None:
            self._status.hint = ""
            self._screen.app.invalidate()

        asyncio.get_running_loop().call_later(TWICE_SECONDS, forget)
