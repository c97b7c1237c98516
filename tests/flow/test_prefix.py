"""Between compactions each request begins with all of the one before it, so that prompt caches hold (C22, C23)."""

import json
from itertools import pairwise

import pytest

from agent_cli.providers.fakes import Call, FakeServer, Reply
from tests.flow.running import WIRES, entries, run, transcripts

STEPS = 60


def without_marks(value):
    """Cache marks move to the newest messages and are no content."""
    if isinstance(value, dict):
        return {name: without_marks(item) for name, item in value.items() if name != "cache_control"}
    return [without_marks(item) for item in value] if isinstance(value, list) else value


def pieces(body: dict) -> list[str]:
    """System and tools, then every message, or block of one, in order."""
    bare = without_marks(body)
    found = [[bare.get("system"), bare["tools"]]]
    for message in bare["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else [message]
        found += [[message["role"], block] for block in blocks]
    return [json.dumps(piece) for piece in found]


def broken(bodies: list[dict]) -> int:
    made = [pieces(body) for body in bodies]
    return sum(later[: len(earlier)] != earlier for earlier, later in pairwise(made))


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("window", [400_000, 16_384])
def test_c22_only_a_compaction_changes_what_was_sent_before(wire, window, work):
    def script(request):
        if not request.tools:
            return Reply("## State\nSteps were run.\n## Next step\nRun the next one.")
        script.step += 1
        if script.step % STEPS == 0:
            return Reply("done")
        calls = tuple(
            Call("shell", {"command": f"echo {script.step}.{n}; seq 1 120"})
            for n in range(1 + script.step % 3)
        )
        return Reply(f"step {script.step}" if script.step % 2 else "", thinking="hm", calls=calls)

    script.step = 0
    size = ("--set", f"providers.{wire}.window={window}", "--yolo")
    with FakeServer(script, window=window) as server:
        for turn in range(2):
            assert (
                run("-p", f"turn {turn}", *(["-c"] if turn else []), *size, server=server, wire=wire).out
                == "done\n"
            )
        assert server.refused == []
        bodies = [request.body for request in server.requests if request.purpose == "step"]
    compactions = sum(line["type"] in ("compaction", "clear") for line in entries(transcripts(work)[0]))
    assert len(bodies) == 2 * STEPS
    assert broken(bodies) <= compactions
    assert (compactions > 0) == (window == 16_384)
