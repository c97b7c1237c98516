"""`/permissions`: rules with their source, consents, and the mode."""

import asyncio

import pytest

from agent_cli.core.tools import RunCommand, WritePath
from tests.unit.commands.running import reply, session, typed


def test_rules_are_listed_with_where_they_come_from(home):
    config = home / "agent" / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[permissions]\nallow = ["shell(git status)"]\ndeny = ["shell(rm *)"]\n')
    text = reply("/permissions", flags={"permissions.allow": ("grep",)}).text
    allow, deny = (text.index(word) for word in ("Allow rules from", "Deny rules from"))
    assert "command line" in text[allow:deny]
    assert str(config) in text[allow:deny]
    assert "shell(git status)" in text[allow:deny]
    assert "grep" in text[allow:deny]
    assert "shell(rm *)" in text[deny:]


def test_consents_for_the_session_and_for_good_are_told_apart(work):
    async def go() -> dict:
        async with session() as opened:
            opened.permissions.allow_for_session("shell", [RunCommand("make test")])
            opened.permissions.remember("write_file", [WritePath(work / "a.txt")])
            return (await typed(opened, "/permissions")).data

    data = asyncio.run(go())
    assert data["session"] == ["shell: command make test"]
    assert data["remembered"] == [f"write_file: write {work / 'a.txt'}"]
    again = reply("/permissions").data
    assert (again["session"], again["remembered"]) == ([], data["remembered"])


@pytest.mark.parametrize("mode", ["ask", "accept-edits", "plan", "yolo"])
def test_the_mode_in_force_is_switched(mode):
    async def go() -> tuple[str, str]:
        async with session(flags={"permissions.mode": "plan" if mode == "ask" else "ask"}) as opened:
            answer = await typed(opened, f"/permissions {mode}")
            return opened.permissions.mode, answer.text

    now, text = asyncio.run(go())
    assert now == mode
    assert f"Permission mode: {mode}" in text


def test_a_wrong_mode_changes_nothing():
    async def go() -> str:
        async with session() as opened:
            assert (await typed(opened, "/permissions everything")).error
            return opened.permissions.mode

    assert asyncio.run(go()) == "ask"
