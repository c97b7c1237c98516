"""How long the prompt takes to stand: seconds from launch, and as a ratio to importing what any such program needs.

python -m benchmarks.start [--json] [--rounds N]
"""

import argparse
import json
import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TARGET = 1.6
IMPORTS = "import prompt_toolkit, typer, rich.console, rich.markdown"
PROMPT = "›".encode()


def _environment(folder: Path) -> dict[str, str]:
    """No keys, a home of its own, and compiled modules kept, as in any installed program."""
    dropped = ("AGENT_", "OPENAI_", "ANTHROPIC_", "PYTHONDONTWRITEBYTECODE")
    env = {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
    return env | {
        "AGENT_HOME": str(folder / "home"),
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
        "TERM": "xterm-256color",
    }


def importing(env: dict[str, str]) -> float:
    """Seconds of a process that imports the libraries and nothing else."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", IMPORTS], check=True, env=env)
    return time.perf_counter() - began


def drawing(folder: Path, env: dict[str, str]) -> float:
    """Seconds from launch until the prompt is on the terminal."""
    leader, follower = pty.openpty()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "agent_cli"],
        cwd=folder,
        env=env,
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    )
    os.close(follower)
    try:
        seen = b""
        while PROMPT not in seen:
            if not select.select([leader], [], [], 30)[0]:
                raise TimeoutError(f"no prompt within 30 s: {seen!r}")
            seen += os.read(leader, 65_536)
        return time.perf_counter() - began
    finally:
        process.kill()
        process.wait()
        os.close(leader)


def measure(rounds: int) -> dict[str, float]:
    """The medians of alternating rounds, after one that fills the caches."""
    with tempfile.TemporaryDirectory() as made:
        env = _environment(Path(made))
        pairs = [(importing(env), drawing(Path(made), env)) for _ in range(rounds + 1)]
    imports, prompts = (statistics.median(values) for values in zip(*pairs[1:], strict=True))
    return {
        "imports_s": round(imports, 3),
        "prompt_s": round(prompts, 3),
        "ratio": round(statistics.median(prompt / base for base, prompt in pairs[1:]), 2),
        "target": TARGET,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    found = measure(given.rounds)
    if given.json:
        print(json.dumps(found))
    else:
        print(
            f"prompt {found['prompt_s']} s, imports {found['imports_s']} s: {found['ratio']} × (target {TARGET})"
        )
    sys.exit(found["ratio"] > TARGET)


if __name__ == "__main__":
    main()
