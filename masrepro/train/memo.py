"""Models that are asked for equal things once: the systems of one step ask their sub-agents many equal questions.

Only greedy calls are equal; draws are meant to differ. Lives for one wave of systems, in memory; what is to outlast it
is for `masrepro.models.cache`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from masrepro.models.model import Completion, Message, Model, ModelError, Pool, Price, Sampling, Usage

Request = tuple[tuple[Message, ...], Sampling]


class Memo:
    """A model in front of which equal greedy requests meet, satisfying `Model`.

    The first of them pays; the others get its reply as ``cached``, without usage. One that is called off calls nobody
    else off.
    """

    def __init__(self, model: Model, watch: Stopwatch) -> None:
        self.model = model
        self.name = model.name
        self.revision = model.revision
        self.context_tokens = model.context_tokens
        self.price: Price | None = model.price
        self._watch = watch
        self._asked: dict[Request, asyncio.Task[Completion]] = {}

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """The reply to an equal request of this wave, also one in flight; else the model's."""
        if sampling.temperature > 0:
            return await self._ask(messages, sampling)
        request = (tuple(messages), sampling)
        if request not in self._asked:
            self._asked[request] = asyncio.create_task(self._ask(*request))
            return await asyncio.shield(self._asked[request])
        try:
            reply = await asyncio.shield(self._asked[request])
        except ModelError as error:
            raise type(error)(str(error)) from error  # what it cost is counted once
        return replace(reply, usage=Usage(), cached=True)

    def call_off(self) -> None:
        """Cancel what is still in flight: nobody waits for it any more."""
        for task in self._asked.values():
            if not task.cancel() and not task.cancelled():
                task.exception()  # it may have failed after its only asker was called off

    async def _ask(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        with self._watch:
            return await self.model.complete(messages, sampling)


class Stopwatch:
    """Seconds during which at least one of those who use it is at work."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._n_at_work = 0
        self._began = 0.0

    def __enter__(self) -> None:
        if not self._n_at_work:
            self._began = time.monotonic()
        self._n_at_work += 1

    def __exit__(self, *_: object) -> None:
        self._n_at_work -= 1
        if not self._n_at_work:
            self.seconds += time.monotonic() - self._began


def memoised(pool: Pool, watch: Stopwatch) -> Pool:
    """The same pool with a memo in front of every model."""
    return Pool({name: Memo(model, watch) for name, model in pool.items()}, pool.default)


def call_off(pool: Pool) -> None:
    """Cancel what is still in flight in such a pool."""
    for model in pool.values():
        if isinstance(model, Memo):
            model.call_off()
