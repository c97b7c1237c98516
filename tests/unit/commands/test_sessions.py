"""Commands that leave the session or change the model ask the front end to act."""

import asyncio

from agent_cli.app import Which
from agent_cli.commands.registry import NewSession, OpenSession, Pick, Quit, UseModel
from tests.unit.commands.running import reply, session, typed


def said(text: str) -> str:
    async def go() -> str:
        async with session() as opened:
            async for _ in opened.session.send(text):
                pass
            return opened.session.id

    return asyncio.run(go())


def test_quit_and_clear():
    assert reply("/quit").action == Quit()
    answer = reply("/clear", say=("list files",))
    assert answer.action == NewSession()
    assert "/resume" in answer.text


def test_resume_offers_the_other_sessions_newest_first():
    first, second = said("list files"), said("find *.py")
    pick = reply("/resume").action
    assert isinstance(pick, Pick)
    assert [value for value, _ in pick.choices] == [second, first]
    assert "find *.py" in pick.choices[0][1]
    assert pick.then(first) == OpenSession(first)


def test_resume_does_not_offer_the_open_session():
    only = said("list files")
    assert reply("/resume", session=Which(id=only)).action is None


def test_c63_escape_codes_are_left_out_of_a_session_name():
    said("list \x1b[31mfiles")
    label = reply("/resume").action.choices[0][1]
    assert label.endswith("list files")


def test_resume_by_the_beginning_of_an_id_and_as_a_copy():
    known = said("list files")
    assert reply(f"/resume {known[:5]}").action == OpenSession(known)
    assert reply(f"/resume {known} fork").action == OpenSession(known, fork=True)
    assert reply(f"/resume {known}", session=Which(id=known)).action is None


def test_an_unknown_session_is_an_error_that_names_what_is_near():
    known = said("list files")
    answer = reply(f"/resume {known[:-2]}zz")
    assert (answer.error, answer.action) == (True, None)
    assert known in answer.text


def test_model_offers_what_is_known_without_a_network(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k" * 20)
    flags = {"model": "offline", "aliases.fast": "openai/gpt-x", "providers.mine.model": "big"}
    pick = reply("/model", flags={**flags, "providers.mine.base_url": "http://127.0.0.1:9/v1"}).action
    names = [value for value, _ in pick.choices]
    assert names[0] == "offline/offline"
    assert {"fast", "mine/big"} < set(names)
    assert any(name.startswith("anthropic/claude") for name in names)
    assert not any(name.startswith("openai/") for name in names)  # no account: it could not be used
    assert pick.then("fast") == UseModel("fast")


def test_model_without_another_one_says_how_to_name_one():
    answer = reply("/model")
    assert answer.action is None
    assert "offline/offline" in answer.text
    assert "/model [PROVIDER/NAME" in answer.text


def test_model_by_name_or_alias():
    flags = {"aliases.fast": "openai/gpt-x"}
    assert reply("/model anthropic/some-model", flags=flags).action == UseModel("anthropic/some-model")
    assert reply("/model fast", flags=flags).action == UseModel("openai/gpt-x")
    assert reply("/model offline/offline", flags=flags).action is None


def test_the_context_mode_is_switched_for_this_run():
    async def go() -> tuple[str, str]:
        async with session() as opened:
            await typed(opened, "/context mode none")
            off = opened.session.engine.mode
            await typed(opened, "/context mode default")
            return off, opened.session.engine.mode

    assert asyncio.run(go()) == ("none", "phase1")
