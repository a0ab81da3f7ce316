"""A chat completion that came in parts (server-sent events), put together again. Pure: text in, data out.

A stream is whole only when its last event, ``[DONE]``, has come and every completion in it has ended; what was cut off
before is a failure, never a shorter text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from masrepro.models.model import MalformedReply
from masrepro.models.reply import Failure, Reply, malformed, read, understood, unreachable

_DONE = "[DONE]"


def read_stream(body: str, now: datetime) -> Reply | Failure:
    """The completions of a streamed response, or why there are none; see `masrepro.models.reply.read`."""
    if body.lstrip().startswith("{"):
        return read(body, now)  # this server does not stream
    whole = _Whole()
    n_parts = 0
    for data in _events(body):
        if data == _DONE:
            return whole.reply(now)
        try:
            part = json.loads(data)
        except ValueError:
            return malformed(f"part {n_parts + 1} of the stream is not JSON: {data!r}")
        if isinstance(part, dict) and part.get("error"):
            return _error(part["error"], now)
        if not whole.add(part):
            return malformed(f"part {n_parts + 1} of the stream is no part of a completion: {data!r}")
        n_parts += 1
    return unreachable(f"the stream was cut after {n_parts} parts") if n_parts else malformed(f"no stream: {body!r}")


def _events(body: str) -> Iterator[str]:
    """The data of each event. Only line ends separate lines: a text may hold U+2028."""
    data: list[str] = []
    for line in body.replace("\r\n", "\n").split("\n"):
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data == [_DONE]:  # what else lacks its end was cut off
        yield _DONE


def _error(error: Any, now: datetime) -> Failure:
    """An error in mid-stream: after its head, a response can no longer change its status."""
    outcome = understood({"error": error}, now)
    if isinstance(outcome, Failure) and outcome.kind is not MalformedReply:
        return outcome
    said = error.get("message") if isinstance(error, dict) else None
    return unreachable(f"the server broke off the stream: {said or error}")


class _Whole:
    """The response as it would have come in one piece."""

    def __init__(self) -> None:
        self._choices: dict[int, dict[str, Any]] = {}
        self._usage: Any = None

    def add(self, part: Any) -> bool:
        """Whether it was a part of a completion."""
        match part:
            case {"choices": [*choices], **more}:
                self._usage = more.get("usage") or self._usage
                return all([self._add_choice(choice) for choice in choices])
        return False

    def reply(self, now: datetime) -> Reply | Failure:
        if any(choice["finish_reason"] is None for choice in self._choices.values()):
            return unreachable("the stream ended before the reply did")
        choices = [self._choices[index] for index in sorted(self._choices)]
        for choice in choices:
            calls = choice["message"]["tool_calls"]
            choice["message"]["tool_calls"] = [calls[index] for index in sorted(calls)]
        return understood({"choices": choices, "usage": self._usage}, now)

    def _add_choice(self, sent: Any) -> bool:
        match sent:
            case {"delta": dict() as delta}:
                blank: dict[str, Any] = {"message": {"content": "", "tool_calls": {}}, "finish_reason": None}
                choice = self._choices.setdefault(sent.get("index", 0), blank)
                choice["finish_reason"] = sent.get("finish_reason") or choice["finish_reason"]
                message = choice["message"]
                for name in ("content", "reasoning_content", "reasoning", "refusal"):
                    if isinstance(delta.get(name), str):
                        message[name] = message.get(name, "") + delta[name]
                return all([_add_call(message["tool_calls"], call) for call in delta.get("tool_calls") or ()])
        return False


def _add_call(calls: dict[int, dict[str, Any]], sent: Any) -> bool:
    """Id and name come whole with a call's first part; its arguments come in pieces."""
    match sent:
        case {"function": dict() as function}:
            index = sent.get("index", 0)
            call = calls.setdefault(index, {"id": None, "function": {"name": "", "arguments": ""}})
            call["id"] = sent.get("id") or call["id"]
            call["function"]["name"] = function.get("name") or call["function"]["name"]
            call["function"]["arguments"] += function.get("arguments") or ""
            return True
    return False
