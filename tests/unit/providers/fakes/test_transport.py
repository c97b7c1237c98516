"""Streams that are slow, cut, raw or left by the client, and a server that stops at once."""

import http.client
import json
import time

import pytest

from agent_cli.providers.fakes import Call, Cut, FakeServer, Raw, Reply
from tests.unit.providers.fakes.asking import KEYS, PATHS

both_wires = pytest.mark.parametrize("wire", ["openai", "anthropic"])
ENDS = {"openai": b'finish_reason":"', "anthropic": b"message_delta"}
LONG = Reply(
    "some text that is cut off in the middle of a sentence", calls=(Call("look", {"path": "a/b/c.txt"}),)
)


def opened(server, wire, *, stream=True):
    connection = http.client.HTTPConnection(
        "127.0.0.1", int(server.anthropic_url.rsplit(":", 1)[1]), timeout=10
    )
    body = {
        "model": "scripted",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hi"}],
        "stream": stream,
    }
    connection.request("POST", PATHS[wire], json.dumps(body), KEYS[wire])
    return connection


def received(server, wire, **options):
    """The body's bytes, and whether its end came."""
    connection = opened(server, wire, **options)
    try:
        return connection.getresponse().read(), True
    except http.client.IncompleteRead as cut:
        return cut.partial, False
    finally:
        connection.close()


@both_wires
def test_a_cut_sends_its_share_of_the_answer_and_never_an_end(wire):
    with FakeServer([LONG, *(Cut(LONG, after=share) for share in (0.0, 0.3, 0.6, 1.0))]) as server:
        whole, ended = received(server, wire)
        assert ended
        cuts = [received(server, wire) for _ in range(4)]
    assert ENDS[wire] in whole
    sizes = [len(data) for data, _ in cuts]
    assert sizes[0] == 0
    assert sizes == sorted(set(sizes))
    for data, ended in cuts:
        assert not ended
        assert ENDS[wire] not in data


@both_wires
def test_a_cut_after_events_sends_whole_events(wire):
    with FakeServer([Cut(LONG, after_events=3), Cut(LONG, after_events=999)]) as server:
        first, ended = received(server, wire)
        assert (first.count(b"\n\n"), first.endswith(b"\n\n"), ended) == (3, True, False)
        most, ended = received(server, wire)
    assert not ended
    assert b"[DONE]" not in most
    assert b"message_stop" not in most
    assert ENDS[wire] in most


@both_wires
def test_a_cut_of_a_plain_answer_sends_half_a_body(wire):
    with FakeServer([Cut(LONG, after=0.5), Cut(LONG, after=1.0)]) as server:
        for _ in range(2):
            data, ended = received(server, wire, stream=False)
            assert not ended
            with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
                json.loads(data)


@both_wires
def test_raw_bytes_arrive_as_they_are(wire):
    with FakeServer([Raw([b": hello\r\n", 0.01, b"data: {broken\n\n", b""])]) as server:
        assert received(server, wire) == (b": hello\r\ndata: {broken\n\n", True)


@both_wires
def test_delay_comes_before_the_first_byte_and_pace_between_pieces(wire):
    with FakeServer([Reply("x", delay=0.3), Reply("abcdefgh", chunk=1, pace=0.03)]) as server:
        began = time.monotonic()
        opened_at = opened(server, wire)
        response = opened_at.getresponse()
        assert time.monotonic() - began >= 0.3
        response.read()
        opened_at.close()
        began = time.monotonic()
        received(server, wire)
        assert time.monotonic() - began >= 0.24


@both_wires
@pytest.mark.parametrize("slow", [Reply("word " * 500, pace=0.05), Reply("x", delay=30)])
def test_a_client_that_leaves_is_noticed_at_once(wire, slow):
    with FakeServer([slow, Reply("next")]) as server:
        connection = opened(server, wire)
        if not slow.delay:
            connection.getresponse().read(10)
        connection.close()
        deadline = time.monotonic() + 5
        while not (server.requests and server.requests[0].aborted) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.requests[0].aborted
        assert received(server, wire)[1]
        assert not server.requests[1].aborted


@both_wires
def test_the_server_stops_at_once_while_a_client_waits(wire):
    with FakeServer([Reply("x", delay=60)]) as server:
        connection = opened(server, wire)
        while not server.requests:
            time.sleep(0.01)
        began = time.monotonic()
    assert time.monotonic() - began < 1
    connection.close()


def test_one_connection_serves_many_requests():
    with FakeServer(lambda request: Reply("x")) as server:
        connection = opened(server, "openai")
        for _ in range(3):
            assert connection.getresponse().read().endswith(b"data: [DONE]\n\n")
            sock = connection.sock
            body = {"model": "scripted", "messages": [{"role": "user", "content": "hi"}], "stream": True}
            connection.request("POST", PATHS["openai"], json.dumps(body), KEYS["openai"])
            assert connection.sock is sock
        connection.getresponse().read()
        connection.close()
