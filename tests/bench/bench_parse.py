"""Processor time to parse a plan of 1 to 1,000 agents in each notation.

The plans are a chain beside a fan-out: every agent hears from the one before it and from the first. DESIGN
holds a 3-agent plan to 0.10 ms and growth to linear; the last column is time an agent against that of the
10-agent plan.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from masrepro.orchestration import Agent, Flow, Notation, Orchestration, parse

NOTATIONS: tuple[Notation, ...] = ("calls", "xml", "tool_calls")
SIZES = (1, 3, 10, 100, 1_000)


def plan_of(n_agents: int) -> Orchestration:
    """A valid plan of that many agents, with goals of the length that orchestrators write."""
    agents = [Agent("a0", "solver", "Find the number of each Mill's Crate.", "cot")]
    flows = []
    for index in range(1, n_agents):
        earlier = sorted({0, index - 1})
        goal = f"Find the number of each Harbor's Basket, given {' and '.join(f'${{a{i}}}' for i in earlier)}."
        agents.append(Agent(f"a{index}", "solver", goal, "cot"))
        flows += [Flow(f"a{i}", f"a{index}", "the number of each Mill's Crate") for i in earlier]
    return Orchestration(tuple(agents), tuple(flows))


def best_ms(call: Callable[[], object], seconds: float = 0.6) -> float:
    """Milliseconds of processor time of one call: the best of the rounds that fit into some seconds."""
    n_calls = 1
    while _round_s(call, n_calls) < 2e-3:
        n_calls *= 2
    end = time.perf_counter() + seconds
    best = _round_s(call, n_calls)
    while time.perf_counter() < end:
        best = min(best, _round_s(call, n_calls))
    return best / n_calls * 1e3


def _round_s(call: Callable[[], object], n_calls: int) -> float:
    start = time.process_time()
    for _ in range(n_calls):
        call()
    return time.process_time() - start


def texts_of(plan: Orchestration) -> dict[str, tuple[Notation, str]]:
    """The plan in every notation, and as calls that need a syntax tree."""
    written: dict[str, tuple[Notation, str]] = {notation: (notation, plan.to(notation)) for notation in NOTATIONS}
    written["calls, tools"] = "calls", plan.to("calls").replace('"cot")', '"cot", tools=["search"])')
    return written


def main() -> None:
    """Print the table."""
    print(f"{'notation':<14}{'agents':>8}{'chars':>10}{'ms':>10}{'us/agent':>10}{'x linear':>10}")
    ms: dict[tuple[str, int], float] = {}
    for n_agents in SIZES:
        for name, (notation, text) in texts_of(plan_of(n_agents)).items():
            assert len(parse(text, notation).agents) == n_agents
            ms[name, n_agents] = best_ms(partial(parse, text, notation))
    for name, n_agents in sorted(ms):
        n_chars = len(texts_of(plan_of(n_agents))[name][1])
        us_an_agent = ms[name, n_agents] / n_agents * 1e3
        ratio = us_an_agent / (ms[name, 10] / 10 * 1e3)
        print(f"{name:<14}{n_agents:>8}{n_chars:>10}{ms[name, n_agents]:>10.3f}{us_an_agent:>10.1f}{ratio:>10.2f}")


if __name__ == "__main__":
    main()
