"""Finds a benchmark by name."""

from __future__ import annotations

from masrepro.bench.item import Item
from masrepro.bench.masbench.axes import AXES
from masrepro.bench.masbench.generate import make_item


def benchmark(name: str, *, split: str = "test", n: int, start: int = 0) -> list[Item]:
    """Items ``start`` to ``start + n`` of a benchmark's split.

    Parameters
    ----------
    name : str
        ``masbench/<axis>/<value>``, such as ``masbench/depth/4``.
    split : str
        ``test`` or ``train``.
    n : int
        How many items.

    Raises
    ------
    ValueError
        No such benchmark, axis, value or split; says which there are.
    """
    match name.split("/"):
        case ["masbench", axis, value] if value.isdigit():
            return [make_item(axis, int(value), split, index) for index in range(start, start + n)]
    known = f"masbench/<axis>/<value> with axis {' or '.join(AXES)}, value 2 to 12"
    raise ValueError(f"no benchmark {name!r}; there are {known}")
