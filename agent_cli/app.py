"""Composition root: the only place that knows concrete classes."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any, assert_never

from agent_cli.agent.ask import Asker
from agent_cli.agent.dispatch import Dispatcher
from agent_cli.agent.gate import Gate
from agent_cli.agent.loop import AgentLoop
from agent_cli.commands import builtin
from agent_cli.commands.registry import Registry
from agent_cli.context.engine import ContextEngine
from agent_cli.context.ledger import Ledger
from agent_cli.core.entries import Entry, Header
from agent_cli.core.errors import InputError
from agent_cli.core.hooks import Hooks
from agent_cli.core.models import ModelSpec
from agent_cli.core.ports import Approver, Clock, Provider, Tool
from agent_cli.core.usage import Usage
from agent_cli.permissions.decide import Permissions
from agent_cli.permissions.remember import Remembered
from agent_cli.permissions.rules import parse_rules
from agent_cli.providers.anthropic import Anthropic
from agent_cli.providers.offline import Offline
from agent_cli.providers.openai_chat import OpenAIChat
from agent_cli.providers.retry import Retrying
from agent_cli.session.clock import SystemClock
from agent_cli.session.model_choice import LOCAL_KEY, Account, Choice, choose, key_variables
from agent_cli.session.opened import Opened, Place
from agent_cli.session.session import Session
from agent_cli.session.system_prompt import SystemPrompt, environment
from agent_cli.settings.load import COMMAND_LINE, load, parse_assignment
from agent_cli.settings.places import places
from agent_cli.settings.schema import Settings
from agent_cli.tokens import prices, windows
from agent_cli.tokens.count import Counter
from agent_cli.tools.registry import default_tools
from agent_cli.transcript import folder, index
from agent_cli.transcript.reader import read
from agent_cli.transcript.writer import NoStore, TranscriptWriter
from agent_cli.workspace import instructions
from agent_cli.workspace.git import git_root
from agent_cli.workspace.paths import Workspace

COMMANDS = Registry(builtin.COMMANDS)


@dataclass(frozen=True, slots=True)
class Which:
    """Which session to open: a new one, the latest, or the one with this id; `fork` goes on in a copy, `keep` False
    writes nothing down."""

    latest: bool = False
    id: str | None = None
    fork: bool = False
    keep: bool = True


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asks for. `flags` are dotted settings, `assignments` the texts of `--set`."""

    cwd: Path
    config_file: Path | None = None
    assignments: tuple[str, ...] = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    session: Which = Which()


@dataclass(frozen=True, slots=True)
class _Record:
    """The session's past and where its future goes."""

    header: Header
    entries: tuple[Entry, ...]
    store: TranscriptWriter | NoStore
    notices: tuple[str, ...] = ()
    beside: tuple[Path, ...] = ()
    """Folders of offloaded texts that the session's past speaks of."""


def place(options: Options, env: Mapping[str, str]) -> Place:
    """Settings and folders of a run. Raises UsageError, SettingsError, InputError."""
    where = places(env)
    root = git_root(options.cwd)
    flags = {**options.flags, **dict(map(parse_assignment, options.assignments))}
    loaded = load(
        flags=flags, env=env, project=root or options.cwd, places=where, config_file=options.config_file
    )
    chosen = folder.choose(root or options.cwd, Path.home(), loaded.settings.transcripts.dir, where.state)
    return Place(options.cwd, root, where, loaded, chosen)


async def open_session(options: Options, env: Mapping[str, str], approver: Approver) -> Opened:
    """Builds a session from settings. Raises AgentError: something it needs is wrong or missing."""
    at = place(options, env)
    settings = at.loaded.settings
    clock = SystemClock()
    choice = await choose(settings, env, list_models=_list_models, default_model=windows.default_model)
    model = _model_spec(choice, settings)
    record = await asyncio.to_thread(_record, options.session, at, model, clock)
    try:
        opened = _assemble(at, options.flags, approver, clock, choice, model, record)
    except BaseException:
        record.store.close()
        raise
    engine = opened.session.engine
    if engine.override is not None and at.loaded.sources.get("context.mode") == COMMAND_LINE:
        engine.switch(None)
    return opened


def _assemble(
    at: Place,
    flags: Mapping[str, Any],
    approver: Approver,
    clock: Clock,
    choice: Choice,
    model: ModelSpec,
    record: _Record,
) -> Opened:
    settings = at.loaded.settings
    workspace = Workspace(at.cwd)
    for offloaded in (record.store.folder, *record.beside):
        workspace.allow_reading(offloaded)
    tools = default_tools(
        workspace,
        shell_timeout=settings.shell.timeout,
        shell_max_timeout=settings.shell.max_timeout,
        hidden_env=key_variables(settings),
    )
    _check_rules(flags, tools)
    permissions = _permissions(at, workspace, tools)
    prompt = _system_prompt(at, tools, record.header)
    hooks = Hooks()
    price = _price(choice)
    provider = _provider(choice, model, settings, clock)
    ledger = Ledger(record.store, clock, record.entries)
    engine = ContextEngine(
        ledger=ledger,
        settings=settings.context,
        provider=provider,
        counter=Counter(model.ratio),
        fixed=prompt,
        clock=clock,
        hooks=hooks,
        price=price,
    )
    gate = Gate(permissions, approver)
    dispatcher = Dispatcher(tools=tools, gate=gate, engine=engine, ledger=ledger, hooks=hooks)
    asker = Asker(engine=engine, ledger=ledger, hooks=hooks, price=price)
    loop = AgentLoop(
        engine=engine, ledger=ledger, asker=asker, dispatcher=dispatcher, max_steps=settings.max_turns
    )

    async def close() -> None:
        record.store.sync()
        record.store.close()
        await engine.provider.aclose()

    session = Session(name=record.header.session, ledger=ledger, engine=engine, loop=loop, close=close)
    notices = [*at.loaded.warnings, *record.notices, choice.notice, *prompt.notes]
    return Opened(session, permissions, at, tuple(notice for notice in notices if notice))


def _record(which: Which, at: Place, model: ModelSpec, clock: Clock) -> _Record:
    mode = at.loaded.settings.context.mode
    created = clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    new = Header(1, token_hex(4), created, str(at.cwd), model.id, mode)
    past = _past(which, at.folder.path)
    if past is None:
        store = TranscriptWriter.create(at.folder, new) if which.keep else NoStore()
        return _Record(new, (), store, (at.folder.notice,) if which.keep else ())
    if not which.keep:
        transcript = read(past)
        return _Record(transcript.header, transcript.entries, NoStore(), beside=(past.with_suffix(""),))
    own = index.fork(past, at.folder, new) if which.fork else past
    store = TranscriptWriter.resume(own)
    transcript = read(own)
    notices = _damage(transcript.skipped)
    return _Record(transcript.header, transcript.entries, store, notices, beside=(past.with_suffix(""),))


def _damage(skipped: int) -> tuple[str, ...]:
    if not skipped:
        return ()
    return (f"{skipped} damaged line(s) of this session's transcript were skipped; the file keeps them.",)


def _past(which: Which, sessions: Path) -> Path | None:
    if which.id is not None:
        return index.find(sessions, which.id)
    if not which.latest:
        return None
    latest = index.latest(sessions)
    if latest is None:
        raise InputError(f"There is no session in {sessions} to continue. Start one without -c.")
    return latest


def _model_spec(choice: Choice, settings: Settings) -> ModelSpec:
    account = choice.account
    if account is None:
        return Offline().model
    window = windows.resolve(choice.provider, choice.model, account.base_url)
    own = settings.providers[choice.provider].window if choice.provider in settings.providers else None
    return ModelSpec(
        provider=choice.provider,
        name=choice.model,
        window=own or window.tokens,
        window_source="settings" if own else window.source,
        max_output=window.max_output,
        ratio=windows.start_ratio(choice.provider, choice.model),
    )


def _provider(choice: Choice, model: ModelSpec, settings: Settings, clock: Clock) -> Provider:
    if choice.account is None:
        return Offline()
    return Retrying(_wire(choice.account, model, settings), settings.retry, clock)


def _wire(account: Account, model: ModelSpec, settings: Settings) -> OpenAIChat | Anthropic:
    key = account.api_key or LOCAL_KEY
    idle = settings.retry.idle_timeout
    match account.wire:
        case "openai-chat":
            return OpenAIChat(model, api_key=key, base_url=account.base_url, idle_timeout=idle)
        case "anthropic":
            return Anthropic(model, api_key=key, base_url=account.base_url, idle_timeout=idle)
        case _:
            assert_never(account.wire)


async def _list_models(account: Account) -> list[str]:
    unnamed = ModelSpec(account.provider, "", windows.UNKNOWN_LOCAL, "")
    provider = _wire(account, unnamed, Settings())
    try:
        return await provider.list_models()
    finally:
        await provider.aclose()


def _price(choice: Choice) -> Callable[[Usage], Awaitable[float | None]]:
    async def price(usage: Usage) -> float | None:
        if choice.account is None:
            return None
        base_url = choice.account.base_url
        return await asyncio.to_thread(prices.cost, choice.provider, choice.model, usage, base_url)

    return price


def _permissions(at: Place, workspace: Workspace, tools: Iterable[Tool]) -> Permissions:
    given = at.loaded.settings.permissions
    remembered = at.places.state / "permissions" / f"{folder.slug(at.cwd)}.json"
    return Permissions(
        given.mode,
        allow=given.allow,
        ask=given.ask,
        deny=given.deny,
        root=at.cwd,
        inside=workspace.contains,
        readable=workspace.may_read,
        remembered=Remembered(remembered),
        protected=(at.places.config, at.places.state, at.folder.path),
        tools=tuple(tool.spec.name for tool in tools),
    )


def _check_rules(flags: Mapping[str, Any], tools: Iterable[Tool]) -> None:
    """A wrong rule in a flag is a wrong command line, in a file a wrong setting. Raises UsageError."""
    names = [tool.spec.name for tool in tools]
    for key in ("permissions.allow", "permissions.deny"):
        for text in flags.get(key, ()):
            parse_rules(text, names)


def _system_prompt(at: Place, tools: Iterable[Tool], header: Header) -> SystemPrompt:
    settings = at.loaded.settings

    def read_instructions() -> instructions.Instructions:
        return instructions.load(at.git_root or at.cwd, at.cwd, at.places.config / "AGENTS.md")

    return SystemPrompt(
        tools=[tool.spec for tool in tools],
        environment=environment(at.cwd, at.git_root, header.created),
        instructions=read_instructions,
        replace=settings.system_prompt,
        append=settings.append_system_prompt,
    )
