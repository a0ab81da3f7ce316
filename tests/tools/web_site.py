"""A small web site on loopback, with the faults that web sites have."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ARTICLE = """<html><head><title>Old Harbor</title></head><body>
<nav><a href="/a">Menu of the site</a></nav>
<article><h1>Old Harbor</h1>
<p>The old harbor was dug in 1874 by Ada Brink, an engineer from Velden, who had thirty men and no money at all.</p>
<p>For twenty years after that no ship came, because the river had moved, and so the town built a mill instead.</p>
</article><script>alert("no")</script></body></html>"""
FORM = """<html><head><title>Register</title></head><body><h1>Register</h1>
<label>Name <input name="name"></label> <button>Look up</button>
<script>
document.querySelector("button").onclick = () => {
  const name = document.querySelector("input").value;
  document.body.innerHTML = "<p>Found " + name + " in <a href='/article'>register 12</a></p>";
};
</script></body></html>"""


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path, site = self.path, self.server
        site.seen.append((path, self.headers["Host"]))
        if path == "/article":
            self._send(200, "text/html", ARTICLE.encode())
        elif path == "/form":
            self._send(200, "text/html", FORM.encode())
        elif path == "/latin":
            self._send(200, "text/plain; charset=iso-8859-1", "Café in Málaga".encode("latin-1"))
        elif path == "/bare":
            self._send(200, "text/html; charset=nosuch", b"<html><body><p>Hi</p></body></html>")
        elif path == "/empty":
            self._send(200, "text/html", b"")
        elif path == "/long":
            self._send(200, "text/plain", b"x" * 5_000_000)
        elif path == "/pdf":
            self._send(200, "application/pdf", b"%PDF")
        elif path.startswith("/to/"):
            self._send(302, "text/html", b"", {"Location": path.removeprefix("/to/")})
        elif path == "/stall":
            site.released.wait(30)
        elif path.startswith("/status/"):
            self._send(int(path.rpartition("/")[2]), "text/html", b"<p>Sorry</p>")
        else:
            self._send(404, "text/html", b"<p>Nothing here</p>")

    def _send(self, status: int, content_type: str, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": content_type, "Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):  # the reader has had enough
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the tests' output free of requests."""


@contextmanager
def web_site() -> Iterator[ThreadingHTTPServer]:
    """A site at ``server.url``; what was asked for is in ``server.seen`` as (path, host)."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    server.daemon_threads = True
    server.seen, server.released = [], threading.Event()
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
