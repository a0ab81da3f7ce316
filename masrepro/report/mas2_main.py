"""The main table of MAS² (arXiv 2509.24323, table 1): success, cost and reward of systems, and the front of the two.

The paper's table has accuracies alone; its costs stand in figure 3, for two of its benchmarks. Here every system has
both, and the meta-agents' own cost stands apart. Claims are in `mas2_claims`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from masrepro.lab.table import Row
from masrepro.report.axes import columns
from masrepro.report.mas2_points import SystemPoint
from masrepro.report.statistics import Estimate, shown


def main_rows(points: Sequence[SystemPoint], kinds: Mapping[str, str]) -> list[Row]:
    """A row a system, all columns numeric but its name and kind, without times; None where a number is missing."""
    return [
        {
            "system": point.variant,
            "kind": kinds.get(point.variant, ""),
            "n": point.n,
            "errors": point.errors,
            **columns("success", point.success),
            **columns("gain", point.gain),
            **columns("usd", point.usd),
            **columns("meta_usd", point.meta_usd),
            "tokens": point.tokens,
            "meta_tokens": point.meta_tokens,
            **columns("reward", point.reward),
            **columns("full_reward", point.full_reward),
            **columns("reward_gain", point.reward_gain),
            "agents": point.agents,
            "repairs": point.repairs,
            "ended": point.ended,
        }
        for point in points
    ]


def success_reading(points: Sequence[SystemPoint], kinds: Mapping[str, str]) -> list[Row]:
    """Table 1's frame: a row a system, a column a benchmark, then all problems together and the gain."""
    benchmarks = dict.fromkeys(name for point in points for name in point.by_benchmark)
    return [
        {
            "system": point.variant,
            "kind": kinds.get(point.variant, ""),
            **{name.removeprefix("masbench/"): shown(point.by_benchmark.get(name)) for name in benchmarks},
            "all": shown(point.success),
            "gain": "" if point.gain is None and not point.errors else shown(point.gain),
        }
        for point in points
    ]


def cost_reading(points: Sequence[SystemPoint]) -> list[Row]:
    """What a thousand problems cost each system, its meta-agents apart, and the rewards."""
    return [
        {
            "system": point.variant,
            "USD per 1,000": thousand(point.usd),
            "meta-agents' USD per 1,000": thousand(point.meta_usd),
            "tokens": round(point.tokens),
            "meta-agents' tokens": round(point.meta_tokens),
            "R": shown(point.reward),
            "R, meta-agents counted": shown(point.full_reward),
            "agents": round(point.agents, 2),
            "repairs": round(point.repairs, 2),
            "ended": point.ended,
        }
        for point in points
    ]


def seen(points: Sequence[SystemPoint], ours: str) -> list[str]:
    """What came out for a system, in sentences."""
    own = next(point for point in points if point.variant == ours)
    said = [f"A system of {ours} has {own.agents:.1f} agents and is repaired {own.repairs:.2f} times."]
    cost, full = own.cost(counts_meta=False), own.cost(counts_meta=True)
    if cost and full:
        said.append(f"The meta-agents take {1 - cost / full:.0%} of all that it costs.")
    if own.reward and own.full_reward:
        said.append(f"Its reward is {own.reward}; with the meta-agents counted {own.full_reward}.")
    return said


def thousand(usd: Estimate | None) -> float | str:
    """US dollars of a thousand problems, to three digits; ``unknown`` without a price."""
    return "unknown" if usd is None else float(f"{1000 * usd.value:.3g}")
