"""How servers say that the input is too long for the model's window, one row per wording."""

import re

import msgspec


class Row(msgspec.Struct, frozen=True):
    """A wording: whose it is and the pattern; its groups `limit`, `used` and `more` are tokens (`used` + `more`)."""

    server: str
    pattern: str


class Sizes(msgspec.Struct, frozen=True):
    """What a server said about the sizes, in its own tokens."""

    limit: int | None = None
    used: int | None = None


_LIMIT = r"(?P<limit>[\d,]+)"
_USED = r"(?P<used>[\d,]+)"

ROWS = (
    Row("OpenAI", rf"maximum context length is {_LIMIT} tokens.*?your messages resulted in {_USED} tokens"),
    Row("vLLM", rf"maximum context length is {_LIMIT} tokens.*?requested (?P<more>[\d,]+) output tokens.*?at least {_USED} input"),
    Row("OpenAI", rf"maximum context length (?:is|of) {_LIMIT}(?: tokens)?.*?requested (?:about )?{_USED}"),
    Row("Anthropic", rf"prompt is too long: {_USED} tokens > {_LIMIT} maximum"),
    Row("Anthropic", rf"input length and `?max_tokens`? exceed context limit: {_USED} \+ (?P<more>[\d,]+) > {_LIMIT}"),
    Row("Gemini", rf"input token count \(?{_USED}\)? exceeds the maximum number of tokens allowed \(?{_LIMIT}"),
    Row("Qwen", rf"range of input length should be \[\d+, ?{_LIMIT}\]"),
    Row("Ollama", r"prompt too long; exceeded max context length"),
    Row("Ollama", r"input exceeds context length"),
    Row("vLLM", rf"context length is only {_LIMIT} tokens"),
    Row("various", rf"input length \({_USED}\) exceeds model's maximum context length \({_LIMIT}\)"),
    Row("vLLM", r"input length.{0,80}exceeds?.{0,40}context length"),
    Row("vLLM", r"max_model_len"),
    Row("llama.cpp", rf"request \({_USED} tokens\) exceeds the available context size \({_LIMIT} tokens\)"),
    Row("llama.cpp", rf"n_prompt_tokens: {_USED}.*?n_ctx: {_LIMIT}"),
    Row("llama.cpp", rf"n_ctx: {_LIMIT}.*?n_prompt_tokens: {_USED}"),
    Row("llama.cpp", r"exceed_context_size_error|context size has been exceeded"),
    Row("llama-cpp-python", rf"requested tokens \({_USED}\) exceed context window of {_LIMIT}"),
    Row("LM Studio", r"tokens to keep from the initial prompt is greater than the context length"),
    Row("LM Studio", r"trying to keep the first [\d,]+ tokens when context the overflows"),
    Row("Poolside", rf"input length {_USED} exceeds the maximum allowed input length of {_LIMIT}"),
    Row("Bedrock", r"input is too long for requested model"),
    Row("Bedrock", r"exceeds the maximum number of input tokens"),
    Row("Groq", r"please reduce the length of the messages or completion"),
    Row("Mistral", rf"prompt contains {_USED} tokens.*?too large for model with {_LIMIT} maximum context length"),
    Row("Mistral", r"context too long|input too large|couldn't fit with truncation|prompt_too_long|model_context_exceeded"),
    Row("xAI", rf"maximum prompt length is {_LIMIT} but the request contains {_USED} tokens"),
    Row("Moonshot", rf"exceeded model token limit: {_LIMIT} \(requested: {_USED}\)"),
    Row("MiniMax", r"context window exceeds limit"),
    Row("Z.ai", r"model_context_window_exceeded"),
    Row("GitHub Copilot", rf"prompt token count of {_USED} exceeds the limit of {_LIMIT}"),
    Row("Together", rf"the input \({_USED} tokens\) is longer than the model's context length \({_LIMIT} tokens\)"),
    Row("Vercel", rf"input too long: {_USED} input tokens, limit is {_LIMIT}"),
    Row("DS4", rf"prompt has {_USED} tokens, but the configured context size is {_LIMIT}"),
    Row("DS4", r"\bcontext_exceeded\b"),
    Row("OpenAI", r"input exceeds the context window of this model"),
    Row("OpenAI", rf"maximum context length (?:is|of) {_LIMIT}"),
    Row("DeepSeek", r"maximum context length"),
    Row("OpenAI", r"context_length_exceeded"),
    Row("various", r"request entity too large|request_too_large|input_too_long|超过最大长度|上下文长度"),
)  # fmt: skip
"""Wordings with numbers come first, so that the numbers are found."""

_PATTERNS = tuple(re.compile(row.pattern, re.IGNORECASE | re.DOTALL) for row in ROWS)


def find(text: str) -> Sizes | None:
    """Returns the sizes an overflow message names (perhaps none of them), or None when it is no such message."""
    found = next((match for pattern in _PATTERNS if (match := pattern.search(text))), None)
    if found is None:
        return None
    numbers = {name: int(value.replace(",", "")) for name, value in found.groupdict().items() if value}
    used = numbers["used"] + numbers.get("more", 0) if "used" in numbers else None
    return Sizes(numbers.get("limit"), used)
