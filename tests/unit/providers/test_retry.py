"""The retry layer, with a clock that only moves when someone sleeps on it."""

import asyncio

import pytest

from agent_cli.core import errors
from agent_cli.core.events import Finished, Restarted, TextDelta
from agent_cli.core.messages import Text
from agent_cli.core.models import Completion, StopReason
from agent_cli.providers.retry import Retrying
from agent_cli.settings.schema import RetrySettings
from tests.build import FakeClock
from tests.unit.providers.raw import OPENAI, answer, claude, cut, ok, openai, request, serving, sse

DONE = Completion((Text("hi"),), StopReason.END_TURN)
GOOD = sse({"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]})
PIECE = sse({"choices": [{"delta": {"content": "Hel"}}]}, done=False)


class Scripted:
    """Fails as told, then answers; `lasts` is how long each failure takes on the clock."""

    model = OPENAI

    def __init__(self, *failures, clock=None, lasts=0.0):
        self.failures = list(failures)
        self.calls = 0
        self.closed = False
        self._clock, self._lasts = clock, lasts

    async def stream(self, request):
        self.calls += 1
        yield TextDelta("h")
        if self.failures:
            if self._clock is not None:
                self._clock.seconds += self._lasts
            raise self.failures.pop(0)
        yield Finished(DONE)

    async def aclose(self):
        self.closed = True


def run(inner, clock=None, **settings):
    clock = clock or FakeClock()

    events = []

    async def go():
        async for event in Retrying(inner, RetrySettings(**settings), clock).stream(request()):
            events.append(event)  # noqa: PERF401 - what came before the error counts

    try:
        asyncio.run(go())
    except errors.ProviderError as error:
        return events, error, clock
    return events, None, clock


RETRYABLE = [
    errors.RateLimited,
    errors.Overloaded,
    errors.ConnectionFailed,
    errors.StreamCut,
    errors.ServerFailed,
]
FINAL = [
    errors.Overflow,
    errors.QuotaExceeded,
    errors.AuthFailed,
    errors.MalformedHistory,
    errors.BadRequest,
    errors.ContentFiltered,
]


@pytest.mark.parametrize("kind", RETRYABLE)
def test_what_may_pass_is_tried_again_and_listeners_are_told(kind):
    events, error, clock = run(Scripted(kind("Busy."), kind("Busy.")))
    assert error is None
    assert events[-1] == Finished(DONE)
    restarts = [event for event in events if isinstance(event, Restarted)]
    assert [(event.attempt, event.attempts, event.reason) for event in restarts] == [
        (2, 5, "Busy."),
        (3, 5, "Busy."),
    ]
    assert clock.slept == [event.delay for event in restarts]


@pytest.mark.parametrize("kind", FINAL)
def test_what_repetition_cannot_cure_passes_through_at_once(kind):
    inner = Scripted(kind("No."))
    _, error, clock = run(inner)
    assert (type(error), str(error), inner.calls, clock.slept) == (kind, "No.", 1, [])


def test_five_tries_with_growing_jittered_waits_then_the_last_error():
    inner = Scripted(*[errors.ServerFailed(f"Down {n}.") for n in range(9)])
    _, error, clock = run(inner)
    assert inner.calls == 5
    assert str(error) == "Down 4. Tried 5 times."
    for slept, base in zip(clock.slept, [0.5, 1, 2, 4], strict=True):
        assert base * 0.75 <= slept <= base * 1.25


def test_waits_differ_from_run_to_run():
    first, second = (run(Scripted(errors.Overloaded("x")))[2].slept for _ in range(2))
    assert first != second


def test_the_server_decides_how_long_to_wait():
    _, error, clock = run(
        Scripted(errors.RateLimited("x", retry_after=17.0), errors.RateLimited("x", retry_after=0.0))
    )
    assert error is None
    assert clock.slept == [17.0, 0.0]


def test_a_longer_wait_than_allowed_ends_at_once_and_names_the_time():
    inner = Scripted(errors.RateLimited("Busy.", retry_after=300.0))
    _, error, clock = run(inner)
    assert (inner.calls, clock.slept) == (1, [])
    assert "300 seconds" in str(error)


def test_a_server_that_cannot_be_reached_is_given_up_within_a_minute():
    clock = FakeClock()
    inner = Scripted(*[errors.ConnectionFailed("Dead.")] * 9, clock=clock, lasts=8.0)
    _, error, _ = run(inner, clock)
    assert isinstance(error, errors.ConnectionFailed)
    assert clock.seconds < 60


def test_a_server_that_takes_calls_and_stays_silent_is_not_asked_five_times():
    clock = FakeClock()
    inner = Scripted(*[errors.ConnectionFailed("Silent.")] * 9, clock=clock, lasts=120.0)
    run(inner, clock)
    assert inner.calls == 1


def test_one_try_when_settings_say_so():
    inner = Scripted(errors.ServerFailed("x"), errors.ServerFailed("x"))
    run(inner, tries=1)
    assert inner.calls == 1


def test_closing_closes_the_inner_provider():
    inner = Scripted()
    asyncio.run(Retrying(inner, RetrySettings(), FakeClock()).aclose())
    assert inner.closed


def test_a_cancelled_wait_ends_at_once():
    class Slow(FakeClock):
        async def sleep(self, seconds):
            await asyncio.sleep(60)

    async def go():
        provider = Retrying(Scripted(errors.Overloaded("x")), RetrySettings(), Slow())
        waiting = asyncio.Event()

        async def read():
            async for event in provider.stream(request()):
                if isinstance(event, Restarted):
                    waiting.set()

        task = asyncio.create_task(read())
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 2)

    asyncio.run(go())


LIMIT = answer(429, b'{"error": {"message": "slow down"}}', retry_after="3")
BUSY = answer(529, b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}')
BROKEN = answer(500, b'{"error": {"message": "boom"}}')


@pytest.mark.parametrize("make", [openai, claude])
@pytest.mark.parametrize(
    ("failure", "kind", "wait"),
    [
        (LIMIT, errors.RateLimited, 3.0),
        (BUSY, errors.Overloaded, None),
        (BROKEN, errors.ServerFailed, None),
        (cut(b""), errors.StreamCut, None),
        (cut(PIECE), errors.StreamCut, None),
        (ok(b""), errors.StreamCut, None),
        (b"", errors.ConnectionFailed, None),
    ],
)
def test_each_failure_over_http_is_asked_five_times_and_no_more(make, failure, kind, wait):
    clock = FakeClock()

    async def go():
        async with serving(failure) as server:
            provider = Retrying(make(server), RetrySettings(), clock)
            with pytest.raises(kind, match="Tried 5 times"):
                async for _ in provider.stream(request()):
                    pass
            await provider.aclose()
            return len(server.heads)

    assert asyncio.run(go()) == 5
    assert len(clock.slept) == 4
    assert wait is None or clock.slept == [wait] * 4


def test_a_stream_that_broke_after_text_is_begun_anew():
    async def go():
        async with serving(cut(PIECE), ok(GOOD)) as server:
            provider = Retrying(openai(server), RetrySettings(), FakeClock())
            events = [event async for event in provider.stream(request())]
            await provider.aclose()
            return events

    kinds = [type(event) for event in asyncio.run(go())]
    assert kinds == [TextDelta, Restarted, TextDelta, Finished]
