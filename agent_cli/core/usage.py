"""What a model call used and cost."""

import msgspec


class Usage(msgspec.Struct, frozen=True):
    """Tokens of model calls as the provider counts them; `input` is all input, cached parts included.

    `cache_read` and `cache_write` are the parts of `input` that were read from or written to a prompt cache.
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )
