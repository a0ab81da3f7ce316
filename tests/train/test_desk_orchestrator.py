"""The orchestrator that comes with the package: it knows the notation, and nothing of which design is good."""

from __future__ import annotations

import asyncio
from statistics import mean

import pytest

from masrepro.bench import benchmark
from masrepro.meta.orchestrator import write_systems
from masrepro.models import Sampling
from masrepro.models.desk import load_desk_model
from masrepro.orchestration import Orchestration, OrchestrationError, parse
from masrepro.orchestration.dom import DoM
from masrepro.train.desk_plans import PLAIN

N_ITEMS = 24
CELLS = ("depth/3", "depth/8", "parallel/2", "parallel/4")


def parsed(text: str) -> Orchestration | None:
    try:
        return parse(text, catalogue=PLAIN)
    except OrchestrationError:
        return None


@pytest.fixture(scope="module")
def systems() -> dict[str, list[Orchestration | None]]:
    """What it writes at temperature 1, by cell; None where that is no system."""
    model = load_desk_model("desk-orchestrator")
    hot = Sampling(temperature=1.0, max_tokens=320, seed=7)

    async def write(cell: str) -> list[Orchestration | None]:
        items = benchmark(f"masbench/{cell}", split="test", n=N_ITEMS)
        texts = await write_systems(model, items, sampling=hot, dom=DoM.HIGH, catalogue=PLAIN)
        return [parsed(text.text) for text in texts]

    return {cell: asyncio.run(write(cell)) for cell in CELLS}


def test_most_of_what_it_writes_is_a_system(systems: dict[str, list[Orchestration | None]]) -> None:
    for cell, written in systems.items():
        assert sum(plan is not None for plan in written) >= 0.6 * N_ITEMS, cell


@pytest.mark.parametrize("axis", ["depth", "parallel"])
def test_sizes_do_not_follow_the_axis_value(systems: dict[str, list[Orchestration | None]], axis: str) -> None:
    few, many = (
        [len(plan.agents) for plan in written if plan is not None]
        for cell, written in systems.items()
        if cell.startswith(axis)
    )
    assert abs(mean(few) - mean(many)) < 2.0
    assert min(map(len, (set(few), set(many)))) >= 5
