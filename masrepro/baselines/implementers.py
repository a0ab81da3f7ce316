"""Assignments of backbones that go by rules: what a trained implementer has to beat.

The paper (MAS², arXiv 2509.24323) compares its implementer with none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from masrepro.models.model import Model
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.change import Edit, changed


def on_one(template: Orchestration, name: str) -> Orchestration:
    """Every agent on the same model."""
    return changed(template, [Edit(agent.id, backbone=name) for agent in template.agents])


def on_cheapest(template: Orchestration, pool: Mapping[str, Model]) -> Orchestration:
    """Every agent on the model whose tokens cost least; of several, the first.

    Raises
    ------
    ValueError
        A model has no price.
    """
    prices = {}
    for name, model in pool.items():
        if model.price is None:
            raise ValueError(f"the price of {name!r} is unknown, so there is no cheapest; give it one in `prices`")
        prices[name] = model.price.prompt_usd + model.price.completion_usd
    return on_one(template, min(prices, key=prices.__getitem__))


def at_random(template: Orchestration, pool: Mapping[str, Model], rng: Random) -> Orchestration:
    """Every agent on a model drawn for it."""
    names = list(pool)
    return changed(template, [Edit(agent.id, backbone=rng.choice(names)) for agent in template.agents])
