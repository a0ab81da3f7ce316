"""Assignments of backbones that go by rules: what a trained implementer has to beat.

The paper (MAS², arXiv 2509.24323) compares its implementer with none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from random import Random

from masrepro.models.model import Model
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.change import Edit, changed


def on_one(template: Orchestration, name: str) -> Orchestration:
    """Every agent on the same model."""
    return changed(template, [Edit(agent.id, backbone=name) for agent in template.agents])


def on_cheapest(template: Orchestration, pool: Mapping[str, Model]) -> Orchestration:
    """Every agent on the model whose tokens cost least; of several, the first. Raises ValueError as `rates`."""
    usd = rates(pool)
    return on_one(template, min(usd, key=usd.__getitem__))


def rates(pool: Mapping[str, Model]) -> dict[str, Decimal]:
    """What tokens of each model cost: US dollars per million, prompt and completion together, by name.

    Raises
    ------
    ValueError
        A model has no price.
    """
    usd = {}
    for name, model in pool.items():
        if model.price is None:
            raise ValueError(f"the price of {name!r} is unknown, so models cannot be ranked; give it one in `prices`")
        usd[name] = model.price.prompt_usd + model.price.completion_usd
    return usd


def at_random(template: Orchestration, pool: Mapping[str, Model], rng: Random) -> Orchestration:
    """Every agent on a model drawn for it."""
    names = list(pool)
    return changed(template, [Edit(agent.id, backbone=rng.choice(names)) for agent in template.agents])
