"""The debug log: its own file, for its owner alone, without keys."""

import logging

import pytest

from agent_cli.session import debug
from tests.unit.commands.running import reply

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def ended():
    yield
    debug.stop()


@pytest.fixture
def path(home):
    return home / "agent" / "state" / "debug.log"


def test_on_says_where_and_only_the_owner_can_read_it(path):
    answer = reply("/debug on")
    assert str(path) in answer.text
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_happens_is_logged_but_not_what_is_said(path, work):
    (work / "plan.txt").write_text("the secret plan\n")
    reply("/debug on")
    reply("/debug", say=("read plan.txt",))
    text = path.read_text()
    assert "tool read_file" in text
    assert "turn ok after 2 steps" in text
    assert "secret plan" not in text


def test_off_ends_it_and_a_second_on_goes_on_with_the_same_file(path):
    reply("/debug on", "/debug on", "/debug off", say=())
    before = path.read_text()
    assert debug.current() is None
    reply("/debug", say=("list files",))
    assert path.read_text() == before
    reply("/debug on", "/debug off")
    assert path.read_text().startswith(before)


def test_without_an_argument_it_says_whether_it_is_on(path):
    assert reply("/debug").text == "The debug log is off."
    assert reply("/debug on", "/debug").text == f"The debug log is on: {path}"


def test_keys_are_left_out_also_of_tracebacks(path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hunter22@127.0.0.1:9/v1")
    reply("/debug on", flags={"model": "offline"})
    logger = logging.getLogger("agent_cli")
    try:
        int(f"refused {KEY}")
    except ValueError:
        logger.exception("sent %s to http://me:hunter22@127.0.0.1:9/v1", KEY)
    text = path.read_text()
    assert "'refused [key]'" in text
    assert KEY not in text
    assert "hunter22" not in text


def test_a_link_in_its_place_is_not_followed(path, tmp_path):
    path.parent.mkdir(parents=True)
    target = tmp_path / "target"
    target.write_text("")
    path.symlink_to(target)
    answer = reply("/debug on")
    assert answer.error
    assert str(path) in answer.text
    assert target.read_text() == ""
