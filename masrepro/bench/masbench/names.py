"""Names of quantities: a place's thing, as in «Harbor's Crate».

Every place and thing is one capitalised word without an apostrophe, and no word serves twice, so that a name can be
read back from text without doubt (iGSM's own lists fail in both ways).
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

PLACES = (
    "Bakery", "Castle", "Clinic", "Farm", "Garden", "Harbor", "Hotel", "Library",
    "Market", "Mill", "Museum", "School", "Station", "Studio", "Temple", "Tower",
)  # fmt: skip
THINGS = (
    "Barrel", "Basket", "Bench", "Candle", "Carpet", "Clock", "Crate", "Drum", "Kettle", "Ladder", "Lamp", "Mirror",
)  # fmt: skip


def all_names(places: Sequence[str] = PLACES) -> list[str]:
    """Every name whose place is one of ``places``."""
    return [f"{place}'s {thing}" for place in places for thing in THINGS]


def draw_names(rng: Random, counts: Sequence[int]) -> list[list[str]]:
    """``counts[k]`` distinct names for group k; groups share no place, so no name appears in two of them.

    Raises
    ------
    ValueError
        There are not enough places or names for the groups.
    """
    if len(counts) > len(PLACES):
        raise ValueError(f"{len(counts)} groups need as many places; there are {len(PLACES)}")
    places = rng.sample(PLACES, len(PLACES))
    groups = [places[k :: len(counts)] for k in range(len(counts))]
    for count, group in zip(counts, groups, strict=True):
        if count > len(group) * len(THINGS):
            raise ValueError(f"{count} names asked for; {len(group)} places have {len(group) * len(THINGS)}")
    return [rng.sample(all_names(group), count) for count, group in zip(counts, groups, strict=True)]
