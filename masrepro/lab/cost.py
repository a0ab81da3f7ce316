"""A run's limit on money: what each call may cost is set aside before it is sent, so that the limit is never exceeded.

The account is kept on disk beside the samples, call by call, so that a resumed run also knows what was spent on
samples that were in flight when it was killed. Not here: prices (`masrepro.models.prices`), a sample's own budget
(`masrepro.runtime.budget`), and how much a run will probably cost (`estimate`).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from masrepro.models.cache import Cached
from masrepro.models.model import Completion, Message, Model, ModelError, Pool, Price, Sampling
from masrepro.models.request import most_tokens
from masrepro.runtime.budget import BudgetReached

ACCOUNT = "cost.jsonl"


class CostReached(ModelError, BudgetReached):
    """The call might exceed the run's cost limit; it was not sent."""


class UnknownPrice(ValueError):
    """A cost limit is set, and a model has no price; says which, and what to do."""


class CostLimit:
    """What a run has spent and set aside, against its limit.

    Parameters
    ----------
    limit_usd : Decimal, int, float or None
        US dollars, for all attempts of the run together. None: no limit; the account is kept all the same.
    account : Path or None
        The file in which it is kept; what stands there counts as spent. A call that never reported back counts with
        what was set aside for it.

    Notes
    -----
    A call is set aside with an upper bound: a token for every byte of its prompt, and ``max_tokens``. A call that does
    not fit what is left waits while others are in flight, which mostly cost less than their bounds; it is refused when
    none are. What failed attempts of a call cost beyond that (they mostly cost nothing) is counted when it ends.
    """

    def __init__(self, limit_usd: Decimal | float | None, account: Path | None = None) -> None:
        self.limit_usd = None if limit_usd is None else Decimal(str(limit_usd))
        self.reached = False
        self._account = None if account is None else _Account(account)
        self.spent_usd = Decimal(0) if self._account is None else self._account.spent_usd
        self._held_usd = Decimal(0)
        self._n_in_flight = 0
        self._settled: asyncio.Event | None = None

    def __str__(self) -> str:
        return f"the cost limit of {self.limit_usd} USD ({self.spent_usd} USD spent)"

    def pool(self, pool: Pool) -> Pool:
        """The same models, each call of which is admitted here first; a cache stays in front of that.

        Raises
        ------
        UnknownPrice
            There is a limit, and a model has no price.
        """
        if self.limit_usd is not None:
            unpriced = [name for name, model in pool.items() if model.price is None]
            if unpriced:
                raise UnknownPrice(
                    f"a cost limit needs the price of every model, and that of {', '.join(unpriced)} is unknown; give "
                    "it in `prices` (US dollars per million tokens, [prompt, completion]), or leave max_cost_usd out"
                )
        return Pool({name: self._limited(model) for name, model in pool.items()}, pool.default)

    async def hold(self, bound_usd: Decimal) -> int:
        """Wait for room and set it aside. Returns the call's number, for `settle`.

        Raises
        ------
        CostReached
            What is spent leaves no room.
        """
        while self.limit_usd is not None and self.spent_usd + self._held_usd + bound_usd > self.limit_usd:
            if self.spent_usd + bound_usd > self.limit_usd or not self._n_in_flight:
                self.reached = True
                raise CostReached(f"{self} has no room for a call of up to {bound_usd} USD")
            self._settled = self._settled or asyncio.Event()
            await self._settled.wait()
        self._held_usd += bound_usd
        self._n_in_flight += 1
        return self._account.hold(bound_usd) if self._account is not None else 0

    def settle(self, number: int, bound_usd: Decimal, cost_usd: Decimal | None) -> None:
        """A call has ended, well or not, and cost this; where that is unknown, its bound."""
        cost_usd = bound_usd if cost_usd is None else cost_usd
        self._held_usd -= bound_usd
        self._n_in_flight -= 1
        self.spent_usd += cost_usd
        if self._account is not None:
            self._account.settle(number, cost_usd)
        if self._settled is not None:
            self._settled.set()
            self._settled = None

    def close(self) -> None:
        """Let go of the account."""
        if self._account is not None:
            self._account.close()

    def _limited(self, model: Model) -> Model:
        if isinstance(model, Cached):
            return model.over(self._limited(model.model))
        return model if model.price is None else _Limited(model, model.price, self)


class _Limited:
    """A model whose calls a `CostLimit` admits."""

    def __init__(self, model: Model, price: Price, limit: CostLimit) -> None:
        self.name, self.revision, self.context_tokens = model.name, model.revision, model.context_tokens
        self.price: Price | None = price
        self._model = model
        self._limit = limit

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        bound_usd = self._bound_usd(messages, sampling)
        number = await self._limit.hold(bound_usd)
        cost_usd: Decimal | None = None
        try:
            completion = await self._model.complete(messages, sampling)
            cost_usd = completion.usage.cost_usd
            return completion
        except ModelError as error:
            cost_usd = error.usage.cost_usd
            raise
        finally:
            self._limit.settle(number, bound_usd, cost_usd)

    def _bound_usd(self, messages: Sequence[Message], sampling: Sampling) -> Decimal:
        assert self.price is not None
        n_prompt = min(most_tokens(messages, sampling.tools), self.context_tokens)
        return self.price.of(n_prompt, sampling.max_tokens)

    def __repr__(self) -> str:
        return repr(self._model)


class _Account:
    """Two lines a call: what is set aside, and what it came to. The first is written before the call is sent."""

    def __init__(self, path: Path) -> None:
        content = path.read_bytes() if path.exists() else b""
        *lines, torn = content.split(b"\n")
        if torn:  # its call was not sent, or keeps what was set aside for it
            os.truncate(path, len(content) - len(torn))
        calls = {number: Decimal(usd) for number, usd in map(json.loads, lines)}
        self.spent_usd = sum(calls.values(), Decimal(0))
        self._n_calls = max(calls, default=-1) + 1
        self._file = path.open("a", encoding="utf-8", buffering=1)

    def hold(self, usd: Decimal) -> int:
        number = self._n_calls
        self._n_calls += 1
        self._write(number, usd)
        return number

    def settle(self, number: int, usd: Decimal) -> None:
        self._write(number, usd)

    def close(self) -> None:
        self._file.close()

    def _write(self, number: int, usd: Decimal) -> None:
        self._file.write(f'[{number}, "{usd}"]\n')
