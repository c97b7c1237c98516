"""`/cost` and `/status`."""

import asyncio

from agent_cli.app import Which
from agent_cli.core.entries import Compaction, UsageEntry
from agent_cli.core.usage import Usage
from agent_cli.session.usage import spent
from tests.build import user
from tests.unit.commands.running import reply, session, typed


def used(cost: float | None, **tokens: int) -> UsageEntry:
    return UsageEntry("u1", "2026-12-01T00:00:00Z", "p/m", Usage(**tokens), cost_usd=cost)


def compaction() -> Compaction:
    return Compaction("c1", "2026-12-01T00:00:00Z", "TRUNCATE", "auto", 4, 2, 100, 50)


def test_a_session_is_the_sum_of_its_model_calls():
    whole = spent(
        [used(0.5, input=10, cache_read=4), user("hi"), used(0.25, input=5, output=7), compaction()]
    )
    assert (whole.calls, whole.usage) == (2, Usage(15, 7, 4, 0))
    assert (whole.cost_usd, whole.unpriced, whole.compactions) == (0.75, 0, 1)


def test_a_call_without_a_price_is_counted_as_such():
    whole = spent([used(0.5, input=10), used(None, input=5)])
    assert (whole.cost_usd, whole.unpriced) == (0.5, 1)


def test_cost_tells_this_run_from_the_whole_session():
    async def earlier() -> str:
        async with session() as opened:
            async for _ in opened.session.send("list files"):
                pass
            opened.session.ledger.usage("p/m", Usage(1_000, 20, 300, 40), cost_usd=0.0125)
            opened.session.ledger.usage("p/m", Usage(500, 5), cost_usd=None)
            return opened.session.id

    answer = reply("/cost", session=Which(id=asyncio.run(earlier())))
    assert answer.data["run"]["input"] == 0
    assert answer.data["session"]["input"] == 1_500
    assert answer.data["session"]["cache_read"] == 300
    assert answer.data["session"]["cost_usd"] is None
    assert "1,500" in answer.text
    assert "over $0.0125" in answer.text
    assert "1 of 2 model calls have no known price." in answer.text


def test_cost_without_a_transcript_counts_the_run_alone():
    assert reply("/cost", session=Which(keep=False)).data["session"]["input"] == 0


def test_status_names_what_is_in_force(work, home):
    config = home / "agent" / "config" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("max_turns = 7\n")

    async def go() -> dict:
        async with session(flags={"permissions.mode": "plan"}) as opened:
            await typed(opened, "/context mode none")
            return (await typed(opened, "/status")).data

    facts = asyncio.run(go())
    assert facts["model"].startswith("offline/offline, window ")
    assert facts["directory"] == str(work)
    assert facts["transcript"].startswith(str(work / "transcripts"))
    assert facts["context_mode"] == "none (set for this session; the default is phase1)"
    assert facts["permission_mode"] == "plan"
    assert facts["settings"] == str(config)


def test_status_says_when_no_transcript_is_kept():
    assert reply("/status", session=Which(keep=False)).data["transcript"] == "none is kept (--no-session)"
