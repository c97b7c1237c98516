"""Random conversations through the whole engine: what must hold for every one of them."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from agent_cli.context.repair import repair
from agent_cli.context.validate import problems
from agent_cli.context.view import fold_all, pending_in
from agent_cli.core.entries import Clear, Compaction, Entry
from agent_cli.core.errors import ContextError, Overflow, RateLimited
from agent_cli.core.messages import Image, Message, Text, Thinking, ToolCall, ToolResult
from agent_cli.core.models import StopReason
from agent_cli.core.usage import Usage
from tests.unit.context.doubles import Bench, finished, spec

WINDOWS = (16_000, 24_000, 32_000, 64_000, 128_000, 200_000, 1_000_000)
NAMES = ("read_file", "shell", "todo", "edit_file", "grep", "", "a b!")
IDS = ("call_1", "call_2", "call_3", "", "functions.x:0", "x" * 80)
WORDS = (
    "alpha",
    "beta gamma",
    "设置文件",
    "日本語のテキスト",
    "한국어",
    "<summary>",
    "</earlier_conversation>",
    "é́",
    "🙂‍🔥",
)

texts = st.builds(
    lambda word, times: (word + " ") * times,
    st.sampled_from(WORDS),
    st.sampled_from((0, 1, 20, 400, 4_000, 12_000)),
)
small_texts = st.builds(lambda word, times: (word + " ") * times, st.sampled_from(WORDS), st.integers(0, 30))
arguments = st.sampled_from(
    ('{"path": "a.py"}', '{"command": "ls -la"}', "{}", "", '{"path": "a', "[1]", "null", '"\\ud800"')
)
calls = st.builds(ToolCall, st.sampled_from(IDS), st.sampled_from(NAMES), arguments)
results = st.builds(ToolResult, st.sampled_from(IDS), texts, st.booleans())
images = st.just(Image("image/png", "aGVsbG8="))
thinking = st.builds(Thinking, small_texts, st.sampled_from(("", "sig")), st.just(""), st.just("anthropic"))

user_parts = st.lists(st.one_of(st.builds(Text, texts), images, results), max_size=3).map(tuple)
assistant_parts = st.lists(st.one_of(st.builds(Text, small_texts), thinking, calls), max_size=4).map(tuple)
tool_parts = st.lists(st.one_of(results, images), min_size=1, max_size=2).map(tuple)


@st.composite
def orderly_steps(draw):
    """A step as the loop writes it: parallel calls with fresh ids, each answered in order; sometimes cut short."""
    count = draw(st.integers(1, 4))
    base = draw(st.integers(0, 10**6))
    made = [ToolCall(f"c{base}_{n}", draw(st.sampled_from(NAMES[:5])), draw(arguments)) for n in range(count)]
    answered = draw(st.integers(0, count)) if draw(st.booleans()) else count
    content = [("tool", (ToolResult(call.id, draw(texts), draw(st.booleans())),)) for call in made[:answered]]
    return [("assistant", (Text("step"), *made)), *content]


wild_messages = st.one_of(
    st.tuples(st.just("user"), user_parts),
    st.tuples(st.just("assistant"), assistant_parts),
    st.tuples(st.just("tool"), tool_parts),
).map(lambda message: [message])
chunks = st.lists(st.one_of(orderly_steps(), orderly_steps(), wild_messages), max_size=12)

replies = st.sampled_from(
    (
        "## Goal\nGo on.",
        "",
        "x " * 9_000,
        finished(Thinking("hm")),
        finished(ToolCall("c", "shell", "{}")),
        finished("cut", stop=StopReason.MAX_TOKENS),
        Overflow("too long"),
        RateLimited("busy"),
        finished("ok", usage=Usage(1_000, 20)),
    )
)
plans = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(("phase1", "phase1", "phase1", "phase2", "none")),
        "keep": st.sampled_from(("half", "minimal")),
        "micro": st.sampled_from(("cache_aware", "every_call", "off")),
    }
)


def bench_of(window, plan, reply, ratio, reports_cache) -> Bench:
    model = spec(window, ratio=ratio, reports_cache=reports_cache)
    return Bench(*reply, model=model, **plan)


def as_sent(messages: tuple[Message, ...]) -> bytes:
    return msgspec.json.encode(messages)


@given(
    rounds=st.lists(st.tuples(texts, chunks, st.booleans()), min_size=1, max_size=4),
    window=st.sampled_from(WINDOWS),
    plan=plans,
    reply=st.lists(replies, min_size=1, max_size=4),
    ratio=st.sampled_from((1.0, 1.6)),
    reports_cache=st.booleans(),
    forced=st.sampled_from(("", "manual", "overflow", "tool", "max_tokens")),
)
def test_every_request_is_valid_and_fits_and_resume_gives_the_same_bytes(
    rounds, window, plan, reply, ratio, reports_cache, forced
):
    bench = bench_of(window, plan, reply, ratio, reports_cache)
    for typed, chunk, interrupted in rounds:
        bench.ledger.message("user", (Text(typed or "hello"),))
        for message in (message for group in chunk for message in group):
            bench.ledger.message(*message)
        if interrupted:
            bench.ledger.interrupt("turn")
        check_request(bench)
        if forced:
            before = tuple(bench.store.entries)
            bench.compress(forced)
            assert tuple(bench.store.entries[: len(before)]) == before
            check_request(bench)
        bench.clock.seconds += 4_000


def check_request(bench: Bench) -> None:
    before = tuple(bench.store.entries)
    view = bench.ledger.view
    pending = pending_in(view.messages)
    try:
        request = bench.prepare()
    except ContextError:
        assert bench.engine.mode != "none"
        request = None
    assert tuple(bench.store.entries[: len(before)]) == before, "a compaction only appends"
    added = bench.store.entries[len(before) :]
    if bench.engine.mode == "none":
        assert added == []
    check_resume(bench)
    if request is None:
        return
    assert problems(request.messages) == ()
    if bench.engine.mode != "none":
        assert bench.own(request) <= bench.engine.usable
    if pending is not None and pending.text.strip():
        typed = [message for message in request.messages if message.typed]
        assert typed[-1].text == repair((pending,))[0].text
    usage = Usage(int(bench.engine.estimate(request) * 1.3), 10)
    estimated = bench.engine.estimate(request)
    bench.engine.observe(usage, estimated)
    bench.ledger.usage(bench.provider.model.id, usage, estimated=estimated)


def check_resume(bench: Bench) -> None:
    lines = [msgspec.json.encode(entry) for entry in bench.store.entries]
    read = [msgspec.json.decode(line, type=Entry) for line in lines]
    assert fold_all(read) == bench.ledger.view
    assert as_sent(repair(fold_all(read).messages)) == as_sent(repair(bench.ledger.view.messages))


@given(st.lists(st.one_of(orderly_steps(), wild_messages), max_size=14))
def test_repair_mends_anything_and_changes_nothing_twice(groups):
    flat = [message for group in groups for message in group]
    messages = tuple(Message(f"m{n}", "t", role, parts) for n, (role, parts) in enumerate(flat, 1))
    once = repair(messages)
    assert problems(once) == ()
    assert repair(once) is once


@given(
    rounds=st.integers(3, 30), window=st.sampled_from(WINDOWS[:3]), keep=st.sampled_from(("half", "minimal"))
)
def test_compactions_hold_no_copy_of_history(rounds, window, keep):
    bench = Bench("## Goal\nGo on.", window=window, keep=keep)
    bench.user("read everything")
    for number in range(rounds):
        bench.step(f"line {number} " * 700)
        bench.prepare()
    for entry in bench.compactions:
        assert entry.tokens_after < entry.tokens_before
        assert len(entry.summary) < 12_000
    kinds = [type(entry) for entry in bench.store.entries]
    assert kinds.count(Message) == 1 + 2 * rounds
    assert set(kinds) <= {Message, Compaction, Clear}
