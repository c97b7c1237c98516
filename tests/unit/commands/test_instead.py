"""Headless: an action that needs a screen is answered with the flag to use."""

import pytest

from agent_cli.commands.registry import NewSession, OpenSession, Pick, Quit, UseModel
from agent_cli.headless.run import instead

PICK = Pick("Which model?", (("fast", "the fast one"), ("p/m", "another")), UseModel)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (Quit(), "ends by itself"),
        (NewSession(), "leave -c and -r out"),
        (OpenSession("ab12"), "agent -r ab12 -p"),
        (OpenSession("ab12", fork=True), "agent -r ab12 --fork-session -p"),
        (UseModel("p/m"), "agent -m p/m -p"),
    ],
)
def test_an_action(action, told):
    assert told in instead(action)


def test_a_choice_lists_the_flag_of_each_value_with_its_label():
    title, *lines = instead(PICK).splitlines()
    assert title.startswith("Which model?")
    assert [line.split(maxsplit=2) for line in lines] == [
        ["-m", "fast", "the fast one"],
        ["-m", "p/m", "another"],
    ]
