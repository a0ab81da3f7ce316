"""A model for tests of timing and faults, where no model quality is at stake."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from masrepro.models.model import FREE, Completion, Message, Price, Sampling, Usage


class LoggingModel:
    """Answers 4 after a pause, and writes each question to a file: the calls that were really made."""

    name = "logging"
    revision = "1"
    context_tokens = 4096

    def __init__(self, log: Path, seconds: float = 0.0, price: Price | None = FREE) -> None:
        self.price = price
        self._log = log
        self._seconds = seconds

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        with self._log.open("a") as file:
            file.write(" ".join(messages[-1].content.split()) + "\n")
        await asyncio.sleep(self._seconds)
        cost = None if self.price is None else self.price.of(10, 5)
        return Completion("Answer: \\boxed{4}", "stop", Usage(1, 10, 5, cost))
