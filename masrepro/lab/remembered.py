"""A model that computes equal requests once and charges each: a bench asks the same thing many times.

Unlike a cache (`masrepro.models.cache`) it hides no cost: what a system costs is what it would cost alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from masrepro.models.model import Completion, Message, Model, Pool, Price, Sampling, Usage


class Remembered:
    """A model whose replies are remembered for as long as it lives, satisfying `Model`.

    Greedy requests are equal whatever their seed and repeat; draws are if they have the same seed. Draws without a seed
    are never remembered.

    Parameters
    ----------
    model : Model
    price : Price or None
        What its tokens are charged with; None takes the model's own.
    computed : Usage
        What the model itself has been asked for, at its own price: what was really spent.
    """

    def __init__(self, model: Model, price: Price | None = None) -> None:
        self.name, self.revision, self.context_tokens = model.name, model.revision, model.context_tokens
        self.price: Price | None = price or model.price
        self.computed = Usage()
        self.model = model
        self._asked: dict[tuple[tuple[Message, ...], Sampling], asyncio.Task[Completion]] = {}

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """The reply to an equal request, also one in flight; else the model's. Each is charged in full."""
        is_drawn = sampling.temperature > 0
        if is_drawn and sampling.seed is None:
            return self._charged(await self._ask(tuple(messages), sampling))
        request = (tuple(messages), sampling if is_drawn else replace(sampling, seed=None, repeat=0))
        if request not in self._asked:
            self._asked[request] = asyncio.create_task(self._ask(*request))
        return self._charged(await asyncio.shield(self._asked[request]))

    async def _ask(self, messages: tuple[Message, ...], sampling: Sampling) -> Completion:
        completion = await self.model.complete(messages, sampling)
        self.computed += completion.usage
        return completion

    def _charged(self, completion: Completion) -> Completion:
        usage = completion.usage
        cost = self.price.of(usage.prompt_tokens, usage.completion_tokens) if self.price else usage.cost_usd
        return replace(completion, usage=replace(usage, cost_usd=cost))


def remembered(pool: Pool, prices: Mapping[str, Price]) -> Pool:
    """The same pool, remembered, at these prices."""
    return Pool({name: Remembered(model, prices.get(name)) for name, model in pool.items()}, pool.default)


def require_prices(models: Mapping[str, Model]) -> None:
    """Raise ValueError that names the models without a price: costs are about to be compared."""
    unpriced = [name for name, model in models.items() if model.price is None]
    if unpriced:
        raise ValueError(f"costs are compared, and the price of {', '.join(unpriced)} is unknown; give it in `prices`")


def computed(pool: Mapping[str, Model]) -> Usage:
    """What remembered models have really been asked for, and what that cost."""
    return sum((model.computed for model in pool.values() if isinstance(model, Remembered)), Usage())
