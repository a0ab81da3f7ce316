"""Training rows for the desk implementer: systems of random shape, pools at random prices, and a model for each agent.

Which model an agent gets has nothing to do with its goal, with prices, or with the order of the pool: what is learned
is how an assignment is written. Whom to assign is left for training on outcomes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from masrepro.bench.item import Item
from masrepro.models.model import Price
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.assignment import write_assignment
from masrepro.runtime.briefing import staffing_request
from masrepro.train.desk_corpus import Row, draw_item
from masrepro.train.desk_plans import draw_plan
from masrepro.train.desk_words import PRICES, SOLVERS

_UNPRICED_SHARE = 0.1
_FREE_FORM_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Staffing:
    """A system that is to be staffed, and the prices of the models that there are."""

    question: str
    plan: Orchestration
    models: Mapping[str, Price | None]

    @property
    def prompt(self) -> str:
        """What an implementer is told."""
        return staffing_request(self.question, self.plan, self.models)


def staffing_row(rng: Random, *, largest: int = 12, least: int = 1) -> Row:
    """A system, and a model for each of its agents; arguments as for `masrepro.train.desk_plans.plan_row`."""
    staffing = draw_staffing(rng, largest=largest, least=least)
    ids = [agent.id for agent in staffing.plan.agents]
    chosen = draw_backbones(rng, list(staffing.models), len(ids))
    assigned = dict(zip(ids, chosen, strict=True))
    return Row(staffing.prompt, write_assignment(assigned), "staffing", len(ids))


def draw_staffing(rng: Random, *, largest: int = 12, least: int = 1) -> Staffing:
    """A random system and pool."""
    item = draw_item(rng, largest)
    return Staffing(item.question, draw_team(rng, item, least), draw_models(rng))


def draw_team(rng: Random, item: Item, least: int = 1) -> Orchestration:
    """A random system of at least one agent for an item."""
    return draw_plan(rng, item, DoM.HIGH if rng.random() < 0.6 else DoM.at_most(rng.randint(1, 8)), least)


def draw_models(rng: Random) -> dict[str, Price | None]:
    """Two to four of the solvers in any order, at any prices; now and then their prices are unknown."""
    names = rng.sample(SOLVERS, rng.randint(2, len(SOLVERS)))
    if rng.random() < _UNPRICED_SHARE:
        return dict.fromkeys(names)
    if rng.random() < _FREE_FORM_SHARE:
        return {name: _any_price(rng) for name in names}
    return {name: _price(form) for name, form in zip(names, rng.sample(PRICES, len(names)), strict=True)}


def draw_backbones(rng: Random, names: Sequence[str], n_agents: int) -> list[str]:
    """A model for each agent: the same for all, or for all but one, or each at random."""
    match rng.choices(("one", "one but one", "any"), (25, 25, 50))[0]:
        case "one":
            return [rng.choice(names)] * n_agents
        case "one but one":
            most, other = rng.sample(names, 2)
            chosen = [most] * n_agents
            # The sink is the first that is written.
            chosen[0 if rng.random() < 0.5 else rng.randrange(n_agents)] = other
            return chosen
        case _:
            return rng.choices(names, k=n_agents)


def _price(form: str) -> Price:
    prompt, completion = form.split(" / ")
    return Price(Decimal(prompt), Decimal(completion))


def _any_price(rng: Random) -> Price:
    prompt = Decimal(rng.randint(1, 400)) / 100
    return Price(prompt, prompt * rng.choice((2, 3, 4, 5)))
