"""Composition root: the only place that knows concrete classes."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, assert_never

from agent_cli.agent.ask import Asker
from agent_cli.agent.dispatch import Dispatcher
from agent_cli.agent.gate import Gate
from agent_cli.agent.loop import AgentLoop
from agent_cli.commands.context import COMMANDS as CONTEXT_COMMANDS
from agent_cli.commands.registry import Registry
from agent_cli.context.engine import ContextEngine
from agent_cli.context.ledger import Ledger
from agent_cli.core.entries import Entry, Header
from agent_cli.core.errors import InputError, UsageError
from agent_cli.core.hooks import Hooks
from agent_cli.core.models import ModelSpec
from agent_cli.core.ports import Approver, Clock, Provider
from agent_cli.core.usage import Usage
from agent_cli.permissions.decide import Permissions
from agent_cli.permissions.remember import Remembered
from agent_cli.providers.anthropic import Anthropic
from agent_cli.providers.offline import Offline
from agent_cli.providers.openai_chat import OpenAIChat
from agent_cli.providers.retry import Retrying
from agent_cli.session.model_choice import LOCAL_KEY, Account, Choice, choose
from agent_cli.session.session import Session
from agent_cli.session.system_prompt import SystemPrompt, environment
from agent_cli.settings.load import Loaded, load, parse_assignment
from agent_cli.settings.places import Places, places
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

COMMANDS = Registry(CONTEXT_COMMANDS)
SUBCOMMANDS = ("sessions", "config")
