"""Completion of slash commands and of `@file`."""

import re
from collections.abc import Callable, Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from agent_cli.commands.registry import Registry
from agent_cli.render.text import visible
from agent_cli.repl.files import ProjectFiles
from agent_cli.session.opened import Opened

_FILE = re.compile(r"(?:^|(?<=\s))@(\S*)$")


class Suggest(Completer):
    """Slash commands at the start of the message, files after an `@`. Runs in a thread."""

    def __init__(self, registry: Registry, files: ProjectFiles, opened: Callable[[], Opened | None]) -> None:
        self._registry = registry
        self._files = files
        self._opened = opened

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What may follow at the cursor."""
        before = document.text_before_cursor
        if before.startswith("/") and "\n" not in before:
            yield from self._commands(before)
        elif found := _FILE.search(before):
            for path in self._files.matching(found[1]):
                shown = visible(path)
                yield Completion(f"@{path}", start_position=-len(found[0]), display=shown)

    def _commands(self, before: str) -> Iterable[Completion]:
        word, blank, rest = before.partition(" ")
        if blank:
            yield from self._words(word, rest)
            return
        for command in self._registry.commands:
            names = [name for name in command.names if f"/{name}".startswith(word.lower())]
            if names:
                yield Completion(
                    f"/{names[0]}",
                    start_position=-len(before),
                    display=command.usage,
                    display_meta=command.help,
                )

    def _words(self, word: str, rest: str) -> Iterable[Completion]:
        opened = self._opened()
        known = next((c for c in self._registry.commands if word[1:].lower() in c.names), None)
        if known is None or known.complete is None or opened is None:
            return
        for text in known.complete(opened):
            if text.startswith(rest) and text != rest:
                yield Completion(text, start_position=-len(rest))
