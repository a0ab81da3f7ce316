"""How close a forest comes to the schedule that the models' latency alone would allow.

200 questions with K = 4 templates and N = 2 assignments each, 64 trees at once, every tree written to disk. A tree's
ideal time is that of its three calls in a row: template, assignment, agent. All else is work of this process, which has
one core for it.

    python tests/bench/bench_forest.py
"""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from masrepro.bench import Item
from masrepro.lab.forest import Trio, forest
from masrepro.meta.generator import Generator
from masrepro.meta.implementer import Implementer
from masrepro.models.model import Completion, Message, Pool, Price, Sampling, Usage
from masrepro.orchestration import Agent, Orchestration

CALL_S, N_TREES, AT_ONCE = 0.5, 200, 64
PRICE = Price(Decimal(1), Decimal(1))
TEMPLATE = Orchestration((Agent("a1", "solver", "Add."),)).to("calls")


class Sleeper:
    """A back-end with a fixed latency that always says the same."""

    revision, context_tokens = "1", 4096

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text, self.price = name, text, PRICE
        self.n_calls = 0

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        self.n_calls += 1
        await asyncio.sleep(CALL_S)
        return Completion(self.text, "stop", Usage(1, 90, 10, PRICE.of(90, 10)))


async def grown(folder: Path) -> tuple[float, float]:
    """Seconds of wall clock and of this process."""
    items = [Item(f"item-{k}", f"What is {k} plus 1?", f"{k + 1}", "exact_int") for k in range(N_TREES)]
    models = Pool({"solver": Sleeper("solver", "Answer: \\boxed{2}")})
    trio = Trio(Generator(Sleeper("generator", TEMPLATE)), Implementer(Sleeper("implementer", "a1: solver"), models))
    began, worked = time.perf_counter(), time.process_time()
    trees = await forest({"sums": items}, trio, models=models, folder=folder, concurrency=AT_ONCE)
    assert sum(len(tree.trajectories) for tree in trees) == 8 * N_TREES
    return time.perf_counter() - began, time.process_time() - worked


def main() -> None:
    """Print the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        wall_s, worked_s = asyncio.run(grown(Path(folder)))
    ideal_s = math.ceil(N_TREES / AT_ONCE) * 3 * CALL_S
    print(f"{N_TREES} trees of 8 leaves, {AT_ONCE} at once, {CALL_S:g} s a call: {wall_s:.2f} s")
    print(f"ideal {ideal_s:.2f} s: {wall_s / ideal_s:.2f} x; work of this process {worked_s:.2f} s")


if __name__ == "__main__":
    main()
