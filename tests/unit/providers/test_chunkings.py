"""However a stream is cut into pieces, the answer is the same."""

import json

from hypothesis import given
from hypothesis import strategies as st

from agent_cli.core.messages import Text, Thinking, ToolCall
from agent_cli.core.models import Completion
from agent_cli.providers.anthropic_answer import AnthropicAnswer
from agent_cli.providers.classify import Asked
from agent_cli.providers.openai_answer import OpenAIAnswer
from agent_cli.providers.portable import as_object
from agent_cli.providers.sse import EventReader
from tests.build import user

ASKED = Asked("acme", "KEY")
HISTORY = (user("hi", id="m1"),)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.text(max_size=4), VALUES, max_size=3)
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)


def pieces(draw, text: str) -> list[str]:
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def read(body: bytes, draw, answer) -> Completion:
    """Feeds the bytes in pieces of any size."""
    reader = EventReader()
    cuts = sorted(draw(st.sets(st.integers(0, len(body)), max_size=12)))
    events = [
        event for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True) for event in reader.feed(body[a:b])
    ]
    for event in [*events, *reader.close()]:
        list(answer.feed(event))
    return answer.completion("")


@given(
    st.data(),
    WORDS,
    WORDS,
    st.lists(ARGUMENTS, min_size=1, max_size=3),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_chat_completions(data, thought, text, arguments, newline):
    written = [json.dumps(one, ensure_ascii=data.draw(st.booleans())) for one in arguments]
    chunks = [{"reasoning_content": piece} for piece in pieces(data.draw, thought)]
    chunks += [{"content": piece} for piece in pieces(data.draw, text)]
    for index, whole in enumerate(written):
        first, *rest = pieces(data.draw, whole)
        start = {"index": index, "id": f"c{index}", "function": {"name": "f", "arguments": first}}
        chunks.append({"tool_calls": [start]})
        chunks += [{"tool_calls": [{"index": index, "function": {"arguments": piece}}]} for piece in rest]
    lines = [json.dumps({"choices": [{"delta": chunk}]}, ensure_ascii=False) for chunk in chunks]
    lines += ['{"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}', "[DONE]"]
    body = "".join(f"data: {line}{newline}{newline}" for line in lines).encode("utf-8", "surrogatepass")
    done = read(body, data.draw, OpenAIAnswer(HISTORY, ASKED))
    assert done.parts == (
        Thinking(thought, wire="openai:reasoning_content"),
        Text(text),
        *(ToolCall(f"c{index}", "f", whole) for index, whole in enumerate(written)),
    )


@given(st.data(), WORDS, WORDS, st.lists(ARGUMENTS, min_size=1, max_size=3))
def test_messages(data, thought, text, arguments):
    written = [json.dumps(one) for one in arguments]
    events = []

    def block(start, kind, field, whole, *more):
        index = sum(event["type"] == "content_block_start" for event in events)
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        deltas = [*({"type": kind, field: piece} for piece in pieces(data.draw, whole)), *more]
        events.extend({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)

    block(
        {"type": "thinking", "thinking": "", "signature": ""},
        "thinking_delta",
        "thinking",
        thought,
        {"type": "signature_delta", "signature": "S="},
    )
    block({"type": "text", "text": ""}, "text_delta", "text", text)
    for index, whole in enumerate(written):
        block(
            {"type": "tool_use", "id": f"t{index}", "name": "f", "input": {}},
            "input_json_delta",
            "partial_json",
            whole,
        )
    events.append({"type": "message_stop"})
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
    done = read(body, data.draw, AnthropicAnswer(HISTORY, ASKED))
    assert done.parts == (
        Thinking(thought, signature="S=", wire="anthropic"),
        Text(text),
        *(ToolCall(f"t{index}", "f", whole) for index, whole in enumerate(written)),
    )


@given(st.lists(st.fixed_dictionaries({}, optional={
    "index": st.none() | st.integers(-1, 2) | st.text(max_size=1),
    "id": st.none() | st.sampled_from(["", "a", "b"]) | st.integers(),
    "function": st.none() | st.fixed_dictionaries({}, optional={
        "name": st.none() | st.sampled_from(["", "f", "g"]) | st.integers(),
        "arguments": st.none() | VALUES | st.sampled_from(["{", "}", "{}", '{"a":', "1}"]),
    }),
}), max_size=8))  # fmt: skip
def test_rubbish_in_tool_calls_never_raises_and_ids_stay_unique(entries):
    answer = OpenAIAnswer(HISTORY, ASKED)
    reader = EventReader()
    for entry in entries:
        chunk = {"choices": [{"delta": {"tool_calls": [entry]}}]}
        for event in reader.feed(f"data: {json.dumps(chunk)}\n\n".encode()):
            list(answer.feed(event))
    ids = [call.id for call in answer.completion("").parts]
    assert len(set(ids)) == len(ids)
    assert all(ids)


@given(st.text(max_size=30) | VALUES.map(json.dumps))
def test_arguments_always_become_an_object_that_can_be_sent(text):
    value = as_object(text)
    assert isinstance(value, dict)
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
