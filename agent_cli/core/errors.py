"""Every error this package raises on purpose.

AgentError                     message = what happened and what to do next
├── SettingsError              a setting or flag is wrong
├── UsageError                 the command line is wrong (exit 2)
├── InputError                 empty prompt, unreadable file, unknown session (exit 42)
├── SessionLocked              another process holds the session
├── ContextError               the fixed part alone does not fit the window
└── ProviderError              a model call failed
    ├── Overflow               the input is too long for the window
    ├── RateLimited            too many requests; may carry `retry_after`
    ├── Overloaded             the provider has no capacity now
    ├── QuotaExceeded          the account's quota or credit is used up
    ├── AuthFailed             the key is missing, wrong or not allowed
    ├── MalformedHistory       the provider refuses the message list
    ├── BadRequest             the provider refuses the request otherwise
    ├── ContentFiltered        a filter stopped the answer
    ├── ConnectionFailed       the server could not be reached, or gave no sign of life
    ├── StreamCut              the answer broke off in the middle
    └── ServerFailed           the provider had an internal error
"""


class AgentError(Exception):
    """Base of all errors of this package. The text is for the user."""


class SettingsError(AgentError):
    """A settings file, environment variable or `--set` value cannot be used."""


class UsageError(AgentError):
    """The command line is wrong."""


class InputError(AgentError):
    """The prompt is empty, a named file cannot be read, or a session does not exist."""


class SessionLocked(AgentError):
    """Another process holds the session open."""


class ContextError(AgentError):
    """What must be sent does not fit the model's window; the message names the sizes in tokens."""


class ProviderError(AgentError):
    """A model call failed. `retryable` tells the retry layer whether the same request may work later."""

    retryable = False

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after
        """Seconds the server asked to wait, if it did."""


class Overflow(ProviderError):
    """The input is longer than the window; `limit` and `used` are tokens where the server named them."""

    def __init__(
        self, message: str, *, limit: int | None = None, used: int | None = None, status: int | None = None
    ) -> None:
        super().__init__(message, status=status)
        self.limit = limit
        self.used = used


class RateLimited(ProviderError):
    """Too many requests or tokens in a short time."""

    retryable = True


class Overloaded(ProviderError):
    """The provider has no capacity at the moment."""

    retryable = True


class QuotaExceeded(ProviderError):
    """The account's quota or credit is used up."""


class AuthFailed(ProviderError):
    """The key is missing, wrong, or not allowed to do this."""


class MalformedHistory(ProviderError):
    """The provider refuses the message list, for instance a call without its result."""


class ThinkingRefused(MalformedHistory):
    """The provider refuses the model's earlier thinking in the message list (C31)."""


class BadRequest(ProviderError):
    """The provider refuses the request for a reason of its own."""


class ContentFiltered(ProviderError):
    """A filter stopped the request or the answer."""


class ConnectionFailed(ProviderError):
    """The server could not be reached or went silent."""

    retryable = True


class StreamCut(ProviderError):
    """The answer broke off before its end."""

    retryable = True


class ServerFailed(ProviderError):
    """The provider had an internal error."""

    retryable = True
