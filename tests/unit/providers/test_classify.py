"""Refusals → errors: one row a wording."""

import json
from datetime import UTC, datetime

import pytest

from agent_cli.core import errors
from agent_cli.providers.classify import Asked, classify, retry_after

ASKED = Asked("acme", "ACME_KEY", "sk-abcdef123456")


def of(status, text, code=None, **fields):
    return classify(status, text, code, asked=ASKED, **fields)


def wrapped(message, **fields):
    return json.dumps({"error": {"message": message, **fields}})


OVERFLOWS = [
    (400, wrapped("Please shorten it", code="context_length_exceeded"), None, None),
    (None, wrapped("Your input exceeds the context window of this model. Please adjust your input and try again."), None, None),
    (400, wrapped("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length."), 8192, 9000),
    (400, wrapped("This model's maximum context length is 4097 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion)."), 4097, 5000),
    (400, wrapped("(context_length_exceeded) This model's maximum context length is 128,000 tokens.", type="invalid_request_error", param="messages"), 128000, None),
    (400, wrapped("prompt is too long: 205431 tokens > 200000 maximum", type="invalid_request_error"), 200000, 205431),
    (400, wrapped("input length and `max_tokens` exceed context limit: 195000 + 8192 > 200000, decrease input length"), 200000, 203192),
    (413, wrapped("Request exceeds the maximum size", type="request_too_large"), None, None),
    (400, wrapped("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."), 1048576, 1200000),
    (400, wrapped("This model's maximum context length is 65536 tokens. However, you requested 70000 tokens", code="invalid_request_error"), 65536, 70000),
    (400, wrapped("Range of input length should be [1, 30720]", code="InvalidParameter"), 30720, None),
    (400, wrapped("prompt too long; exceeded max context length by 12 tokens"), None, None),
    (400, "input exceeds context length", None, None),
    (400, wrapped("This model's maximum context length is 4096 tokens. However, you requested 512 output tokens and your prompt contains at least 3700 input tokens"), 4096, 4212),
    (400, wrapped("the model's context length is only 2048 tokens"), 2048, None),
    (400, wrapped("input length (9000) exceeds the model's context length"), None, None),
    (422, wrapped("prompt is longer than max_model_len"), None, None),
    (400, json.dumps({"error": {"code": 400, "message": "request (5000 tokens) exceeds the available context size (4096 tokens)", "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}}), 4096, 5000),
    (400, json.dumps({"error": {"type": "other", "n_prompt_tokens": 5000, "n_ctx": 4096}}), 4096, 5000),
    (500, wrapped("Context size has been exceeded."), None, None),
    (400, wrapped("Requested tokens (5000) exceed context window of 4096"), 4096, 5000),
    (200, wrapped("The number of tokens to keep from the initial prompt is greater than the context length."), None, None),
    (None, "Trying to keep the first 9000 tokens when context the overflows.", None, None),
    (400, wrapped("This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (130000 of text input, 10000 in the output)."), 131072, 140000),
    (400, wrapped("Input length 40000 exceeds the maximum allowed input length of 32768 tokens"), 32768, 40000),
    (400, json.dumps({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": wrapped("prompt is too long: 205431 tokens > 200000 maximum")}}}), 200000, 205431),
    (400, json.dumps({"message": "Input is too long for requested model."}), None, None),
    (400, json.dumps({"message": "the request exceeds the maximum number of input tokens"}), None, None),
    (400, wrapped("Please reduce the length of the messages or completion.", code="context_length_exceeded"), None, None),
    (400, wrapped("Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"), 32768, 40000),
    (400, wrapped("context too long"), None, None),
    (400, wrapped("input too large"), None, None),
    (400, wrapped("couldn't fit with truncation"), None, None),
    (400, wrapped("x", code="prompt_too_long"), None, None),
    (422, wrapped("x", code="model_context_exceeded"), None, None),
    (400, wrapped("This model's maximum prompt length is 131072 but the request contains 140000 tokens."), 131072, 140000),
    (400, wrapped("Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)"), 8192, 9000),
    (400, wrapped("invalid params, context window exceeds limit"), None, None),
    (400, wrapped("x", code="model_context_window_exceeded"), None, None),
    (400, "", None, None),
    (413, "", None, None),
    (400, wrapped("prompt token count of 70000 exceeds the limit of 64000"), 64000, 70000),
    (400, wrapped("The input (9000 tokens) is longer than the model's context length (8192 tokens)."), 8192, 9000),
    (400, wrapped("Input too long: 9000 input tokens, limit is 8192"), 8192, 9000),
    (400, wrapped("Prompt has 9000 tokens, but the configured context size is 8192 tokens", type="context_exceeded"), 8192, 9000),
    (400, wrapped("Input length (9000) exceeds model's maximum context length (8192)."), 8192, 9000),
    (413, "<html><h1>413 Request Entity Too Large</h1></html>", None, None),
    (400, wrapped("x", code="input_too_long"), None, None),
    (400, wrapped("输入内容超过最大长度"), None, None),
    (400, wrapped("超出模型上下文长度"), None, None),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "limit", "used"), OVERFLOWS)
def test_overflow_wordings_and_their_numbers(status, body, limit, used):
    error = of(status, body)
    assert isinstance(error, errors.Overflow), error
    assert (error.limit, error.used) == (limit, used)
    assert not error.retryable


OTHERS = [
    (429, wrapped("This model's maximum context length is 10 tokens"), errors.RateLimited),
    (429, wrapped("x", code="rate_limit_exceeded"), errors.RateLimited),
    (413, wrapped("Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000"), errors.RateLimited),
    (400, wrapped("Too many tokens, please wait before trying again."), errors.RateLimited),
    (400, wrapped("ThrottlingException: maximum context length"), errors.RateLimited),
    (503, wrapped("prompt is too long"), errors.Overloaded),
    (529, wrapped("Overloaded", type="overloaded_error"), errors.Overloaded),
    (500, wrapped("The service unavailable, context_length_exceeded"), errors.Overloaded),
    (504, "", errors.ServerFailed),
    (400, wrapped("deadline exceeded while counting the maximum context length"), errors.ServerFailed),
    (500, wrapped("boom"), errors.ServerFailed),
    (502, "<html>bad gateway</html>", errors.ServerFailed),
    (500, "", errors.ServerFailed),
    (429, wrapped("You exceeded your current quota", code="insufficient_quota"), errors.QuotaExceeded),
    (400, wrapped("Your credit balance is too low to access the API"), errors.QuotaExceeded),
    (402, wrapped("Insufficient Balance"), errors.QuotaExceeded),
    (401, wrapped("Incorrect API key provided"), errors.AuthFailed),
    (403, wrapped("maximum context length"), errors.AuthFailed),
    (400, wrapped("API key not valid. Please pass a valid API key."), errors.AuthFailed),
    (400, wrapped("messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: x"), errors.MalformedHistory),
    (400, wrapped("messages.2: unexpected `tool_use_id` found in `tool_result` blocks: x"), errors.MalformedHistory),
    (400, wrapped("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."), errors.MalformedHistory),
    (500, wrapped("Failed to parse tool call arguments as JSON"), errors.MalformedHistory),
    (400, wrapped("each tool_use must have a single result"), errors.MalformedHistory),
    (400, wrapped("`tool_use` ids must be unique"), errors.MalformedHistory),
    (400, wrapped("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."), errors.MalformedHistory),
    (400, wrapped("messages.1.content.0: Invalid `signature` in `thinking` block"), errors.ThinkingRefused),
    (400, wrapped("messages.5.content.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."), errors.ThinkingRefused),
    (400, wrapped("'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]"), errors.ThinkingRefused),
    (422, wrapped("body.messages.1.reasoning_content: Extra inputs are not permitted"), errors.ThinkingRefused),
    (400, wrapped("The reasoning_content in the thinking mode must be passed back to the API."), errors.MalformedHistory),
    (400, wrapped("thinking is not supported by this model"), errors.BadRequest),
    (400, wrapped("The response was filtered due to the prompt triggering content management policy", code="content_filter"), errors.ContentFiltered),
    (400, wrapped("Range of max_tokens should be [1, 8192]"), errors.BadRequest),
    (400, wrapped("Cached content is too small: minimum token count to start caching is 4096"), errors.BadRequest),
    (404, wrapped("The model `x` does not exist", code="model_not_found"), errors.BadRequest),
    (400, wrapped("Unknown parameter"), errors.BadRequest),
    (418, "teapot, maximum context length", errors.BadRequest),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind"), OTHERS)
def test_vetoes_and_all_other_refusals(status, body, kind):
    error = of(status, body)
    assert type(error) is kind, error
    assert error.status == status


@pytest.mark.parametrize(("status", "body"), [row[:2] for row in OVERFLOWS + OTHERS])
def test_each_message_says_what_happened_and_what_to_do(status, body):
    text = str(of(status, body))
    assert "acme" in text
    assert any(word in text for word in ("Check", "Try again", "try again", "Compact", "Wait", "Say it"))
    assert len(text) < 700


def test_the_key_is_never_in_a_message_and_long_answers_are_cut():
    text = str(of(401, wrapped(f"Incorrect API key provided: {ASKED.api_key}. " + "x" * 5000)))
    assert ASKED.api_key not in text
    assert "[key]" in text
    assert len(text) < 700


def test_an_error_inside_a_stream_names_no_status_that_nobody_sent():
    error = of(None, wrapped("bad", code=502))
    assert isinstance(error, errors.ServerFailed)
    assert "HTTP" not in str(error)


def test_a_code_seen_elsewhere_counts():
    assert isinstance(of(400, wrapped("no"), "context_length_exceeded"), errors.Overflow)


def test_the_wait_a_server_asks_for_is_on_the_error():
    assert of(500, wrapped("boom"), retry_after=4.0).retry_after == 4.0
    assert of(429, wrapped("slow"), retry_after=4.0).retry_after == 4.0


def test_json_nested_without_end_is_no_crash():
    assert isinstance(of(400, "[" * 100_000), errors.BadRequest)


NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Tue, 01 Dec 2026 00:00:30 GMT"}, 30.0),
        ({"retry-after": "Tue, 01 Dec 2020 00:00:30 GMT"}, 0.0),
        ({"retry-after": "Tue, 01 Dec 2026 00:00:30"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after(headers, NOW) == seconds
