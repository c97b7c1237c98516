"""HTTP/1.1 over threads: requests in, responses out with pauses and cuts. Knows nothing of either wire."""

import json
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

Chunk = bytes | float
"""Bytes to send, or seconds to pause."""


@dataclass(slots=True)
class Outgoing:
    """A response. `cut` closes the connection after the chunks, without the end that HTTP wants."""

    status: int
    headers: dict[str, str]
    chunks: list[Chunk]
    length: int | None = None
    """Bytes announced as content-length; None sends chunk by chunk."""
    delay: float = 0.0
    """Seconds before the first byte."""
    cut: bool = False
    aborted: Callable[[], None] = field(default=lambda: None)
    """Called when the client has gone before the end."""


Receive = Callable[[str, str, dict[str, str], bytes], Outgoing]


class Transport:
    """Listens on a free port of 127.0.0.1. `receive` gets method, path, headers in lower case, and body."""

    def __init__(self, receive: Receive) -> None:
        self.receive = receive
        self.failures: list[BaseException] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        """The port in use."""
        return self._server.server_address[1]

    def start(self) -> None:
        """Begins to serve."""
        self._thread.start()

    def close(self) -> None:
        """Stops at once, closing the connections that are open."""
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    """Joined in server_close, which is prompt since all connections are shut before."""
    request_queue_size = 64

    def __init__(self, transport: Transport) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.transport = transport
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()

    def process_request(self, request, client_address) -> None:
        with self._lock:
            self._open.add(cast("socket.socket", request))
        super().process_request(request, client_address)

    def shutdown_request(self, request) -> None:
        with self._lock:
            self._open.discard(cast("socket.socket", request))
        super().shutdown_request(request)

    def handle_error(self, request, client_address) -> None:
        error = sys.exception()
        if error is not None and not isinstance(error, ConnectionError):
            self.transport.failures.append(error)

    def hang_up(self) -> None:
        """Ends the reads and pauses of all connections."""
        with self._lock:
            for connection in self._open:
                _shut(connection)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the base class
        """Says nothing on stderr."""

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        transport = cast("_Server", self.server).transport
        try:
            outgoing = transport.receive(self.command, self.path, headers, body)
        except Exception as error:
            message = f"The script failed: {error!r}"
            self._send(Outgoing(500, {}, [json.dumps({"error": {"message": message}}).encode()]))
            raise
        try:
            self._send(outgoing)
        except ConnectionError:
            outgoing.aborted()
            self.close_connection = True

    def _send(self, outgoing: Outgoing) -> None:
        self._pause(outgoing.delay)
        self.send_response(outgoing.status)
        for name, value in outgoing.headers.items():
            self.send_header(name, value)
        if outgoing.length is None:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(outgoing.length))
        self.end_headers()
        for chunk in outgoing.chunks:
            self._send_chunk(chunk, chunked=outgoing.length is None)
        if outgoing.cut:
            _shut(self.connection)
            self.close_connection = True
        elif outgoing.length is None:
            self.wfile.write(b"0\r\n\r\n")

    def _send_chunk(self, chunk: Chunk, *, chunked: bool) -> None:
        if not isinstance(chunk, bytes):
            self._pause(chunk)
        elif chunk:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk) if chunked else chunk)

    def _pause(self, seconds: float) -> None:
        """Waits, but not for a client that has gone. Raises ConnectionError: it has."""
        if not seconds:
            return
        self.connection.settimeout(seconds)
        try:
            gone = self.connection.recv(1, socket.MSG_PEEK) == b""
        except TimeoutError:
            gone = False
        finally:
            self.connection.settimeout(None)
        if gone:
            raise ConnectionAbortedError("the client has closed the connection")


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # The other side was faster.
        return
