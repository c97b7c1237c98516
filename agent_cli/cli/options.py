"""The options of the command line, declared once and shared by every command that takes them."""

from pathlib import Path
from typing import Annotated

import typer

from agent_cli.headless.output import Format
from agent_cli.settings.schema import ContextMode, PermissionMode

Prompt = Annotated[
    list[str] | None, typer.Argument(help="What to do.", metavar="[PROMPT]", show_default=False)
]
Print = Annotated[
    str | None,
    typer.Option(
        "-p",
        "--print",
        help="Run this prompt without a screen: answer on stdout, progress on stderr.",
        metavar="PROMPT",
    ),
]
OutputFormat = Annotated[Format, typer.Option("--output-format", help="Form of the answer with -p.")]
Model = Annotated[
    str | None, typer.Option("-m", "--model", help="Model, as PROVIDER/NAME or an alias.", metavar="MODEL")
]
Provider = Annotated[
    str | None,
    typer.Option("--provider", help="Account to use: openai, anthropic, offline or one of [providers]."),
]
Continue = Annotated[
    bool, typer.Option("-c", "--continue", help="Go on with the latest session of this project.")
]
Resume = Annotated[str | None, typer.Option("-r", "--resume", help="Go on with this session.", metavar="ID")]
Fork = Annotated[
    bool, typer.Option("--fork-session", help="With -c or -r: go on in a copy, leave the session as it is.")
]
NoSession = Annotated[bool, typer.Option("--no-session", help="Keep no transcript.")]
Directory = Annotated[Path | None, typer.Option("-C", "--cd", help="Work in this directory.", metavar="DIR")]
Config = Annotated[
    Path | None, typer.Option("--config", help="Settings file to use instead of the user's.", metavar="FILE")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Set any setting, with a TOML value; can be repeated.", metavar="KEY=VALUE"),
]
Debug = Annotated[bool, typer.Option("--debug", help="Write what happens inside to stderr.")]
MaxTurns = Annotated[
    int | None, typer.Option("--max-turns", help="Model calls before the run stops.", min=1, metavar="N")
]
SystemPrompt = Annotated[
    str | None,
    typer.Option("--system-prompt", help="Use this instead of the built-in system prompt.", metavar="TEXT"),
]
AppendSystemPrompt = Annotated[
    str | None, typer.Option("--append-system-prompt", help="Add this to the system prompt.", metavar="TEXT")
]
AllowedTools = Annotated[
    list[str] | None,
    typer.Option(
        "--allowed-tools",
        help="Tool or Tool(pattern) that needs no question; comma-separated or repeated.",
        metavar="RULES",
    ),
]
DisallowedTools = Annotated[
    list[str] | None,
    typer.Option(
        "--disallowed-tools",
        help="Tool or Tool(pattern) that is never allowed; wins over all else.",
        metavar="RULES",
    ),
]
PermissionModeOption = Annotated[
    PermissionMode | None, typer.Option("--permission-mode", help="What may be done without asking.")
]
Yolo = Annotated[
    bool, typer.Option("--yolo", help="Short for --permission-mode yolo: allow everything not denied.")
]
ContextModeOption = Annotated[
    ContextMode | None, typer.Option("--context-mode", help="How the conversation is kept within the window.")
]
MaxContextTokens = Annotated[
    int | None,
    typer.Option("--max-context-tokens", help="Cap of the context window, in tokens.", min=1, metavar="N"),
]
Version = Annotated[bool, typer.Option("--version", help="Show the version.")]
