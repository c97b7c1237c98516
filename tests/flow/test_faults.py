"""Faults in mid-task: each is survived and the answer printed (cases 34, 35)."""

import pytest

from agent_cli.providers.fakes import Call, Cut, FakeServer, Fault, Reply
from tests.flow.running import FAST, WIRES, run

FAULTS = {
    "429": lambda: Fault(429, "rate limited", headers={"retry-after": "0"}),
    "529": lambda: Fault(529, "overloaded"),
    "500": lambda: Fault(500, "internal error"),
    "cut-at-once": lambda: Cut(Reply("some text that is cut"), after=0.0),
    "cut-in-text": lambda: Cut(Reply("some text that is cut off in the middle of a sentence"), after=0.6),
    "cut-in-call": lambda: Cut(
        Reply("now", calls=(Call("shell", {"command": "touch twice; echo cut"}),)), after=0.8
    ),
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("first", [1, 3])
def test_one_fault_is_survived(wire, fault, first, work):
    def script(request):
        script.asked += 1
        if script.asked == first:
            return FAULTS[fault]()
        done = script.done = script.done + len(request.results)
        return (
            Reply(calls=(Call("shell", {"command": f"echo {done} >> log"}),))
            if done < 4
            else Reply("finished")
        )

    script.asked = script.done = 0
    with FakeServer(script) as server:
        done = run("-p", "go", "--yolo", *FAST, server=server, wire=wire)
        assert server.refused == []
    assert (done.code, done.out) == (0, "finished\n")
    assert (work / "log").read_text() == "0\n1\n2\n3\n"
    assert not (work / "twice").exists()


@pytest.mark.parametrize("wire", WIRES)
def test_halved_tool_arguments_come_back_to_the_model_and_are_never_sent_back_broken(wire, work):
    script = [
        Reply(calls=(Call("write_file", '{"path": "a.txt", "cont'),)),
        Reply(calls=(Call("write_file", {"path": "a.txt", "content": "whole"}),)),
        Reply("written"),
    ]
    with FakeServer(script) as server:
        done = run("-p", "go", "--yolo", server=server, wire=wire)
        assert (done.code, done.out, server.refused) == (0, "written\n", [])
    assert (work / "a.txt").read_text() == "whole"


@pytest.mark.parametrize("wire", WIRES)
def test_c35_an_hours_long_wait_is_refused_at_once_with_the_time(wire):
    with FakeServer(lambda request: Fault(429, "slow down", headers={"retry-after": "11180"})) as server:
        done = run("-p", "x", server=server, wire=wire, timeout=20)
        assert len(server.requests) == 1
    assert done.code == 1
    assert "11180" in done.err or "3 h" in done.err or "186 min" in done.err


@pytest.mark.parametrize("wire", WIRES)
def test_c08_useless_summaries_do_not_wipe_the_history(wire, work):
    bad = ["", "<think>hm</think>", "x"]

    def script(request):
        if not request.tools:
            script.tries += 1
            return Reply(bad[script.tries % len(bad)])
        return Reply("fact: the code word is heliotrope")

    script.tries = 0
    with FakeServer(script) as server:
        run("-p", "remember the number 4711", server=server, wire=wire)
        for turn in range(4):
            run("-c", "-p", f"turn {turn}", server=server, wire=wire)
        assert run("-c", "-p", "/compress", *FAST, server=server, wire=wire).code == 0
        assert run("-c", "-p", "what number?", server=server, wire=wire).code == 0
        assert script.tries >= 1
        assert server.refused == []
        assert "4711" in str(server.requests[-1].body)
