"""One question with its truth: what every benchmark yields and every evaluation consumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    """A benchmark item.

    Parameters
    ----------
    id : str
        Stable: the same item has the same id in every process and on every machine.
    question : str
        All that a system gets to see.
    answer : str or tuple of str
        The truth; a tuple where several answers are asked for, in order, or (by scorer) each of several is right.
    scorer : str
        Name for `masrepro.bench.score`.
    meta : mapping
        JSON-ready facts about the item (axis, value, split, measured axes, template).
    problems : tuple
        The item's dependency graphs, one for each independent problem; empty where none is known.
    """

    id: str
    question: str
    answer: str | tuple[str, ...]
    scorer: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Any, ...] = ()
