"""C39: counting needs no network, loads late, once, and has a fallback. Each in a fresh interpreter."""

import shutil
import subprocess
import sys
from pathlib import Path

import agent_cli


def run(code, *, cwd, path=None):
    env = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), "TIKTOKEN_CACHE_DIR": str(cwd / "cache")}
    if path:
        env["PYTHONPATH"] = str(path)
    made = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=env,
        timeout=60,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return made.stdout.split()


def test_importing_the_package_loads_no_tokenizer_prices_or_http_client(work):
    code = """
import sys
import agent_cli.tokens.catalog, agent_cli.tokens.count, agent_cli.tokens.estimate
import agent_cli.tokens.prices, agent_cli.tokens.ranks, agent_cli.tokens.windows
heavy = {"tiktoken", "genai_prices", "httpx", "httpx2", "pydantic", "requests"}
print(*heavy & set(sys.modules))
"""
    assert run(code, cwd=work) == []


def test_c39_counting_opens_no_connection_and_writes_no_cache(work):
    code = """
import socket
def refuse(*args, **options):
    raise AssertionError("network used")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
from agent_cli.tokens.count import Counter
print(Counter().text("hello world"), Counter().exact)
"""
    assert run(code, cwd=work) == ["2", "True"]
    assert list(work.iterdir()) == []


def test_threads_that_ask_at_once_share_one_encoding(work):
    code = """
from concurrent.futures import ThreadPoolExecutor
from agent_cli.tokens.ranks import encoding
with ThreadPoolExecutor(8) as pool:
    print(len({id(made) for made in pool.map(lambda _: encoding(), range(8))}))
"""
    assert run(code, cwd=work) == ["1"]


ESTIMATED = """
from agent_cli.tokens.count import Counter
from agent_cli.tokens.estimate import conservative
text = "The quick brown fox, 汉字 <|endoftext|>"
print(Counter().exact, Counter().text(text) == conservative(text))
"""


def test_c39_without_tiktoken_the_count_is_an_estimate_and_says_so(work):
    broken = work / "broken" / "tiktoken"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('no wheel for this machine')")
    assert run(ESTIMATED, cwd=work, path=broken.parent) == ["False", "True"]


def test_c39_with_damaged_ranks_the_count_is_an_estimate_and_says_so(work):
    copy = work / "copy" / "agent_cli"
    shutil.copytree(Path(agent_cli.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    ranks = copy / "tokens" / "data" / "o200k_base.tiktoken.gz"
    whole = ranks.read_bytes()
    for damaged in (whole[:100_000], b"not gzip", whole[:50_000] + b"\0" * 99 + whole[50_099:]):
        ranks.write_bytes(damaged)
        assert run(ESTIMATED, cwd=work, path=copy.parent) == ["False", "True"]
    ranks.unlink()
    assert run(ESTIMATED, cwd=work, path=copy.parent) == ["False", "True"]
