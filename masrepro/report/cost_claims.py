"""Figure and claims of accuracy against cost: our systems beside those of MAS-Orchestra's figure 1 and table D.2."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from statistics import fmean

from masrepro.lab.table import Row
from masrepro.report.claims import TOO_FEW, Claim, incomplete, verdict_on
from masrepro.report.cost_pareto import Cost, CostPoint, Kind, front, pareto_front
from masrepro.report.figures import Figure, Panel, Series
from masrepro.report.published import table_3, table_d2
from masrepro.report.statistics import shown

WHERE = "MAS-Orchestra, figure 1, tables 3 and D.2 (AIME24 and GPQA, GPT-OSS-120B sub-agents)"
_BENCHMARKS = ("aime24", "gpqa-diamond")
_PAPER = {"cot_sc": "SC", "debate": "Debate", "reflexion": "Reflexion"}
_KINDS: tuple[Kind, ...] = ("single agent", "workflow alone", "orchestrator", "knows the item")
_LABELS: dict[Cost, str] = {
    "calls": "calls a question",
    "tokens": "tokens a question",
    "usd": "US dollars a question",
    "seconds": "seconds a question, on this machine",
}


def published_rows() -> list[Row]:
    """Table D.2 and the accuracies that go with it, as the mean over AIME24 and GPQA; costs are sums over both.

    A cost that other published numbers contradict has a question mark.
    """
    on_front = {system for system, _ in published_front()}
    costs, scores = table_d2(), table_3()
    rows: list[Row] = []
    for system in dict.fromkeys(name for name, _ in costs):
        own = [costs[system, benchmark] for benchmark in _BENCHMARKS]
        mark = " ?" if any(cost.doubt for cost in own) else ""
        rows.append(
            {
                "system": system,
                "accuracy": f"{fmean(scores[system, benchmark].value for benchmark in _BENCHMARKS):.3f}",
                "calls": f"{sum(cost.calls for cost in own):,}{mark}",
                "million tokens": f"{sum(cost.tokens for cost in own) / 1e6:.2f}{mark}",
                "US dollars": f"{sum(cost.usd for cost in own):.2f}{mark}",
                "thousand seconds": f"{sum(cost.seconds for cost in own) / 1e3:.2f}{mark}",
                "on the front": "yes" if system in on_front else "",
            }
        )
    return rows


def cost_figure(points: Sequence[CostPoint], costs: Sequence[Cost], *, note: str = "") -> Figure:
    """Accuracy against each cost that is known, a panel each; a line joins the methods that no other method beats."""
    known = [what for what in costs if any(point.cost(what) is not None for point in points)]
    left_out = [what for what in costs if what not in known]
    said = "; ".join(f"{what}: {', '.join(point.system for point in front(points, what))}" for what in known)
    why = f"Not drawn, since no price is known: {', '.join(_LABELS[what] for what in left_out)}." if left_out else ""
    return Figure(
        title="Accuracy against cost, the orchestrator's own included",
        y_label="share of items solved",
        panels=tuple(_panel(points, what) for what in known),
        alt=f"Methods that no other method beats, cheapest first, by {said}. {why}".strip(),
        note=" ".join(filter(None, [note, why])),
    )


def cost_claims(points: Sequence[CostPoint], trained: Collection[str], *, comparable: bool = True) -> list[Claim]:
    """What the paper says of cost, with its values and ours.

    Parameters
    ----------
    trained : collection of str
        Systems whose orchestrator was trained for its systems' answers; the paper's was.
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    errors = sum(point.errors for point in points)
    ensembles = [point for point in points if point.system in _PAPER]
    return [
        _front_claim(points, errors, trained, comparable),
        *(_ensemble_claim(point, errors, comparable) for point in ensembles),
    ]


def _front_claim(points: Sequence[CostPoint], errors: int, trained: Collection[str], comparable: bool) -> Claim:
    fronts: dict[Cost, list[CostPoint]] = {what: front(points, what) for what in ("calls", "tokens", "usd")}
    written = [point for point in points if point.kind == "orchestrator"]
    on_front = {p.system: [what for what, own in fronts.items() if p in own] for p in written}
    said = "; ".join(f"{system}: on the front of {', '.join(own) or 'none'}" for system, own in on_front.items())
    if errors:
        verdict = incomplete(errors)
    elif not comparable:
        verdict = TOO_FEW
    elif not any(system in trained for system in on_front):
        verdict = "not comparable: the paper's orchestrator is trained, none of ours is"
    else:
        verdict = "consistent" if any(own for system, own in on_front.items() if system in trained) else "differs"
    names = ", ".join(f"{system} ({usd:.2f} USD, {score:.3f})" for system, (usd, score) in published_front())
    return Claim(
        claim="A trained orchestrator lies on the front of accuracy and cost",
        where=WHERE,
        published=f"{names}; the cost of MAS-Orchestra's is in doubt",
        ours=f"{said}. Front of tokens: {', '.join(point.system for point in fronts['tokens'])}",
        verdict=verdict,
    )


def _ensemble_claim(point: CostPoint, errors: int, comparable: bool) -> Claim:
    system, costs, scores = _PAPER[point.system], table_d2(), table_3()
    times = [costs[system, name].calls / costs["CoT", name].calls for name in _BENCHMARKS]
    gains = [scores[system, name].value - scores["CoT", name].value for name in _BENCHMARKS]
    return Claim(
        claim=f"{system} alone gains over one chain of thought, for several times its calls",
        where=WHERE,
        published=f"{fmean(gains):+.3f} for {times[0]:.1f} and {times[1]:.1f} times the calls",
        ours=f"{shown(point.over_single)} for {point.calls:.1f} times the calls",
        verdict=verdict_on(point.over_single, errors=errors, comparable=comparable),
    )


def published_front() -> list[tuple[str, tuple[float, float]]]:
    """Systems of figure 1 that no other one beats, with US dollars and mean accuracy."""
    costs, scores = table_d2(), table_3()
    systems = list(dict.fromkeys(system for system, _ in costs))
    at = [
        (
            sum(costs[system, name].usd for name in _BENCHMARKS),
            fmean(scores[system, name].value for name in _BENCHMARKS),
        )
        for system in systems
    ]
    return [(systems[index], at[index]) for index in pareto_front(at)]


def _panel(points: Sequence[CostPoint], what: Cost) -> Panel:
    series = []
    for style, kind in enumerate(_KINDS):
        own = [(cost, p) for p in points if p.kind == kind and p.accuracy and (cost := p.cost(what)) is not None]
        if own:
            series.append(
                Series(
                    label=kind if kind != "knows the item" else "knows the item (no method)",
                    x=tuple(cost for cost, _ in own),
                    y=tuple(p.accuracy.value for _, p in own if p.accuracy),
                    low=tuple(p.accuracy.low for _, p in own if p.accuracy),
                    high=tuple(p.accuracy.high for _, p in own if p.accuracy),
                    style=style,
                    joined=False,
                    names=tuple(p.system for _, p in own),
                )
            )
    best = [(cost, p.accuracy.value) for p in front(points, what) if p.accuracy and (cost := p.cost(what)) is not None]
    if best:
        xs, ys = zip(*best, strict=True)
        series.append(Series("no method beats these", xs, ys, style=6, marked=len(best) == 1))
    return Panel(what, _LABELS[what], tuple(series), log_x=True)
