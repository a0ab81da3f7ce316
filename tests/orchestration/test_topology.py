"""The shape of random systems against a brute force that follows every path."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from masrepro.orchestration import Agent, Flow, Orchestration, OrchestrationError
from masrepro.orchestration.topology import references


def random_pairs(rng: random.Random, n: int) -> list[tuple[int, int]]:
    """Distinct pairs of different agents: mostly forward, so that valid systems are common."""
    pairs = [(i, j) for i, j in itertools.permutations(range(n), 2) if i < j or rng.random() < 0.04]
    chosen = [pair for pair in pairs if rng.random() < rng.choice((0.3, 0.6))]
    rng.shuffle(chosen)
    return chosen


def paths_from(agent: int, pairs: list[tuple[int, int]], seen: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """Every path from an agent to where it ends; one that comes back to itself ends there."""
    if agent in seen:
        return [(*seen, agent)]
    targets = [j for i, j in pairs if i == agent]
    if not targets:
        return [(*seen, agent)]
    return [path for target in targets for path in paths_from(target, pairs, (*seen, agent))]


def build(n: int, pairs: list[tuple[int, int]]) -> Orchestration:
    agents = tuple(Agent(f"a{i}", "r", "g") for i in range(n))
    return Orchestration(agents, tuple(Flow(f"a{i}", f"a{j}") for i, j in pairs))


def test_shape_and_verdict_of_random_systems_against_every_path():
    rng = random.Random(5)
    verdicts = {"valid": 0, "cycle": 0, "several-sinks": 0, "disconnected": 0}
    for _ in range(3_000):
        n = rng.randint(1, 6)
        pairs = random_pairs(rng, n)
        paths = [path for agent in range(n) for path in paths_from(agent, pairs)]
        cyclic = any(len(set(path)) < len(path) for path in paths)
        sinks = [i for i in range(n) if not any(i == source for source, _ in pairs)]
        alone = [i for i in sinks if n > 1 and not any(i == target for _, target in pairs)]
        expected = "cycle" if cyclic else "valid" if len(sinks) == 1 else "disconnected" if alone else "several-sinks"
        verdicts[expected] += 1
        if expected != "valid":
            with pytest.raises(OrchestrationError) as caught:
                build(n, pairs)
            assert caught.value.rule == expected
            continue
        plan = build(n, pairs)
        depth = {agent: max(path.index(agent) for path in paths if agent in path) for agent in range(n)}
        assert plan.sink == f"a{sinks[0]}"
        assert set(plan.sources) == {f"a{i}" for i in range(n) if not any(i == target for _, target in pairs)}
        assert plan.longest_chain == max(map(len, paths))
        assert {a: d for d, level in enumerate(plan.levels) for a in level} == {f"a{i}": d for i, d in depth.items()}
        assert plan.width == max(map(len, plan.levels))
        assert tuple(int(agent[1:]) for agent in plan.critical_path) in paths
        assert len(plan.critical_path) == plan.longest_chain
        assert sorted(plan.order) == sorted(f"a{i}" for i in range(n))
        assert all(plan.order.index(f.source) < plan.order.index(f.target) for f in plan.flows)
    assert min(verdicts.values()) > 50


def test_references_are_found_as_the_ids_they_name():
    assert references("${a} $b {c} ${d_1}${E}, ${a} ${ f} ${} ${g.h} $${i}") == ["a", "d_1", "E", "a", "i"]


def test_ten_thousand_agents_in_every_extreme_shape():
    n = 10_000
    shapes = {
        "chain": [(i, i + 1) for i in range(n - 1)],
        "star": [(i, n - 1) for i in range(n - 1)],
        "burst": [(0, i) for i in range(1, n - 1)] + [(i, n - 1) for i in range(1, n - 1)],
    }
    start = time.perf_counter()
    plans = {name: build(n, pairs) for name, pairs in shapes.items()}
    assert time.perf_counter() - start < 10
    assert [plans[name].longest_chain for name in shapes] == [n, 2, 3]
    assert [plans[name].width for name in shapes] == [1, n - 1, n - 2]
    assert len(plans["chain"].critical_path) == n
    ring = [*shapes["chain"], (n - 1, 0)]
    with pytest.raises(OrchestrationError, match="cycle"):
        build(n, ring)
