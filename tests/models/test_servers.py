"""Models on servers as params describe them: what is sent, and what is said of a server that cannot be used."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from chat_server import ChatServer
from tiny import prompts

from masrepro.models import Sampling
from masrepro.models.servers import Server, served, why_not

KEY = "sk-very-secret-0123456789"
LISTED = json.dumps({"data": [{"id": "a"}, {"id": "b"}]})


async def test_what_params_say_is_what_is_sent(server: ChatServer) -> None:
    sampling = Sampling(temperature=1.0, max_tokens=4, seed=3)
    plain = Server(base_url=server.base_url, context_tokens=1024, served_as="tiny")
    seedless = plain.model_copy(update={"sends_seed": False, "reasoning_effort": "low"})
    for each in (plain, seedless):
        model = served(each, "our name")
        await model.complete(prompts(1)[0], sampling)
        assert model.name == "our name" and "tiny" in model.revision
    first, second = server.requests
    assert first["model"] == second["model"] == "tiny"
    assert first["seed"] == 3 and "reasoning_effort" not in first
    assert "seed" not in second and second["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    ("status", "body", "model", "reason"),
    [
        (200, LISTED, "a", None),
        (200, '{"data": []}', "a", None),
        (404, "", "a", None),
        (200, LISTED, "c", "does not serve 'c'; it has: a, b. Set model, or server.served_as"),
        (200, "<html>", "a", "no OpenAI-compatible server. Check base_url"),
        (401, "", "a", "HTTP 401. Check the key"),
        (503, "", "a", "HTTP 503. Check that the server is up"),
    ],
)
def test_a_server_is_asked_for_its_models_beforehand(
    status: int, body: str, model: str, reason: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with _answering(status, body) as (base_url, heard):
        found = why_not(Server(base_url=base_url, context_tokens=1024), model)
    assert heard == [f"/v1/models Bearer {KEY}"]
    assert (found is None) == (reason is None)
    if reason is not None and found is not None:
        assert base_url in found and reason in found and KEY not in found


def test_a_server_that_is_down_or_asks_for_a_missing_key_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with _answering(200, LISTED) as (base_url, _):
        pass
    assert f"{base_url}: nothing answers" in (why_not(Server(base_url=base_url, context_tokens=1), "a") or "")
    hosted = Server(base_url="https://api.example.com/v1", context_tokens=1)
    assert "set the environment variable OPENAI_API_KEY" in (why_not(hosted, "a") or "")
    assert "http://127.0.0.1:8000/v1" in (why_not(Server(base_url="localhost", context_tokens=1), "a") or "")


@contextmanager
def _answering(status: int, body: str) -> Iterator[tuple[str, list[str]]]:
    """A server that gives every request the same answer; its address, and what it heard."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(f"{self.path} {self.headers.get('Authorization', '')}".rstrip())
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", heard
        finally:
            server.shutdown()
            thread.join()
