"""Names of quantities: a place's thing, as in «Harbor's Crate».

Every place and thing is one capitalised word without an apostrophe, and no word serves twice, so that a name can be
read back from text without doubt (iGSM's own lists fail in both ways).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from masrepro.bench.masbench.graph import Problem

PLACES = (
    "Bakery", "Castle", "Clinic", "Farm", "Garden", "Harbor", "Hotel", "Library",
    "Market", "Mill", "Museum", "School", "Station", "Studio", "Temple", "Tower",
)  # fmt: skip
THINGS = (
    "Barrel", "Basket", "Bench", "Candle", "Carpet", "Clock", "Crate", "Drum", "Kettle", "Ladder", "Lamp", "Mirror",
)  # fmt: skip


CATEGORIES = {
    "Containers": ("Barrel", "Basket", "Crate", "Kettle"),
    "Furnishings": ("Bench", "Carpet", "Lamp", "Mirror"),
    "Instruments": ("Candle", "Clock", "Drum", "Ladder"),
}
"""Every thing is in one category."""

_NAMES = {place: [f"{place}'s {thing}" for thing in THINGS] for place in PLACES}


def all_names(places: Sequence[str] = PLACES) -> list[str]:
    """Every name whose place is one of ``places``."""
    return [name for place in places for name in _NAMES[place]]


def name_problems(rng: Random, problems: Sequence[Problem]) -> list[Problem]:
    """The problems with a name for every quantity; no name and no place is in two of them.

    A total is named after a place and a category, its parts after things of that category at that place; nothing else
    in the problem is, so that nothing else is part of it.

    Raises
    ------
    ValueError
        There are not enough places or names.
    """
    if not any(quantity.form == "total" for problem in problems for quantity in problem.quantities):
        names = draw_names(rng, [len(problem.quantities) for problem in problems])
    else:
        groups = _places(rng, len(problems))
        names = [_category_names(rng, problem, places) for problem, places in zip(problems, groups, strict=True)]
    return [problem.named(own) for problem, own in zip(problems, names, strict=True)]


def draw_names(rng: Random, counts: Sequence[int]) -> list[list[str]]:
    """``counts[k]`` distinct names for group k; groups share no place, so no name appears in two of them.

    Raises
    ------
    ValueError
        There are not enough places or names for the groups.
    """
    groups = _places(rng, len(counts))
    for count, group in zip(counts, groups, strict=True):
        if count > len(group) * len(THINGS):
            raise ValueError(f"{count} names asked for; {len(group)} places have {len(group) * len(THINGS)}")
    return [rng.sample(all_names(group), count) for count, group in zip(counts, groups, strict=True)]


def _places(rng: Random, n_groups: int) -> list[list[str]]:
    """All places, dealt out to the groups."""
    if n_groups > len(PLACES):
        raise ValueError(f"{n_groups} groups need as many places; there are {len(PLACES)}")
    places = rng.sample(PLACES, len(PLACES))
    return [places[k::n_groups] for k in range(n_groups)]


def _category_names(rng: Random, problem: Problem, places: Sequence[str]) -> list[str]:
    quantities = problem.quantities
    totals = [index for index, quantity in enumerate(quantities) if quantity.form == "total"]
    free = [(place, category) for place in places for category in CATEGORIES]
    names = [""] * len(quantities)
    for index in totals:
        place, category = free.pop(rng.randrange(len(free)))
        names[index] = f"{place}'s {category}"
        parts = quantities[index].parents
        for part, thing in zip(parts, rng.sample(CATEGORIES[category], len(parts)), strict=True):
            names[part] = f"{place}'s {thing}"
    left = [f"{place}'s {thing}" for place, category in free for thing in CATEGORIES[category]]
    others = iter(rng.sample(left, names.count("")))
    return [name or next(others) for name in names]
