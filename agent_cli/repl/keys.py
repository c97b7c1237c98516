"""The keys: one table."""

from prompt_toolkit.filters import Condition, has_completions, is_searching
from prompt_toolkit.key_binding import KeyBindings

from agent_cli.repl.actions import Actions
from agent_cli.repl.compose import Compose


def bindings(actions: Actions, compose: Compose) -> KeyBindings:
    """Every key that does more than editing the line; the later row wins where several hold."""
    answering = Condition(lambda: actions.answering)
    writing = ~is_searching
    empty = Condition(lambda: compose.empty)
    table = (
        # keys, when, what
        (("enter",), writing, actions.send),
        (("c-j",), writing, actions.newline),
        (("escape", "enter"), writing, actions.newline),
        (("<bracketed-paste>",), writing, actions.paste),
        (("escape",), writing, actions.stop),
        (("c-c",), writing, actions.clear),
        (("<sigint>",), writing, actions.clear),
        (("c-d",), writing & empty, actions.quit),
        (("s-tab",), writing & ~has_completions, actions.next_mode),
        (("c-g",), writing, actions.edit),
        (("c-x", "c-e"), writing, actions.edit),
        (("up",), writing & ~has_completions, actions.up),
        (("c-z",), writing, actions.suspend),
        (("<any>",), answering, actions.menu_press),
        (("up",), answering, actions.menu_up),
        (("down",), answering, actions.menu_down),
        (("enter",), answering, actions.menu_accept),
    )
    made = KeyBindings()
    for keys, when, action in table:
        made.add(*keys, filter=when)(action)
    return made
