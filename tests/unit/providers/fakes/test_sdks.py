"""The real SDKs understand every shape the server sends."""

import anthropic
import openai
import pytest

from agent_cli.core.usage import Usage
from agent_cli.providers.fakes import Call, FakeServer, Fault, Reply

HI = {"role": "user", "content": "hi"}
WHOLE = Reply(
    "Grüße 🎉, some words long enough for several pieces",
    thinking="a thought that is also longer than one piece",
    calls=(Call("look", {"path": "ä.txt"}), Call("look", '{"half', id="own_id")),
)


@pytest.fixture
def serve():
    """Starts a server with both clients; all are closed at the end."""
    opened = []

    def start(script, **options):
        server = FakeServer(script, **options)
        server.__enter__()
        ours = openai.OpenAI(api_key="test-key", base_url=server.openai_url, max_retries=0)
        theirs = anthropic.Anthropic(api_key="test-key", base_url=server.anthropic_url, max_retries=0)
        opened.extend((ours.close, theirs.close, lambda: server.__exit__(None, None, None)))
        return server, ours, theirs

    yield start
    for close in opened:
        close()


def test_openai_stream_carries_thinking_text_calls_stop_and_usage(serve):
    server, client, _ = serve([WHOLE])
    text = thinking = ""
    calls: dict[int, list[str]] = {}
    finishes = []
    with client.chat.completions.create(
        model="scripted", messages=[HI], stream=True, stream_options={"include_usage": True}
    ) as stream:
        chunks = list(stream)
    for chunk in chunks:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            thinking += getattr(choice.delta, "reasoning_content", None) or ""
            finishes += [choice.finish_reason] if choice.finish_reason else []
            for call in choice.delta.tool_calls or ():
                entry = calls.setdefault(call.index, [call.id, call.function.name, ""])
                entry[2] += call.function.arguments
    assert (text, thinking, finishes) == (WHOLE.text, WHOLE.thinking, ["tool_calls"])
    assert calls[0][1:] == ["look", '{"path": "ä.txt"}']
    assert calls[0][0].startswith("call_")
    assert calls[1] == ["own_id", "look", '{"half']
    assert len({chunk.id for chunk in chunks}) == 1
    assert [chunk.usage is None for chunk in chunks] == [True] * (len(chunks) - 1) + [False]
    assert chunks[-1].choices == []
    assert chunks[-1].usage.prompt_tokens == server.requests[0].input_tokens > 0
    assert chunks[-1].usage.completion_tokens > 20


def test_openai_stream_without_usage_when_not_asked_for(serve):
    _, client, _ = serve([Reply("x")])
    with client.chat.completions.create(model="scripted", messages=[HI], stream=True) as stream:
        assert all(chunk.usage is None for chunk in stream)


def test_openai_whole_answer(serve):
    _, client, _ = serve([WHOLE, Reply("done")])
    answer = client.chat.completions.create(model="scripted", messages=[HI])
    message = answer.choices[0].message
    assert (message.content, answer.choices[0].finish_reason) == (WHOLE.text, "tool_calls")
    assert [call.function.arguments for call in message.tool_calls] == ['{"path": "ä.txt"}', '{"half']
    assert client.chat.completions.create(model="scripted", messages=[HI]).choices[0].finish_reason == "stop"


def test_anthropic_stream_carries_thinking_text_calls_stop_and_usage(serve):
    server, _, client = serve([Reply(WHOLE.text, thinking=WHOLE.thinking, calls=WHOLE.calls[:1])])
    with client.messages.stream(model="scripted", max_tokens=9, messages=[HI]) as stream:
        kinds = [event.type for event in stream]
        answer = stream.get_final_message()
    thought, text, call = answer.content
    assert (thought.thinking, text.text) == (WHOLE.thinking, WHOLE.text)
    assert (call.name, call.input, answer.stop_reason) == ("look", {"path": "ä.txt"}, "tool_use")
    assert call.id.startswith("toolu_")
    assert answer.usage.input_tokens == server.requests[0].input_tokens > 0
    assert answer.usage.output_tokens > 20
    assert kinds[0] == "message_start"
    assert kinds[-1] == "message_stop"


def test_anthropic_broken_arguments_arrive_as_they_are_in_a_stream(serve):
    _, _, client = serve([WHOLE])
    with client.messages.create(model="scripted", max_tokens=9, messages=[HI], stream=True) as stream:
        pieces = [
            event.delta.partial_json
            for event in stream
            if event.type == "content_block_delta" and event.index == 3
        ]
    assert "".join(pieces) == '{"half'


def test_anthropic_whole_answer_and_its_thinking_is_accepted_back(serve):
    server, _, client = serve([Reply("so it is", thinking="hm"), Reply("done")])
    answer = client.messages.create(model="scripted", max_tokens=9, messages=[HI])
    assert [block.type for block in answer.content] == ["thinking", "text"]
    back = [HI, {"role": "assistant", "content": answer.content}, HI]
    assert client.messages.create(model="scripted", max_tokens=9, messages=back).stop_reason == "end_turn"
    assert server.refused == []


def test_models_are_listed_in_the_shape_of_the_wire_that_asks(serve):
    server, ours, theirs = serve([], models=("small", "big"), window=9_000)
    assert [model.id for model in ours.models.list()] == ["small", "big"]
    assert [model.id for model in theirs.models.list()] == ["small", "big"]
    assert ours.models.retrieve("big").id == "big"
    assert theirs.models.retrieve("big").max_input_tokens == 9_000
    with pytest.raises(openai.NotFoundError):
        ours.models.retrieve("huge")
    assert server.requests == []
    assert len(server.lookups) == 5


def test_listing_models_needs_the_key(serve):
    server, _, _ = serve([])
    with (
        openai.OpenAI(api_key="wrong", base_url=server.openai_url, max_retries=0) as client,
        pytest.raises(openai.AuthenticationError),
    ):
        client.models.list()
    with (
        anthropic.Anthropic(api_key="wrong", base_url=server.anthropic_url, max_retries=0) as client,
        pytest.raises(anthropic.AuthenticationError),
    ):
        client.models.list()


def test_unknown_paths_get_404(serve):
    server, ours, _ = serve([])
    with pytest.raises(openai.NotFoundError, match="Invalid URL"):
        ours.responses.create(model="scripted", input="x")
    assert [request.path for request in server.refused] == ["/v1/responses"]


@pytest.mark.parametrize(
    ("status", "ours", "theirs", "kind"),
    [
        (400, openai.BadRequestError, anthropic.BadRequestError, "invalid_request_error"),
        (401, openai.AuthenticationError, anthropic.AuthenticationError, "authentication_error"),
        (403, openai.PermissionDeniedError, anthropic.PermissionDeniedError, "permission_error"),
        (429, openai.RateLimitError, anthropic.RateLimitError, "rate_limit_error"),
        (500, openai.InternalServerError, anthropic.InternalServerError, "api_error"),
        (529, openai.InternalServerError, anthropic.InternalServerError, "overloaded_error"),
    ],
)
def test_faults_become_the_sdks_errors_with_headers(serve, status, ours, theirs, kind):
    fault = Fault(status, "so it goes", headers={"retry-after": "7"})
    server, first, second = serve([fault, fault])
    with pytest.raises(ours) as caught:
        first.chat.completions.create(model="scripted", messages=[HI])
    assert caught.value.body["message"] == "so it goes"
    assert caught.value.response.headers["retry-after"] == "7"
    with pytest.raises(theirs) as caught:
        second.messages.create(model="scripted", max_tokens=9, messages=[HI])
    assert caught.value.body["error"] == {"type": kind, "message": "so it goes"}
    assert [request.status for request in server.requests] == [status, status]
    assert [request.error for request in server.requests] == ["so it goes", "so it goes"]
    assert server.refused == []


def test_fault_bodies_are_sent_as_given_and_overflow_speaks_the_wires_words(serve):
    odd = {"detail": [{"loc": ["body"], "msg": "no"}]}
    _, ours, theirs = serve(
        [
            Fault(422, odd),
            Fault.overflow("openai", limit=10, used=12),
            Fault.overflow("anthropic", limit=10, used=12),
        ]
    )
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        ours.chat.completions.create(model="scripted", messages=[HI])
    assert caught.value.response.json() == odd
    with pytest.raises(
        openai.BadRequestError, match=r"maximum context length is 10 tokens.*12 tokens"
    ) as caught:
        ours.chat.completions.create(model="scripted", messages=[HI])
    assert caught.value.code == "context_length_exceeded"
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long: 12 tokens > 10 maximum"):
        theirs.messages.create(model="scripted", max_tokens=9, messages=[HI])


@pytest.mark.parametrize(
    ("stop", "ours", "theirs"),
    [
        ("length", "length", "max_tokens"),
        ("max_tokens", "length", "max_tokens"),
        ("content_filter", "content_filter", "refusal"),
        ("refusal", "content_filter", "refusal"),
        ("end_turn", "stop", "end_turn"),
    ],
)
def test_stop_words_of_either_wire_are_translated(serve, stop, ours, theirs):
    _, first, second = serve([Reply("x", stop=stop)] * 2)
    assert first.chat.completions.create(model="scripted", messages=[HI]).choices[0].finish_reason == ours
    assert second.messages.create(model="scripted", max_tokens=9, messages=[HI]).stop_reason == theirs


def test_an_empty_reply_is_a_valid_answer_without_content(serve):
    _, ours, theirs = serve([Reply()] * 2)
    assert ours.chat.completions.create(model="scripted", messages=[HI]).choices[0].message.content == ""
    with theirs.messages.stream(model="scripted", max_tokens=9, messages=[HI]) as stream:
        assert stream.get_final_message().content == []


def test_usage_can_be_scripted(serve):
    reply = Reply("x", usage=Usage(input=100, output=7, cache_read=60, cache_write=30))
    server, ours, theirs = serve([reply] * 2)
    usage = ours.chat.completions.create(model="scripted", messages=[HI]).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.prompt_tokens_details.cached_tokens) == (
        100,
        7,
        60,
    )
    usage = theirs.messages.create(model="scripted", max_tokens=9, messages=[HI]).usage
    assert (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens) == (
        10,
        60,
        30,
    )
    assert server.requests[0].usage == reply.usage


def test_request_ids_arrive_where_the_sdks_look(serve):
    _, ours, theirs = serve([Reply("x")] * 2)
    assert ours.chat.completions.create(model="scripted", messages=[HI])._request_id == "req_000001"
    assert theirs.messages.create(model="scripted", max_tokens=9, messages=[HI])._request_id == "req_000002"
