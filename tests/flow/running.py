"""Runs the installed `agent` the way a user does, against the strict local servers."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from agent_cli.providers.fakes import FakeServer

AGENT = Path(sys.executable).with_name("agent")
WIRES = ("openai", "anthropic")
FAST = ("--set", "retry.base_delay=0.01", "--set", "retry.max_delay=0.05")


@dataclass
class Run:
    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def result(self) -> dict:
        return self.events[-1]


def environment(server: FakeServer | None = None, wire: str = "openai", **extra: str) -> dict[str, str]:
    env = {**os.environ, **extra}
    if server is None:
        return env
    if wire == "openai":
        return {**env, "OPENAI_API_KEY": "test-key", "OPENAI_BASE_URL": server.openai_url}
    return {**env, "ANTHROPIC_API_KEY": "test-key", "ANTHROPIC_BASE_URL": server.anthropic_url}


def start(
    *arguments: str, server: FakeServer | None = None, wire: str = "openai", cwd=None, **popen
) -> subprocess.Popen:
    env = environment(server, wire, **popen.pop("env", {}))
    return subprocess.Popen(
        [str(AGENT), *arguments],
        cwd=cwd,
        env=env,
        stdin=popen.pop("stdin", subprocess.DEVNULL),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **popen,
    )


def run(
    *arguments: str,
    server: FakeServer | None = None,
    wire: str = "openai",
    stdin: str | None = None,
    timeout=90,
    **popen,
) -> Run:
    if stdin is not None:
        popen["stdin"] = subprocess.PIPE
    process = start(*arguments, server=server, wire=wire, **popen)
    try:
        out, err = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return Run(process.returncode, out, err)


def transcripts(folder: Path) -> list[Path]:
    return sorted((folder / "transcripts").glob("*.jsonl"))


def entries(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]
