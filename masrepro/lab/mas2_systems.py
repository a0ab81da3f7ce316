"""The systems that the tables of MAS² compare: the full one, its changed forms, and what it has to beat.

Each is a `masrepro.lab.mas2.Variant`, so that all meet the same items, faults and seeds (arXiv 2509.24323, section 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from masrepro.baselines.alone import Alone
from masrepro.baselines.implementers import at_random, rates
from masrepro.baselines.oracle import Oracle, Star
from masrepro.baselines.rectifiers import SwapFailed
from masrepro.baselines.single_agent import SingleAgent
from masrepro.baselines.system import System
from masrepro.lab.growth import Trio
from masrepro.lab.mas2 import On, Variant, cheapest
from masrepro.models.model import Pool

FULL, UNTRAINED = "MAS²", "MAS², untrained"
Kind = Literal["MAS²", "MAS², untrained", "model alone", "workflow alone", "made by rules", "knows the item"]
Part = Literal["generator", "implementer", "rectifier", "all three"]
SHAPES: Mapping[str, type[System]] = {"star": Star, "oracle": Oracle}
"""Designs that only one who knows the item can make: bounds, and no methods."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A system of a table, and what kind it is."""

    variant: Variant
    kind: Kind


@dataclass(frozen=True, slots=True)
class Change:
    """How a changed form differs from the full system.

    Parameters
    ----------
    part : str
        Which meta-agent is another.
    how : str
        ``untrained``, ``left out``, or the rule in its place.
    """

    part: Part
    how: str

    def __str__(self) -> str:
        return f"{'' if self.part == 'all three' else 'the '}{self.part} {self.how}"


def made_by(name: str, trio: Trio) -> Variant:
    """The system that three meta-agents make and repair."""
    return Variant(name, trio.generator, trio.implementer, trio.rectifier)


def full_system(trio: Trio) -> Variant:
    """The system of which changed forms are made."""
    return made_by(FULL, trio)


def alone(model: str) -> Variant:
    """One agent on one model of the pool; nobody repairs it."""
    return Variant(f"{model} alone", SingleAgent(), On(model))


def main_systems(
    pool: Pool,
    untrained: Trio,
    trained: Trio | None,
    *,
    workflows: Sequence[str] = (),
    roles: Sequence[str] = (),
    shapes: Sequence[str] = (),
) -> list[Compared]:
    """All systems of the main table: models alone first, bounds last.

    Parameters
    ----------
    pool : Pool
        At known prices.
    untrained, trained : Trio
        Meta-agents before and after training; None where none were trained.
    workflows : sequence of str
        Workflows that get the question alone, on the dearest model, as the paper has it; ``roles`` are the debaters.
    shapes : sequence of str
        Keys of `SHAPES`: on the dearest model, and repaired by a rule.
    """
    dear = dearest(pool)
    rules = [
        Variant("cheapest, swapped on failure", SingleAgent(), cheapest, SwapFailed()),
        Variant("random, swapped on failure", SingleAgent(), at_random, SwapFailed()),
    ]
    return [
        *(Compared(alone(name), "model alone") for name in pool),
        *(Compared(workflow_alone(name, dear, roles), "workflow alone") for name in workflows),
        *(Compared(rule, "made by rules") for rule in rules),
        Compared(made_by(UNTRAINED, untrained), "MAS², untrained"),
        *([Compared(made_by(FULL, trained), "MAS²")] if trained else []),
        *(Compared(Variant(name, SHAPES[name](), On(dear), SwapFailed()), "knows the item") for name in shapes),
    ]


def workflow_alone(workflow: str, model: str, roles: Sequence[str] = ()) -> Variant:
    """One agent of any workflow on one model; nobody repairs it."""
    one = Alone(workflow, tuple(roles) if workflow == "debate" else ())
    return Variant(workflow_name(workflow, model), one, On(model))


def workflow_name(workflow: str, model: str) -> str:
    """How `workflow_alone` calls it."""
    return f"{workflow} ({model})"


def dearest(pool: Pool) -> str:
    """The model whose tokens cost most; of several, the first. Raises ValueError as `rates`."""
    usd = rates(pool)
    return max(usd, key=usd.__getitem__)


def changed_systems(full: Trio, untrained: Trio, pool: Pool) -> Mapping[str, tuple[Variant, Change]]:
    """The full system's changed forms by name: each part untrained, left out, or replaced by a rule.

    Parameters
    ----------
    full, untrained : Trio
        Parts that are equal in both were not trained; then there is no form with them untrained.
    pool : Pool
        What a rule assigns from.
    """
    own = full_system(full)
    return {
        name: (replace(variant, name=name), change)
        for variant, change in _changes(own, full, untrained, pool)
        if (name := f"{change.part} {change.how}")
    }


def _changes(own: Variant, full: Trio, untrained: Trio, pool: Pool) -> Iterator[tuple[Variant, Change]]:
    differ = [
        part for part in ("generator", "implementer", "rectifier") if getattr(full, part) != getattr(untrained, part)
    ]
    if "generator" in differ:
        yield replace(own, generator=untrained.generator), Change("generator", "untrained")
    yield replace(own, generator=SingleAgent()), Change("generator", "left out (one agent)")
    if "implementer" in differ:
        yield replace(own, implementer=untrained.implementer), Change("implementer", "untrained")
    yield replace(own, implementer=at_random), Change("implementer", "at random")
    yield replace(own, implementer=cheapest), Change("implementer", "the cheapest for all")
    for name in pool:
        yield replace(own, implementer=On(name)), Change("implementer", f"all on {name}")
    if "rectifier" in differ:
        yield replace(own, rectifier=untrained.rectifier), Change("rectifier", "untrained")
    yield replace(own, rectifier=None), Change("rectifier", "left out")
    yield replace(own, rectifier=SwapFailed()), Change("rectifier", "a rule (swap what failed)")
    if differ:
        yield made_by("", untrained), Change("all three", "untrained")
