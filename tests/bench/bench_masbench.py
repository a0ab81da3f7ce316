"""MASBench items made a second of processor time, by axis and value, on one core.

The plain cells, and what the options cost at the largest value. The gate is 1,000 for every axis and value; iGSM's own
generator makes 11 to 680.
"""

from __future__ import annotations

import time

from masrepro.bench.masbench.axes import AXES, VALUES
from masrepro.bench.masbench.cell import parse_cell
from masrepro.bench.masbench.generate import make

OPTIONS = ("abstract", "fixed", "abstract/fixed")
GATE = 1_000


def items_a_second(name: str, seconds: float = 0.3) -> float:
    """Items a second of processor time: the best of rounds that fit into some seconds."""
    cell = parse_cell(name)
    index, best = 0, 0.0
    end = time.process_time() + seconds
    while time.process_time() < end:
        start = time.process_time()
        for _ in range(25):
            make(cell, "test", index)
            index += 1
        best = max(best, 25 / (time.process_time() - start))
    return best


def main() -> None:
    """Print the tables."""
    print(f"{'items/s':<22}" + "".join(f"{value:>8}" for value in VALUES))
    slow = []
    for axis in AXES:
        speeds = {value: items_a_second(f"masbench/{axis}/{value}") for value in VALUES}
        slow += [f"{axis}/{value}" for value, speed in speeds.items() if speed < GATE]
        print(f"{axis:<22}" + "".join(f"{speed:>8.0f}" for speed in speeds.values()))
    print(f"\n{'items/s at 12':<22}" + "".join(f"{option:>16}" for option in OPTIONS))
    for axis in AXES:
        speeds_12 = [items_a_second(f"masbench/{axis}/12/{option}") for option in OPTIONS]
        print(f"{axis:<22}" + "".join(f"{speed:>16.0f}" for speed in speeds_12))
    print(f"\nbelow {GATE} items/s: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
