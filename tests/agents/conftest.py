"""A backbone that says what a test tells it to, to follow a workflow's turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from masrepro.models.model import Completion, Message, Sampling, Usage
from masrepro.tools.tool import ToolFailure, ToolResult, schema


@dataclass
class Scripted:
    """A `Call`: its reply is the next of ``replies``, or what ``answer`` makes of the messages.

    A reply is a text or a `Completion`. What was sent is in ``sent`` as (messages, change).
    """

    replies: list[str | Completion] = field(default_factory=list)
    answer: Callable[[tuple[Message, ...]], str] | None = None
    sampling: Sampling = field(default_factory=lambda: Sampling(seed=1))
    sent: list[tuple[tuple[Message, ...], dict[str, Any]]] = field(default_factory=list)
    n_in_flight: int = 0
    peak: int = 0

    async def __call__(self, messages, **change) -> Completion:
        self.sent.append((tuple(messages), change))
        reply = self.answer(tuple(messages)) if self.answer else self.replies[len(self.sent) - 1]
        self.n_in_flight += 1
        self.peak = max(self.peak, self.n_in_flight)
        await asyncio.sleep(0)
        self.n_in_flight -= 1
        return reply if isinstance(reply, Completion) else Completion(reply, "stop", Usage(1, 10, 5))

    def user_turns(self) -> list[str]:
        return [messages[-1].content for messages, _ in self.sent]


@dataclass
class Echo:
    """A tool that gives back what it is asked, and fails as often as it is told to."""

    name: str = "search"
    failures: list[ToolFailure] = field(default_factory=list)
    uses: list[dict[str, Any]] = field(default_factory=list)
    description: str = "Repeats the query."
    parameters = schema(
        {"query": {"type": "string", "description": "any text"}},
        {"hits": {"type": "integer", "description": "how many"}},
    )

    async def use(self, arguments) -> ToolResult:
        self.uses.append(dict(arguments))
        failure = self.failures.pop(0) if self.failures else None
        return ToolResult(self.name, "" if failure else f"[7] About {arguments['query']}", failure)


@pytest.fixture(scope="session")
def scripted() -> type[Scripted]:
    return Scripted


@pytest.fixture(scope="session")
def echo_tool() -> type[Echo]:
    return Echo


@pytest.fixture(scope="session")
def desk():
    """The shipped solver and one small item that it can read."""
    from masrepro.bench import benchmark
    from masrepro.models.desk import load_desk_model

    (item,) = benchmark("masbench/depth/2", split="test", n=1)
    return load_desk_model("desk-solver-s"), item
