"""A chat server on loopback for tests of what is in flight: it answers some questions at once and holds the others."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

_REPLY = {
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Answer: \\boxed{4}"}, "finish_reason": "stop"}
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5},
}


class HeldServer:
    """Serves between ``with`` and its end; holds every question after the first ``n_at_once`` until `release`.

    ``asked`` counts questions; ``in_flight`` has those that wait for an answer; ``n_abandoned`` counts those whose
    client left before it.
    """

    def __init__(self, n_at_once: int) -> None:
        self.asked: Counter[str] = Counter()
        self.in_flight: list[str] = []
        self.n_abandoned = 0
        self._n_at_once = n_at_once
        self._released = threading.Event()
        self._lock = threading.Lock()
        held = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if held._let_through(body["messages"][-1]["content"], self.connection):
                    text = json.dumps(_REPLY).encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)

            def log_message(self, format: str, *arguments: object) -> None:
                """Nothing to say."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def release(self) -> None:
        """Answer everything from now on."""
        self._released.set()

    def __enter__(self) -> HeldServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()
        self._server.shutdown()
        self._server.server_close()

    def _let_through(self, question: str, connection: socket.socket) -> bool:
        """Wait until it may be answered; False if its client has left."""
        with self._lock:
            self.asked[question] += 1
            is_held = self.asked.total() > self._n_at_once
            if is_held:
                self.in_flight.append(question)
        try:
            while is_held and not self._released.is_set():
                if select.select([connection], [], [], 0)[0]:
                    self.n_abandoned += 1
                    return False
                time.sleep(0.02)
            return True
        finally:
            if is_held:
                with self._lock:
                    self.in_flight.remove(question)
