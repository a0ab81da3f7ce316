"""Figure and claims of a sweep over degrees of MAS, beside MAS-Orchestra.

The paper sets one of two degrees for each task (arXiv 2601.14652, section 3) and publishes no sweep; its values at
these degrees stand beside ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from masrepro.lab.table import Row
from masrepro.report.axes import SINGLE
from masrepro.report.claims import TOO_FEW, Claim, incomplete, verdict_on
from masrepro.report.dom_sweep import SweepPoint, enough
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.published import figure, figure_3, figure_3_axes, table_3
from masrepro.report.statistics import shown


def published_degrees() -> list[Row]:
    """The degree at which the paper's systems were trained and measured on each public benchmark, and what they gained.

    Accuracies are shares: of one chain of thought, of the best sub-agent alone, and of MAS-Orchestra.
    """
    table = table_3()
    own = {benchmark: score for (system, benchmark), score in table.items() if system == "MAS-Orchestra"}
    return [
        {
            "benchmark": benchmark,
            "DoM": score.dom,
            "CoT": table["CoT", benchmark].value,
            "best sub-agent alone": max(
                one.value for (_, name), one in table.items() if name == benchmark and one.group == "standalone"
            ),
            "MAS-Orchestra": score.value,
        }
        for benchmark, score in own.items()
    ]


def sweep_figure(points: Sequence[SweepPoint], *, note: str = "") -> Figure:
    """Accuracy by cap, a panel a benchmark and a curve a sub-agents' model; HIGH stands right of all caps."""
    caps = sorted({point.cap for point in points if point.cap is not None})
    panels = tuple(
        _panel(benchmark, [point for point in points if point.benchmark == benchmark], caps)
        for benchmark in dict.fromkeys(point.benchmark for point in points)
    )
    said = "; ".join(f"{one.benchmark} with {one.solver}: {one.enough} of {one.best}" for one in enough(points))
    return Figure(
        title="Accuracy by the number of agents that may be created",
        y_label="share of items solved",
        panels=panels,
        alt=f"Accuracy by cap. The smallest cap that suffices, and the best: {said or 'not known'}.",
        note=note,
    )


def sweep_claims(points: Sequence[SweepPoint], *, trained: bool, comparable: bool = True) -> list[Claim]:
    """What the paper says of degrees, with its values and ours.

    Parameters
    ----------
    trained : bool
        Whether the orchestrator was trained for its systems' answers; the paper's was.
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    errors = sum(point.errors for point in points)
    gains = [point for point in points if point.degree == "HIGH"]
    return [
        _enough_claim(points, errors, comparable),
        *(_gain_claim(point, errors, trained, comparable) for point in gains),
    ]


def _enough_claim(points: Sequence[SweepPoint], errors: int, comparable: bool) -> Claim:
    own = {score.benchmark: score for (system, _), score in table_3().items() if system == "MAS-Orchestra"}
    published = ", ".join(f"{score.dom} on {name} {score.value:.3f}" for name, score in own.items())
    found = enough(points)
    if errors:
        verdict = incomplete(errors)
    elif not comparable:
        verdict = TOO_FEW
    else:
        verdict = "not comparable: the paper publishes no sweep, and its degrees on other benchmarks"
    return Claim(
        claim="How many agents help depends on the task, so the degree is set by it",
        where="MAS-Orchestra, section 3 and table 3",
        published=f"no sweep; {published}",
        ours="; ".join(
            f"{one.benchmark} with {one.solver}: {one.enough} enough, {one.best} best ({one.best_accuracy})"
            for one in found
        )
        or "missing",
        verdict=verdict,
    )


def _gain_claim(point: SweepPoint, errors: int, trained: bool, comparable: bool) -> Claim:
    paper = _paper(point.benchmark)
    return Claim(
        claim=f"With as many agents as it wants (HIGH), a system beats the single agent on {point.benchmark}",
        where=f"MAS-Orchestra, figure {'C.1' if '/robustness/' in point.benchmark else '3'}",
        published=f"{paper['sas']:.3f} to {paper['mas']:.3f}" if paper else "",
        ours=f"{point.solver}: {shown(point.accuracy)}, gain {shown(point.over_single)}",
        verdict=verdict_on(point.over_single, errors=errors, comparable=comparable, trained=trained),
    )


def _paper(benchmark: str) -> dict[str, float]:
    """Single agent and trained orchestrator (HIGH) in the paper, on this value of a MASBench axis; empty if not there.

    Sub-agents are Qwen2.5-7B where the paper has them, else GPT-OSS-120B.
    """
    _, axis, value, *_ = (*benchmark.split("/"), "", "")
    if axis == "robustness":
        known = {(p.system, p.axis_value): p for p in figure("c1")}
    else:
        known = figure_3(axis) if axis in figure_3_axes() else {}
    return {system: p.value for (system, at), p in known.items() if f"{at}" == value}


def _panel(benchmark: str, points: Sequence[SweepPoint], caps: Sequence[int]) -> Panel:
    free = caps[-1] + 1
    series = []
    for style, solver in enumerate(dict.fromkeys(point.solver for point in points)):
        own = [point for point in points if point.solver == solver]
        curve = [(float(p.cap), p.accuracy) for p in own if p.cap is not None and p.accuracy]
        high = [(float(free), p.accuracy) for p in own if p.degree == "HIGH" and p.accuracy]
        alone = next((p.accuracy for p in own if p.degree == SINGLE), None)
        if curve:
            series.append(Series.of(f"{solver}, by cap", curve, style=style % 3))
        if high:
            series.append(Series.of(f"{solver}, HIGH (right end)", high, style=style % 3, joined=False))
        if alone:
            ends = (float(caps[0]), float(free))
            series.append(Series(f"{solver} alone", ends, (alone.value,) * 2, style=3 + style % 3, marked=False))
    paper = _paper(benchmark)
    if paper:
        series.append(
            Series("paper: trained MAS, HIGH", (float(free),), (paper["mas"],), style=6, published=True, joined=False)
        )
    return Panel(benchmark.removeprefix("masbench/"), "agents allowed", tuple(series))
