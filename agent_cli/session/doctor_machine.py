"""What `agent doctor` looks at on the machine: Python, PATH, terminal, programs, tokenizer."""

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

from agent_cli import __version__
from agent_cli.session.check import Check
from agent_cli.tokens.count import Counter

NAME, OTHER_NAME = "agent", "agent-cli"
LEAST_COLUMNS, LEAST_LINES = 40, 10
VERSION_SECONDS = 5.0


def machine(env: Mapping[str, str]) -> Iterator[Check]:
    """Everything that needs no settings."""
    yield Check("ok", "version", f"{NAME} {__version__}, Python {platform.python_version()}, {sys.platform}")
    yield on_path(env)
    yield terminal(env)
    yield _program("git", "Install git: /diff needs it.")
    yield _program("rg", "", "optional: searching is built in")
    if sys.platform == "linux":
        yield _program("bwrap", "", "optional: commands run without a sandbox")
    yield _tokenizer()


def on_path(env: Mapping[str, str]) -> Check:
    """Whose `agent` the shell finds: another product installs one too."""
    scripts = Path(sysconfig.get_path("scripts"))
    own = {(scripts / NAME).resolve(), Path(sys.argv[0]).resolve()}
    first = shutil.which(NAME, path=env.get("PATH", ""))
    if first is None:
        return Check("warn", "PATH", f"no `{NAME}` on PATH", f"Add {scripts} to PATH.")
    if Path(first).resolve() in own:
        return Check("ok", "PATH", f"`{NAME}` is {first}")
    other = shutil.which(OTHER_NAME, path=env.get("PATH", ""))
    advice = f"Run `{OTHER_NAME}`" if other else f"Run {scripts / OTHER_NAME}"
    found = f"`{NAME}` is {first}, another installation or another product's"
    return Check("warn", "PATH", found, f"{advice}, or put {scripts} first on PATH.")


def terminal(env: Mapping[str, str]) -> Check:
    """Kind, colours and size."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if encoding != "utf8":
        return Check("warn", "terminal", f"text is {encoding or 'of no known encoding'}", "Set LANG=C.UTF-8.")
    if not sys.stdout.isatty():
        return Check("ok", "terminal", "stdout is none: plain text")
    term = env.get("TERM", "")
    if term in ("", "dumb"):
        return Check("warn", "terminal", f"TERM is {term or 'not set'}", "Set TERM, such as xterm-256color.")
    columns, lines = os.get_terminal_size(sys.stdout.fileno())
    found = f"{term}, {_colours(term, env)}, {columns}×{lines}"
    if columns < LEAST_COLUMNS or lines < LEAST_LINES:
        return Check("warn", "terminal", found, f"Make it at least {LEAST_COLUMNS}×{LEAST_LINES}.")
    return Check("ok", "terminal", found)


def _colours(term: str, env: Mapping[str, str]) -> str:
    if env.get("NO_COLOR"):
        return "no colours (NO_COLOR)"
    if env.get("COLORTERM") in ("truecolor", "24bit"):
        return "16 million colours"
    return "256 colours" if "256color" in term else "16 colours"


def _program(name: str, advice: str, otherwise: str = "") -> Check:
    path = shutil.which(name)
    if path is None:
        return Check(
            "warn" if advice else "ok", name, "not found" + (f" ({otherwise})" if otherwise else ""), advice
        )
    try:
        said = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return Check("warn", name, f"{path} does not run", advice)
    return Check("ok", name, f"{path}: {(said.stdout.splitlines() or ['no version'])[0]}")


def _tokenizer() -> Check:
    if Counter().exact:
        return Check("ok", "tokenizer", "o200k_base, exact, from the package")
    return Check(
        "warn", "tokenizer", "cannot be loaded, tokens are estimated", "Reinstall agent-cli and tiktoken."
    )
