"""What an orchestrator is trained on: which questions in which order, and how large a system it may build for each.

Assignment i depends on nothing but the mix and i, so that a longer training begins with the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TypeVar

from masrepro.bench import Item, benchmark
from masrepro.orchestration.dom import DoM

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mix:
    """A mixture of benchmarks and degrees of MAS, in equal parts.

    Parameters
    ----------
    cells : tuple of str
        Benchmarks with a train split, such as ``masbench/depth/4``, ``masbench/robustness/2/clean`` or ``gsm8k``.
    doms : tuple of DoM
        Several make one model for all of them.
    seed : int
        Of the order, and of which items are taken.
    n_items : int
        Items of each benchmark's train split, at most; when all have been used, they come again in another order.
    """

    cells: tuple[str, ...]
    doms: tuple[DoM, ...]
    seed: int
    n_items: int = 2000


@dataclass(frozen=True, slots=True)
class Assignment:
    """A question for which a system is to be written, and how large it may be."""

    cell: str
    item: Item
    dom: DoM


def assignments(mix: Mix, n: int) -> list[Assignment]:
    """The first ``n`` assignments of a mix; every pair of benchmark and degree comes up once in each round.

    Raises
    ------
    ValueError
        A benchmark is not known, has no train split, or its data is not there.
    """
    items = {cell: _items(mix, cell) for cell in mix.cells}
    pairs = [(cell, dom) for cell in mix.cells for dom in mix.doms]
    turns = islice(_rounds(Random(f"mix/{mix.seed}"), pairs), n)
    return [Assignment(cell, next(items[cell]), dom) for cell, dom in turns]


def _items(mix: Mix, cell: str) -> Iterator[Item]:
    size, item = _source(cell, mix.n_items)
    return map(item, _rounds(Random(f"mix/{mix.seed}/{cell}"), range(size)))


def _source(cell: str, n_items: int) -> tuple[int, Callable[[int], Item]]:
    """How many train items there are, and the one at an index. Those of MASBench are made one by one."""
    if cell.startswith("masbench"):
        return n_items, lambda index: benchmark(cell, split="train", n=1, start=index)[0]
    items = benchmark(cell, split="train", n=n_items)
    return len(items), items.__getitem__


def _rounds(rng: Random, choices: Sequence[T]) -> Iterator[T]:
    """Every choice once in random order, and so on without end."""
    while True:
        yield from rng.sample(choices, len(choices))
