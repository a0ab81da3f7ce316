"""What MAS-Orchestra says of holistic and sequential orchestration, with ours beside it (tables 3 and D.2)."""

from __future__ import annotations

from collections.abc import Sequence

from masrepro.lab.table import Row
from masrepro.report.claims import TOO_FEW, Claim, direction, incomplete
from masrepro.report.methods import HOLISTIC, SEQUENTIAL, MethodPoint, pooled_cost, pooled_gain
from masrepro.report.published import table_3, table_d2
from masrepro.report.statistics import Estimate, shown

OURS, THEIRS = "MAS-Orchestra", "ToolOrchestra"
"""In the paper's tables: the holistic orchestrator, and the sequential one, as released by its authors."""


def published_methods() -> list[Row]:
    """Table 3's accuracies and table D.2's costs of both, a row a benchmark; None where the paper has none."""
    scores, costs = table_3(), table_d2()
    benchmarks = dict.fromkeys(benchmark for system, benchmark in scores if system in (OURS, THEIRS))
    rows: list[Row] = []
    for benchmark in benchmarks:
        row: dict[str, str | int | float | None] = {"benchmark": benchmark}
        for system in (OURS, THEIRS):
            score, cost = scores.get((system, benchmark)), costs.get((system, benchmark))
            row[system] = score.value if score else None
            row[f"{system}: calls"] = cost.calls if cost else None
            row[f"{system}: tokens"] = cost.tokens if cost else None
        rows.append(row)
    return rows


def method_claims(points: Sequence[MethodPoint], *, unequal: str = "", comparable: bool = True) -> list[Claim]:
    """The paper's two claims over all items, and the first again for each benchmark.

    Parameters
    ----------
    unequal : str
        In what the two orchestrators' bases differ beside what they write; said with every difference.
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    errors = sum(point.errors for point in points)
    everywhere = _accuracy("on MASBench", pooled_gain(points), _table_3(), unequal, errors, comparable)
    each = [_accuracy(f"on {point.benchmark}", point.gain, "", unequal, point.errors, comparable) for point in points]
    return [everywhere, _cost(points, comparable), *each]


def _accuracy(where: str, gain: Estimate | None, published: str, unequal: str, errors: int, comparable: bool) -> Claim:
    return Claim(
        claim=f"A holistic orchestrator answers better than a sequential one {where}, trained and run at one budget",
        where="MAS-Orchestra, table 3 (other trainings, tools and sizes)",
        published=published,
        ours=f"difference {shown(gain)}" + (f"; the bases were not trained alike ({unequal})" if unequal else ""),
        verdict=_verdict(gain, errors, comparable),
    )


def _cost(points: Sequence[MethodPoint], comparable: bool) -> Claim:
    holistic, sequential = (pooled_cost(points, who) for who in (HOLISTIC, SEQUENTIAL))
    if holistic is None or sequential is None:
        ours, verdict = "missing", _verdict(None, sum(point.errors for point in points), comparable)
    else:
        ours = (
            f"tokens a question {holistic.all_tokens:.0f} to {sequential.all_tokens:.0f}, calls "
            f"{holistic.calls + holistic.own_calls:.1f} to {sequential.calls + sequential.own_calls:.1f}, rounds "
            f"{holistic.rounds:.1f} to {sequential.rounds:.1f} (the orchestrators' own included); valid systems "
            f"{holistic.valid:.2f} to {sequential.valid:.2f}"
        )
        cheaper = holistic.all_tokens < sequential.all_tokens
        verdict = ("consistent" if cheaper else "differs") if comparable else TOO_FEW
    d2 = table_d2()
    pairs = [
        f"{benchmark}: {d2[OURS, benchmark].tokens:,} to {cost.tokens:,} tokens"
        for (system, benchmark), cost in d2.items()
        if system == THEIRS
    ]
    return Claim(
        claim="A holistic orchestrator costs less than a sequential one",
        where="MAS-Orchestra, table D.2 (sub-agents' tokens over the whole benchmark)",
        published="; ".join(pairs),
        ours=ours,
        verdict=verdict,
    )


def _verdict(gain: Estimate | None, errors: int, comparable: bool) -> str:
    if errors:
        return incomplete(errors)
    if gain is None:
        return "incomplete: one of the two orchestrators was not measured"
    if not comparable:
        return TOO_FEW
    return direction(gain)


def _table_3() -> str:
    scores = table_3()
    return "; ".join(
        f"{benchmark} {scores[OURS, benchmark].value:.3f} to {score.value:.3f}"
        for (system, benchmark), score in scores.items()
        if system == THEIRS and (OURS, benchmark) in scores
    )
