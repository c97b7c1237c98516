"""The three output formats: answer on stdout, progress on stderr (design, section 1)."""

import os
from typing import Literal, Protocol, TextIO, assert_never

from agent_cli.core.events import (
    AgentEvent,
    Compacted,
    CompactionStarted,
    Notice,
    Restarted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
)
from agent_cli.headless import encode
from agent_cli.session.session import Session, Totals

Format = Literal["text", "json", "stream-json"]


class Output(Protocol):
    """A way to show a run."""

    def start(self, session: Session, *, cwd: str, permission_mode: str) -> None:
        """The session is open."""
        ...

    def event(self, event: AgentEvent) -> None:
        """Something happened."""
        ...

    def finish(self, end: TurnFinished) -> None:
        """The run is over."""
        ...


class Stream:
    """A text stream whose reader may go away: what cannot be written any more is dropped."""

    def __init__(self, raw: TextIO) -> None:
        self._raw = raw
        self.broken = False
        self.fault = ""
        """Why text was lost, when it was not the reader who went away."""

    def write(self, text: str) -> None:
        """Writes and flushes."""
        if self.broken:
            return
        try:
            self._raw.write(
                text.encode(self._raw.encoding or "utf-8", "replace").decode(self._raw.encoding or "utf-8")
            )
            self._raw.flush()
        except BrokenPipeError:
            self.broken = True
            _silence(self._raw)
        except (ValueError, OSError) as error:
            self.broken = True
            self.fault = (error.strerror if isinstance(error, OSError) else None) or str(error)
            _silence(self._raw)
            _silence(self._raw)


def _silence(raw: TextIO) -> None:
    """Python flushes its streams at exit; a closed pipe would make that fail loudly."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), raw.fileno())
    except (OSError, ValueError):
        return


class Text:
    """Progress on stderr as it happens, the answer on stdout at the end."""

    def __init__(self, out: Stream, err: Stream) -> None:
        self._out = out
        self._err = err

    def start(self, session: Session, *, cwd: str, permission_mode: str) -> None:
        """Nothing to show."""

    def event(self, event: AgentEvent) -> None:
        """Shows what a person waiting would want to see."""
        match event:
            case ToolStarted(call, title):
                self._err.write(f"· {call.name} {_one_line(title)}\n")
            case ToolFinished(call, result, title) if result.is_error:
                self._err.write(f"✗ {call.name} {_one_line(title)}: {_one_line(result.content)}\n")
            case CompactionStarted():
                self._err.write("… compacting\n")
            case Compacted(entry):
                self._err.write(f"· {entry.line()}\n")
            case Restarted(attempt, attempts, delay, reason):
                self._err.write(f"… {_one_line(reason)}; try {attempt} of {attempts} in {delay:.1f} s\n")
            case Notice(text, _):
                self._err.write(f"{text}\n")
            case _:
                pass

    def finish(self, end: TurnFinished) -> None:
        """Answer to stdout, error to stderr."""
        if end.answer:
            self._out.write(end.answer if end.answer.endswith("\n") else end.answer + "\n")
        if end.error and end.error != end.answer:
            self._err.write(f"agent: {end.error}\n")


class Json:
    """One `result` object, or with `stream` a line per event before it."""

    def __init__(self, out: Stream, err: Stream, *, stream: bool) -> None:
        self._out = out
        self._err = err
        self._stream = stream
        self._session = ""
        self._model = ""
        self._totals = Totals()

    def start(self, session: Session, *, cwd: str, permission_mode: str) -> None:
        """Writes `init`."""
        engine = session.engine
        self._session, self._model, self._totals = session.id, engine.provider.model.id, session.totals
        if self._stream:
            tools = [spec.name for spec in engine.fixed.current().tools]
            fields = encode.init(
                session.id,
                model=self._model,
                cwd=cwd,
                tools=tools,
                context_mode=engine.mode,
                permission_mode=permission_mode,
            )
            self._out.write(encode.line(fields))

    def event(self, event: AgentEvent) -> None:
        """Writes the event's lines; notices go to stderr."""
        if isinstance(event, Notice):
            self._err.write(f"{event.text}\n")
        if self._stream:
            for fields in encode.stream_lines(self._session, event):
                self._out.write(encode.line(fields))

    def finish(self, end: TurnFinished) -> None:
        """Writes `result`."""
        fields = encode.result(
            self._session,
            end.outcome,
            answer=end.answer,
            model=self._model,
            steps=end.steps,
            totals=self._totals,
            error=end.error,
        )
        self._out.write(encode.line(fields))


def open_output(format: Format, out: Stream, err: Stream) -> Output:  # noqa: A002 - the option's own name
    """The output in this form on these streams."""
    match format:
        case "text":
            return Text(out, err)
        case "json":
            return Json(out, err, stream=False)
        case "stream-json":
            return Json(out, err, stream=True)
        case _:
            assert_never(format)


def _one_line(text: str, width: int = 160) -> str:
    flat = " ".join(text.split())
    printable = "".join(char if char.isprintable() else "�" for char in flat)
    return printable if len(printable) <= width else printable[: width - 1] + "…"
