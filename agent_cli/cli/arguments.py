"""Tells `agent PROMPT` from `agent SUBCOMMAND` before Typer parses anything."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

PRINT = ("-p", "--print")


@dataclass(frozen=True, slots=True)
class Split:
    """What to parse with which program: `subcommand` is False for a prompt."""

    subcommand: bool
    arguments: list[str]


def split(
    arguments: Sequence[str], *, commands: Collection[str], valued: Collection[str], flags: Collection[str]
) -> Split:
    """Sorts the command line. `valued` are the options that take a value, `flags` those that do not.

    The first word that is no option decides: a subcommand's name leads to it (options before it move behind it),
    anything else is a prompt. With `-p` it is always a prompt. `-p` without a text (last, or before another option)
    gets an empty one, so that a piped prompt needs none.
    """
    words: list[str] = []
    options: list[str] = []
    printing = False
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            words += rest
            break
        if word in PRINT:
            printing = True
            ends = not rest or rest[0] == "--" or rest[0] in valued or rest[0] in flags
            text = "" if ends else rest.pop(0)
            options += [word, text]
        elif word in valued:
            options += [word, *rest[:1]]
            rest = rest[1:]
        elif word.startswith("-") and word != "-":
            printing = printing or word.startswith("--print=")
            options.append(word)
        else:
            words.append(word)
    if words and words[0] in commands and not printing:
        return Split(True, [*words, *options])
    return Split(False, [*options, "--", *words] if words else options)


def readable(text: str) -> str:
    """Text from the command line with what was no UTF-8 replaced: no JSON and no wire could hold it."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def last_value(arguments: Sequence[str], option: str) -> str:
    """The value this option ends up with, "" without one, for when the command line cannot be parsed."""
    value = ""
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == option:
            value = following
        elif word.startswith(f"{option}="):
            value = word.removeprefix(f"{option}=")
    return value
