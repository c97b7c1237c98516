"""What a typed line means."""

import pytest

from agent_cli import app
from agent_cli.commands.registry import UnknownCommand
from agent_cli.repl.actions import Actions
from agent_cli.repl.compose import Compose
from agent_cli.repl.keys import bindings
from tests.unit.commands.running import reply


@pytest.mark.parametrize(
    ("line", "name", "args"),
    [
        ("/compress", "compress", ""),
        ("/compact the parser", "compress", "the parser"),
        ("/NEW", "clear", ""),
        ("/exit", "quit", ""),
        ("  /context   info ", "context", "info"),
    ],
)
def test_a_command_is_found_by_each_of_its_names(line, name, args):
    command, given = app.COMMANDS.find(line)
    assert (command.names[0], given) == (name, args)


@pytest.mark.parametrize("line", ["/usr/bin/env", "hello /help", "/", "", "/tmp/x.txt is broken"])
def test_a_path_or_a_sentence_is_no_command(line):
    assert app.COMMANDS.find(line) is None


@pytest.mark.parametrize(
    ("typo", "meant"), [("/contxt", "/context"), ("/stauts", "/status"), ("/quti", "/quit")]
)
def test_a_mistyped_name_gets_did_you_mean(typo, meant):
    with pytest.raises(UnknownCommand, match=f"Did you mean {meant}\\?"):
        app.COMMANDS.find(typo)


@pytest.mark.parametrize(
    ("line", "usage", "meant"),
    [
        ("/context inof", "/context [info|", "info"),
        ("/context mode phas1", "/context [info|", "mode phase1"),
        ("/permissions yol", "/permissions [ask|", "yolo"),
        ("/debug onn", "/debug [on|off]", "on"),
        ("/doctor ofline", "/doctor [offline]", "offline"),
        ("/help contxt", "/help [COMMAND|keys]", "context"),
        ("/resume abc frok", "/resume [ID [fork]]", "fork"),
    ],
)
def test_bad_words_get_usage_and_did_you_mean(line, usage, meant):
    answer = reply(line)
    assert answer.error
    assert usage in answer.text
    assert f"Did you mean {meant}?" in answer.text


def test_help_lists_every_name_and_tells_about_each_command():
    listed = reply("/help").text
    for command in app.COMMANDS.commands:
        assert all(f"/{name}" in listed for name in command.names)
    about = [reply(f"/help {command.names[-1]}").text for command in app.COMMANDS.commands]
    assert all(
        text.startswith(command.usage) for text, command in zip(about, app.COMMANDS.commands, strict=True)
    )


def test_every_word_offered_for_completion_is_understood():
    for command in app.COMMANDS.commands:
        if command.complete is None or command.names[0] == "model":
            continue
        for word in command.complete(None):
            assert not reply(f"/{command.names[0]} {word}").error, (command.names[0], word)


SHOWN = {"c": "Ctrl+", "s": "Shift+"}
UNNAMED = {"<any>", "<bracketed-paste>", "<sigint>", "down"}


def shown(keys: tuple) -> str:
    names = [getattr(key, "value", key) for key in keys]
    if names == ["escape", "c-m"]:
        return "Alt+Enter"
    spelled = {"escape": "Esc", "up": "↑", "c-m": "Enter"}
    return " ".join(spelled.get(name) or SHOWN[name[0]] + name[2:].capitalize() for name in names)


def test_help_names_every_key_that_is_bound():
    told = reply("/help keys").text
    bound = {
        shown(b.keys)
        for b in bindings(Actions, Compose).bindings
        if getattr(b.keys[0], "value", b.keys[0]).lower() not in UNNAMED
    }
    assert {"Enter", "Alt+Enter", "Shift+Tab", "Ctrl+X Ctrl+E", "↑"} <= bound
    assert [key for key in bound if key not in told] == []
