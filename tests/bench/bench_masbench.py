"""MASBench items made a second of processor time, by axis, value and split, on one core.

The plain cells, and what the options cost at the largest value. The gate is 1,000 for every axis and value; iGSM's own
generator makes 11 to 680.
"""

from __future__ import annotations

import time

from masrepro.bench.masbench.axes import AXES, VALUES
from masrepro.bench.masbench.cell import parse_cell
from masrepro.bench.masbench.generate import SPLITS, make

OPTIONS = ("abstract", "fixed", "abstract/fixed")
GATE = 1_000


def items_a_second(name: str, split: str, n: int = 400) -> float:
    """Items a second of processor time, over the first ``n`` of a split."""
    cell = parse_cell(name)
    start = time.process_time()
    for index in range(n):
        make(cell, split, index)
    return n / (time.process_time() - start)


def main() -> None:
    """Print the tables."""
    slow = []
    for split in SPLITS:
        print(f"{f'{split} items/s':<22}" + "".join(f"{value:>8}" for value in VALUES))
        for axis in AXES:
            speeds = {value: items_a_second(f"masbench/{axis}/{value}", split) for value in VALUES}
            slow += [f"{axis}/{value} ({split})" for value, speed in speeds.items() if speed < GATE]
            print(f"{axis:<22}" + "".join(f"{speed:>8.0f}" for speed in speeds.values()), flush=True)
        print()
    print(f"{'test items/s at 12':<22}" + "".join(f"{option:>16}" for option in OPTIONS))
    for axis in AXES:
        speeds_12 = [items_a_second(f"masbench/{axis}/12/{option}", "test", 100) for option in OPTIONS]
        print(f"{axis:<22}" + "".join(f"{speed:>16.0f}" for speed in speeds_12))
    print(f"\nbelow {GATE} items/s: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
