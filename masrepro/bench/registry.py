"""Finds a benchmark by name."""

from __future__ import annotations

from pathlib import Path

from masrepro.bench.item import Item
from masrepro.bench.masbench.cell import HOW_TO_NAME, parse_cell
from masrepro.bench.masbench.generate import make
from masrepro.bench.public import cards, load


def benchmark(
    name: str,
    *,
    split: str = "test",
    n: int | None = None,
    start: int = 0,
    data_dir: str | Path | None = None,
    revision: str | None = None,
) -> list[Item]:
    """Items ``start`` to ``start + n`` of a benchmark's split.

    Parameters
    ----------
    name : str
        ``masbench/<axis>/<value>``, such as ``masbench/depth/4``, with options as in `masrepro.bench.masbench.cell`;
        or a public benchmark, such as ``gsm8k``.
    split : str
        ``test`` or ``train``; the cards of public benchmarks say which they have.
    n : int or None
        How many items; None for all of a public benchmark. MASBench has no end, so it must be told.
    data_dir, revision
        Public benchmarks only: the user's own files, and another commit; see `masrepro.bench.public.load`.

    Raises
    ------
    ValueError
        No such benchmark, axis, value or split, which says which there are; or no usable data.
    """
    match name.split("/"):
        case [("masbench" | "masbench-paper"), *_]:
            cell = parse_cell(name)
            if n is None:
                raise ValueError(f"{name} is generated without end: say how many items (n=...)")
            return [make(cell, split, index) for index in range(start, start + n)]
    if name in cards():
        return load(name, split=split, n=n, start=start, data_dir=data_dir, revision=revision)
    raise ValueError(f"no benchmark {name!r}; there are {HOW_TO_NAME}; {', '.join(cards())}")
