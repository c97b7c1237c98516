"""The entry point: `agent [PROMPT]`, `agent -p PROMPT`, `agent SUBCOMMAND`."""

import asyncio
import importlib
import logging
import os
import sys
from dataclasses import replace
from typing import Any, NoReturn, cast

import typer
from typer.main import get_command

from agent_cli import __version__, app
from agent_cli.cli import options
from agent_cli.cli.arguments import last_value, readable, split
from agent_cli.cli.directory import working_directory
from agent_cli.cli.subcommands import subcommands
from agent_cli.core.errors import AgentError, InputError
from agent_cli.core.events import Notice, TurnFinished
from agent_cli.core.ports import Approver
from agent_cli.headless.output import Output, Stream, open_output
from agent_cli.headless.run import ERROR, INTERRUPTED, USAGE, Absent, error_code, interruptible, run
from agent_cli.headless.stdin import join, read_piped
from agent_cli.session.opened import Opened
from agent_cli.settings.places import places
from agent_cli.transcript.private import make_folder

NAME = "agent"
SUBCOMMANDS = tuple(
    named.name or "" for named in (*subcommands.registered_groups, *subcommands.registered_commands)
)
_EPILOG = f"Subcommands: {', '.join(SUBCOMMANDS)}. See {NAME} SUBCOMMAND --help."

prompt_program = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@prompt_program.command(epilog=_EPILOG)
def prompt(
    words: options.Prompt = None,
    print_: options.Print = None,
    output_format: options.OutputFormat = "text",
    model: options.Model = None,
    provider: options.Provider = None,
    continue_: options.Continue = False,
    resume: options.Resume = None,
    fork: options.Fork = False,
    no_session: options.NoSession = False,
    directory: options.Directory = None,
    config: options.Config = None,
    set_: options.Set = None,
    debug: options.Debug = False,
    max_turns: options.MaxTurns = None,
    system_prompt: options.SystemPrompt = None,
    append_system_prompt: options.AppendSystemPrompt = None,
    allowed_tools: options.AllowedTools = None,
    disallowed_tools: options.DisallowedTools = None,
    permission_mode: options.PermissionModeOption = None,
    yolo: options.Yolo = False,
    context_mode: options.ContextModeOption = None,
    max_context_tokens: options.MaxContextTokens = None,
    version: options.Version = False,
) -> None:
    """A terminal coding agent whose session never ends."""
    if version:
        sys.stdout.write(f"agent {__version__}\n")
        return
    interactive = print_ is None and output_format == "text" and _at_a_screen()
    if debug:
        _log_to(_debug_file() if interactive else logging.StreamHandler())
    flags: dict[str, Any] = {
        "model": model,
        "provider": provider,
        "max_turns": max_turns,
        "system_prompt": system_prompt and readable(system_prompt),
        "append_system_prompt": append_system_prompt and readable(append_system_prompt),
        "permissions.mode": "yolo" if yolo else permission_mode,
        "permissions.allow": tuple(allowed_tools or ()) or None,
        "permissions.deny": tuple(disallowed_tools or ()) or None,
        "context.mode": context_mode,
        "context.max_context_tokens": max_context_tokens,
    }
    out, err = Stream(sys.stdout), Stream(sys.stderr)
    output = open_output(output_format, out, err)
    try:
        wanted = app.Options(
            cwd=working_directory(directory),
            config_file=config,
            assignments=tuple(set_ or ()),
            flags={key: value for key, value in flags.items() if value is not None},
            session=app.Which(latest=continue_, id=resume, fork=fork, keep=not no_session),
        )
        if interactive:
            code = _interactive(wanted, readable(" ".join(words or ())))
        else:
            text = _prompt_text(words, print_)
            code = asyncio.run(_headless(wanted, text, output))
    except AgentError as error:
        output.finish(TurnFinished("error", "", 0, error=str(error)))
        code = error_code(error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        output.finish(TurnFinished("interrupted", "", 0, error="Interrupted."))
        code = INTERRUPTED
    if out.fault:
        err.write(f"agent: Cannot write the answer: {out.fault}.\n")
        code = code or ERROR
    raise typer.Exit(code)


def _at_a_screen() -> bool:
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _interactive(wanted: app.Options, prompt: str) -> int:
    # By name, because prompt_toolkit must not be imported where nobody types.
    front = importlib.import_module("agent_cli.repl.app")

    async def open_wished(wish: Any, approver: Approver) -> Opened:
        return await app.open_session(_options(wanted, wish), os.environ, approver)

    return front.run(open_wished, app.COMMANDS, cwd=wanted.cwd, prompt=prompt)


def _options(wanted: app.Options, wish: Any) -> app.Options:
    """The command line's options, with what the user asked for since then."""
    if wish is None:
        return wanted
    session = app.Which(id=wish.session or None, fork=wish.fork, keep=wanted.session.keep)
    flags = {**wanted.flags, "model": wish.model} if wish.model else wanted.flags
    return replace(wanted, flags=flags, session=session)


async def _headless(wanted: app.Options, text: str, output: Output) -> int:
    with interruptible() as signals:
        opened = await app.open_session(wanted, os.environ, Absent())
        session = opened.session
        signals.aim(session.interrupt)
        try:
            output.start(session, cwd=str(opened.place.cwd), permission_mode=opened.permissions.mode)
            for notice in opened.notices:
                output.event(Notice(notice, "warning"))
            return await run(opened, app.COMMANDS, text, output)
        finally:
            await session.aclose()


def _prompt_text(words: list[str] | None, print_: str | None) -> str:
    given = readable(join(print_ or "", " ".join(words or ())))
    text = join(given, read_piped(have_prompt=bool(given.strip()), notice=Stream(sys.stderr).write))
    if not text.strip():
        raise InputError('The prompt is empty. Say what to do: agent -p "..."')
    return text


def _debug_file() -> logging.Handler:
    """A file for what would otherwise be written across the screen."""
    folder = places(os.environ).state
    make_folder(folder)
    return logging.FileHandler(folder / "debug.log")


def _log_to(handler: logging.Handler) -> None:
    handler.setFormatter(logging.Formatter("%(relativeCreated)d ms %(levelname)s %(message)s"))
    logger = logging.getLogger("agent_cli")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)


def _without_arguments() -> NoReturn:
    """With nothing to parse the parser stays out: what it imports would take a quarter of the way to the prompt."""
    try:
        prompt()
    except typer.Exit as end:
        sys.exit(end.exit_code)
    sys.exit(0)


def main() -> None:
    """Runs the program with this process's arguments and exits."""
    _open_closed_streams()
    if not sys.argv[1:]:
        _without_arguments()
    program = get_command(prompt_program)
    tools = get_command(subcommands)
    flags = {
        name
        for option in program.params
        for name in (*option.opts, *option.secondary_opts)
        if getattr(option, "is_flag", False)
    }
    valued = {name for option in program.params for name in option.opts if name.startswith("-")} - flags
    chosen = split(sys.argv[1:], commands=SUBCOMMANDS, valued=valued, flags=flags | {"--help"})
    if chosen.subcommand:
        tools(args=chosen.arguments, prog_name=NAME)
    try:
        ended = program(args=chosen.arguments, prog_name=NAME, standalone_mode=False)
    except typer.TyperException as error:
        sys.exit(_wrong_command_line(error, last_value(chosen.arguments, "--output-format")))
    except typer.Abort:
        sys.exit(INTERRUPTED)
    sys.exit(ended or 0)


def _wrong_command_line(error: typer.TyperException, form: str) -> int:
    """Says what is wrong on stderr, and to a program that reads JSON also as the result it waits for."""
    cast(Any, error).show()
    if form == "json" or form == "stream-json":
        output = open_output(form, Stream(sys.stdout), Stream(sys.stderr))
        output.finish(TurnFinished("error", "", 0, error=cast(Any, error).format_message()))
    return USAGE


def _open_closed_streams() -> None:
    """A standard stream that the caller closed becomes an empty one: else the next file opened takes its number."""
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is not None:
            continue
        null = os.open(os.devnull, os.O_RDWR)
        if null != number:
            os.dup2(null, number)
            os.close(null)
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
