"""Tokens are counted for real, and cached beginnings are reported the way each service reports them."""

from agent_cli.providers.fakes import Call, FakeServer, Reply
from agent_cli.tokens.count import IMAGE_TOKENS, Counter
from tests.unit.providers.fakes.asking import KEYS, PATHS, ask

WORDS = " ".join(f"word{number}" for number in range(700))
MARK = {"type": "ephemeral"}


def usage_of(server, wire, body):
    status, answer = ask(server, "POST", PATHS[wire], body, KEYS[wire])
    assert status == 200
    return answer["usage"]


def chat(*texts, **fields):
    return {"model": "scripted", "messages": [{"role": "user", "content": text} for text in texts], **fields}


def marked(*texts, marks=(), system=()):
    """A Messages request; `marks` are the indexes of texts that carry a cache mark."""
    messages = [
        {
            "role": "user",
            "content": [{"type": "text", "text": text, **({"cache_control": MARK} if at in marks else {})}],
        }
        for at, text in enumerate(texts)
    ]
    made = {"model": "scripted", "max_tokens": 9, "messages": messages}
    return {**made, "system": [{"type": "text", "text": text} for text in system]} if system else made


def always():
    return FakeServer(lambda request: Reply("done"), window=200_000)


def test_input_is_the_o200k_count_of_what_was_sent_and_little_more():
    counted = Counter().text(WORDS)
    with always() as server:
        ours = usage_of(server, "openai", chat(WORDS))["prompt_tokens"]
        theirs = usage_of(server, "anthropic", marked(WORDS))["input_tokens"]
    assert counted < ours <= counted + 10
    assert counted < theirs <= counted + 10


def test_system_and_tools_count():
    schema = {"type": "object", "properties": {"path": {"type": "string", "description": WORDS}}}
    with always() as server:
        plain = usage_of(server, "openai", chat("hi"))["prompt_tokens"]
        tools = [{"type": "function", "function": {"name": "look", "parameters": schema}}]
        assert usage_of(server, "openai", chat("hi", tools=tools))["prompt_tokens"] > plain + Counter().text(
            WORDS
        )
        plain = usage_of(server, "anthropic", marked("hi"))["input_tokens"]
        tools = [{"name": "look", "input_schema": schema}]
        assert usage_of(server, "anthropic", {**marked("hi"), "tools": tools})[
            "input_tokens"
        ] > plain + Counter().text(WORDS)
        assert (
            usage_of(server, "anthropic", marked("hi", system=[WORDS]))["input_tokens"]
            > plain + Counter().text(WORDS) - 1
        )


def test_c41_images_count_flat_and_not_by_their_bytes():
    url = {"url": "data:image/png;base64," + "A" * 90_000}
    source = {"type": "base64", "media_type": "image/png", "data": "A" * 90_000}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "image", "source": source}]}
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    with always() as server:
        body = {
            "model": "scripted",
            "messages": [{"role": "user", "content": [{"type": "image_url", "image_url": url}]}],
        }
        assert IMAGE_TOKENS <= usage_of(server, "openai", body)["prompt_tokens"] < IMAGE_TOKENS + 20
        body = {**marked("hi"), "tools": [{"name": "look", "input_schema": {"type": "object"}}]}
        body["messages"] += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        assert IMAGE_TOKENS <= usage_of(server, "anthropic", body)["input_tokens"] < IMAGE_TOKENS + 60


def test_output_is_counted_with_thinking_and_calls():
    reply = Reply(WORDS, thinking=WORDS, calls=(Call("look", {"at": WORDS}),))
    with FakeServer([reply] * 2) as server:
        ours = usage_of(server, "openai", chat("hi"))["completion_tokens"]
        theirs = usage_of(server, "anthropic", marked("hi"))["output_tokens"]
    counted = Counter().text(WORDS)
    assert 3 * counted <= ours == theirs < 3 * counted + 20


def test_openai_caches_by_itself_above_1024_tokens_in_steps_of_128():
    with always() as server:
        first = usage_of(server, "openai", chat(WORDS))
        again = usage_of(server, "openai", chat(WORDS, "and now?"))
        other = usage_of(server, "openai", chat("Before: " + WORDS, "and now?"))
        short = [usage_of(server, "openai", chat("hi", "again")) for _ in range(2)]
    cached = [usage["prompt_tokens_details"]["cached_tokens"] for usage in (first, again, other, *short)]
    assert first["prompt_tokens"] > 1024
    assert cached == [0, first["prompt_tokens"] // 128 * 128, 0, 0, 0]


def test_anthropic_caches_only_up_to_marks():
    with always() as server:
        unmarked = [usage_of(server, "anthropic", marked(WORDS, "hi")) for _ in range(2)]
        written = usage_of(server, "anthropic", marked(WORDS, "hi", marks=[0]))
        read = usage_of(server, "anthropic", marked(WORDS, "hi", "more", marks=[2]))
        total = usage_of(server, "anthropic", marked(WORDS, "hi", "more"))["input_tokens"]
    assert all(
        usage["cache_read_input_tokens"] == usage["cache_creation_input_tokens"] == 0 for usage in unmarked
    )
    size = written["cache_creation_input_tokens"]
    assert size > 1024
    assert written["cache_read_input_tokens"] == 0
    assert written["input_tokens"] == unmarked[0]["input_tokens"] - size
    assert read["cache_read_input_tokens"] == size
    assert read["cache_creation_input_tokens"] == total - size
    assert read["input_tokens"] == 0


def test_anthropic_marks_on_short_beginnings_do_nothing():
    with always() as server:
        usages = [usage_of(server, "anthropic", marked("hi", "you", marks=[0])) for _ in range(2)]
    assert all(
        usage["cache_read_input_tokens"] == usage["cache_creation_input_tokens"] == 0 for usage in usages
    )


def test_a_changed_beginning_is_not_read_from_the_cache():
    with always() as server:
        usage_of(server, "anthropic", marked(WORDS, system=["one"], marks=[0]))
        changed = usage_of(server, "anthropic", marked(WORDS, system=["two"], marks=[0]))
    assert changed["cache_read_input_tokens"] == 0
    assert changed["cache_creation_input_tokens"] > 1024


def test_wires_and_models_do_not_share_a_cache():
    with FakeServer(lambda request: Reply("x"), models=("one", "two"), window=200_000) as server:
        for model in ("one", "two"):
            usage = usage_of(server, "openai", {**chat(WORDS), "model": model})
            assert usage["prompt_tokens_details"]["cached_tokens"] == 0


def test_the_record_holds_what_was_billed():
    with always() as server:
        usage_of(server, "openai", chat(WORDS))
        billed = usage_of(server, "openai", chat(WORDS, "more"))
    usage = server.requests[1].usage
    assert (usage.input, usage.output) == (billed["prompt_tokens"], billed["completion_tokens"])
    assert usage.cache_read == billed["prompt_tokens_details"]["cached_tokens"] > 0
