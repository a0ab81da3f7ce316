"""A back-end for schedules of time and fault, which no real model would keep to."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from masrepro.models.model import FREE, Completion, Message, Price, Sampling, Usage


@dataclass
class Backend:
    """Answers by the goal that it is asked for.

    A reply may set ``text``, ``finish``, ``usage``, ``error`` (raised instead), ``until`` (an event to wait
    for) and ``seconds``. What happened is in ``log`` as (event, goal), what was sent in ``calls``.
    """

    replies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    name: str = "backend"
    price: Price | None = FREE
    revision: str = "1"
    context_tokens: int = 1_000_000
    log: list[tuple[str, str]] = field(default_factory=list)
    calls: list[tuple[Sequence[Message], Sampling]] = field(default_factory=list)
    n_in_flight: int = 0
    peak: int = 0

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        goal = messages[-1].content.rpartition("Goal: ")[2]
        reply = self.replies.get(goal, {})
        self.calls.append((messages, sampling))
        self.log.append(("start", goal))
        self.n_in_flight += 1
        self.peak = max(self.peak, self.n_in_flight)
        try:
            if "until" in reply:
                await reply["until"].wait()
            await asyncio.sleep(reply.get("seconds", 0))
            if "error" in reply:
                raise reply["error"]
        except BaseException as error:
            self.log.append((type(error).__name__, goal))
            raise
        finally:
            self.n_in_flight -= 1
        self.log.append(("end", goal))
        return Completion(
            reply.get("text", f"About {goal}.\nAnswer: {goal}!"),
            reply.get("finish", "stop"),
            reply.get("usage", Usage(1, 10, 5, Decimal(0))),
        )

    def goals(self, event: str) -> list[str]:
        return [goal for happened, goal in self.log if happened == event]


@pytest.fixture(scope="session")
def backend() -> type[Backend]:
    return Backend


@pytest.fixture
async def no_task_is_left():
    """Whatever the test started has ended when it is over."""
    before = asyncio.all_tasks()
    yield
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    assert not left, left
