"""Saved permissions: private, whole, shared between processes."""

import stat

import pytest

from agent_cli.core.errors import AgentError, SettingsError
from agent_cli.permissions.remember import Consent, Remembered

ONE = Consent("shell", "command", "ls -l")
TWO = Consent("write_file", "write", "/w/ü")


def test_what_was_saved_is_known_the_next_time(home):
    file = home / "deep" / "p.json"
    Remembered(file).add([ONE, TWO, ONE])
    again = Remembered(file)
    assert ONE in again
    assert TWO in again
    assert Consent("shell", "command", "ls") not in again
    assert file.read_text().count("ls -l") == 1


def test_the_file_is_private_and_no_other_file_is_left(home):
    file = home / "deep" / "p.json"
    Remembered(file).add([ONE])
    Remembered(file).add([TWO])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["p.json"]


def test_nothing_is_created_before_something_is_saved(home):
    assert ONE not in Remembered(home / "p.json")
    assert not (home / "p.json").exists()


def test_what_another_process_saved_is_not_lost(home):
    first, second = Remembered(home / "p.json"), Remembered(home / "p.json")
    first.add([ONE])
    second.add([TWO])
    assert ONE in Remembered(home / "p.json")
    assert TWO in Remembered(home / "p.json")


@pytest.mark.parametrize("text", ["", "{", '[{"tool": "x"}]', '[{"tool": "x", "kind": "all"}]'])
def test_a_damaged_file_is_named_and_kept(home, text):
    (home / "p.json").write_text(text)
    with pytest.raises(SettingsError, match=r"p\.json"):
        Remembered(home / "p.json")
    assert (home / "p.json").read_text() == text


def test_a_folder_that_cannot_be_written_is_an_error_for_the_user(home):
    (home / "file").write_text("")
    remembered = Remembered(home / "p.json")
    remembered.file = home / "file" / "p.json"
    with pytest.raises(AgentError, match="Cannot"):
        remembered.add([ONE])
