"""A real HTTP server on loopback that speaks OpenAI's chat-completions protocol: a real model answers, or a fault does.

Faults are scheduled one a request, in the order of arrival; when they are used up, the model answers.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Literal

from masrepro.models import Completion, Message, Model, Sampling


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request.

    ``status`` answers with an HTTP status; ``stall`` never answers; ``cut`` closes the connection in the middle of the
    reply; ``pause`` stalls there; ``end`` ends a stream there as if it were whole; ``body`` answers 200 with whatever
    text it is given.
    """

    kind: Literal["status", "stall", "cut", "pause", "end", "body"]
    status: int = 200
    text: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


RATE_LIMIT = Fault("status", 429, '{"error": {"message": "slow down", "code": "rate_limit"}}', {"Retry-After": "0.2"})
BREAKDOWN = Fault("status", 500, '{"error": {"message": "worker died"}}')
STALL = Fault("stall")
CUT = Fault("cut")
PAUSE = Fault("pause")
END = Fault("end")
HALF_JSON = Fault("body", text='{"choices": [{"message": {"content": "half')
NO_CHOICES = Fault("body", text='{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 0}}')


class ChatServer:
    """Serves ``model`` from a thread of its own, between ``with`` and its end.

    What it saw is kept: ``requests`` (their JSON), ``answered`` (those without a fault that were answered whole),
    ``keys`` (authorization headers), ``most_in_flight``, ``n_abandoned`` (requests whose client left before the
    answer), ``n_connections`` and, of these, ``n_open``.
    """

    def __init__(
        self, model: Model, delay_s: float = 0.0, reasoning: str | None = None, most_choices: int = 128
    ) -> None:
        self.faults: deque[Fault | None] = deque()
        self.requests: list[dict[str, Any]] = []
        self.answered: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.most_in_flight = 0
        self.n_abandoned = 0
        self.n_connections = 0
        self.n_open = 0
        self._in_flight = 0
        self._model = model
        self._delay_s = delay_s
        self._reasoning = reasoning
        self._most_choices = most_choices
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="chat-server")

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    def schedule(self, faults: Iterable[Fault | None]) -> None:
        self.faults.extend(faults)

    def __enter__(self) -> ChatServer:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._over.wait()
        server.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.n_connections += 1
        self.n_open += 1
        try:
            while True:
                headers = await _headers(reader)
                body = await reader.readexactly(int(headers["content-length"]))
                self.keys.append(headers.get("authorization", ""))
                await self._answer(json.loads(body), reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has left
        finally:
            self.n_open -= 1
            writer.close()

    async def _answer(
        self, request: dict[str, Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.requests.append(request)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        fault = self.faults.popleft() if self.faults else None
        work = asyncio.ensure_future(self._reply(request, fault))
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                self.n_abandoned += 1
                raise ConnectionResetError
            writer.write(work.result())
            await writer.drain()
            if fault is None:
                self.answered.append(request)
            if fault is not None and fault.kind == "pause":
                await gone
                self.n_abandoned += 1
            if fault is not None and fault.kind in ("cut", "pause"):
                raise ConnectionAbortedError
        finally:
            self._in_flight -= 1
            work.cancel()
            gone.cancel()
            await asyncio.wait({work, gone})

    async def _reply(self, request: dict[str, Any], fault: Fault | None) -> bytes:
        await asyncio.sleep(self._delay_s)
        match fault:
            case Fault(kind="stall"):
                await asyncio.Event().wait()
            case Fault(kind="status" | "body"):
                return _response(fault.status, fault.headers, fault.text)
        whole = await self._chat_completion(request)
        if not request.get("stream"):
            reply = _response(200, {}, json.dumps(whole))
            return reply[:-60] if fault else reply
        events = [*_parts(whole), "[DONE]"]
        half = events[: len(events) // 2] if fault else events
        return _stream(half, ends=fault is None or fault.kind == "end")

    async def _chat_completion(self, request: dict[str, Any]) -> dict[str, Any]:
        n = min(request.get("n", 1), self._most_choices)
        completions = [await self._complete(request, number) for number in range(n)]
        return {
            "object": "chat.completion",
            "model": self._model.name,
            "choices": [self._choice(completion, index) for index, completion in enumerate(completions)],
            "usage": {
                "prompt_tokens": completions[0].usage.prompt_tokens,
                "completion_tokens": sum(completion.usage.completion_tokens for completion in completions),
            },
        }

    async def _complete(self, request: dict[str, Any], number: int) -> Completion:
        seed = request.get("seed")
        sampling = Sampling(
            temperature=request["temperature"],
            max_tokens=request["max_tokens"],
            top_p=request["top_p"],
            stop=tuple(request.get("stop", ())),
            seed=None if seed is None else seed + number,
        )
        turns = [Message(turn["role"], turn["content"] or "") for turn in request["messages"]]
        return await self._model.complete(turns, sampling)

    def _choice(self, completion: Completion, index: int) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": completion.text}
        if self._reasoning is not None:
            message["reasoning_content"] = self._reasoning
        return {"index": index, "message": message, "finish_reason": completion.finish}


def _parts(whole: dict[str, Any]) -> Iterator[str]:
    """A chat completion as the events of a stream, its texts in pieces of three characters."""
    for choice in whole["choices"]:
        for key, text in choice["message"].items():
            for at in range(0, len(text), 3):
                yield json.dumps({"choices": [{"index": choice["index"], "delta": {key: text[at : at + 3]}}]})
        yield json.dumps(
            {"choices": [{"index": choice["index"], "delta": {}, "finish_reason": choice["finish_reason"]}]}
        )
    yield json.dumps({"choices": [], "usage": whole["usage"]})


def _stream(events: Iterable[str], ends: bool) -> bytes:
    bodies = [f"data: {event}\n\n".encode() for event in events]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(body), body) for body in bodies)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + chunks + (b"0\r\n\r\n" if ends else b"")


async def _headers(reader: asyncio.StreamReader) -> dict[str, str]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    pairs = (line.split(":", 1) for line in head.split("\r\n")[1:] if line)
    return {key.strip().lower(): value.strip() for key, value in pairs}


def _response(status: int, headers: Mapping[str, str], body: str) -> bytes:
    content = body.encode()
    fields = {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}
    head = "".join(f"{key}: {value}\r\n" for key, value in fields.items())
    return f"HTTP/1.1 {status} Scheduled\r\n{head}\r\n".encode() + content
