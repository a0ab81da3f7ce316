"""What MAS² says about its main table and figure 3, with ours beside it (arXiv 2509.24323)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from masrepro.lab.mas2 import Mas2Run
from masrepro.lab.mas2_systems import FULL, UNTRAINED, Compared
from masrepro.lab.table import Row
from masrepro.report.claims import TOO_FEW, Claim, direction, incomplete, verdict_on
from masrepro.report.mas2_frontier import BOUND, front
from masrepro.report.mas2_points import SystemPoint, cost_ratio, success_difference, system_points
from masrepro.report.published.mas2 import OURS, OnFront, Score, frontier, margins, statements, table_1
from masrepro.report.statistics import Estimate, shown

_ARE_NOT = "the paper's meta-agents are trained, ours are not"


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is who among the systems of a main table, by name.

    Parameters
    ----------
    ours : str
        What stands for MAS².
    trained : bool
        Whether all its meta-agents were trained.
    kinds : mapping of str to str
        By system; `masrepro.report.mas2_frontier.BOUND` is no method.
    models : tuple of str
        The models of the pool, each alone.
    ensemble : str
        Self-consistency on the pool's dearest model, the paper's SC (GPT-4o); empty: not there.
    untrained : str
        Ours with untrained meta-agents; empty: not there.
    """

    ours: str
    trained: bool
    kinds: Mapping[str, str]
    models: tuple[str, ...]
    ensemble: str = ""
    untrained: str = ""

    @classmethod
    def of(cls, systems: Sequence[Compared], *, trained: bool, ensemble: str = "") -> Cast:
        """The cast of `main_systems`; untrained meta-agents stand for MAS² where there are no others."""
        kinds = {one.variant.name: one.kind for one in systems}
        ours = FULL if FULL in kinds else UNTRAINED
        models = tuple(name for name, kind in kinds.items() if kind == "model alone")
        there = ensemble if ensemble in kinds else ""
        return cls(ours, trained, kinds, models, there, UNTRAINED if ours == FULL else "")


def published_rows() -> list[Row]:
    """Table 1 in percent, a row a system. A question mark: no number of right answers gives it, where n is known."""
    table = table_1()
    benchmarks = dict.fromkeys(benchmark for _, benchmark in table)
    return [
        {
            "system": system,
            **{name: _cell(100 * table[system, name].value, table[system, name].fits) for name in benchmarks},
            "as in ScoreFlow's table": f"{same} of 4 cells"
            if (same := table[system, "MATH"].same_as_scoreflow)
            else "",
        }
        for system in dict.fromkeys(system for system, _ in table)
    ]


def statement_rows() -> list[Row]:
    """Sentences of the paper whose numbers mean something else than they seem to."""
    return [{"said": one.said, "where": one.where, "but": one.odd} for one in statements()]


def main_claims(runs: Sequence[Mas2Run], cast: Cast, *, comparable: bool = True) -> list[Claim]:
    """The paper's claims about its main table and about cost; and what CTO is worth in reward, which it does not say.

    Parameters
    ----------
    comparable : bool
        False for runs that are too small to conclude anything.
    """
    points = system_points(runs, cast.untrained)
    errors = sum(point.errors for point in points)
    claims = [
        _best_claim(points, runs, cast, errors, comparable),
        _models_claim(runs, cast, errors, comparable),
        _front_claim(points, cast, errors, comparable),
    ]
    if cast.ensemble:
        claims.append(_ensemble_claim(runs, cast, errors, comparable))
    if cast.trained and cast.untrained:
        claims.append(_training_claim(points, cast, errors, comparable))
    return claims


def meta_verdict(gain: Estimate | None, errors: int, *, trained: bool, comparable: bool) -> str:
    """Verdict on a gain that the paper claims for trained meta-agents."""
    if trained or gain is None or not comparable:
        return verdict_on(gain, errors, comparable=comparable)
    return f"not comparable: {_ARE_NOT}; {direction(gain)}"


def own_verdict(gain: Estimate | None, errors: int, *, comparable: bool) -> str:
    """Verdict on a gain that the paper does not measure."""
    said = verdict_on(gain, errors, comparable=comparable)
    return said if gain is None or not comparable else f"not published: {said}"


def _best_claim(
    points: Sequence[SystemPoint], runs: Sequence[Mas2Run], cast: Cast, errors: int, comparable: bool
) -> Claim:
    solved = {
        point.variant: point.success.value
        for point in points
        if point.success and point.variant not in (cast.ours, cast.untrained) and cast.kinds[point.variant] != BOUND
    }
    best = max(solved, key=solved.__getitem__, default=None)
    # One that is still to be measured might be better.
    gain = success_difference(runs, cast.ours, [best]) if best and not errors else None
    published = [margin for _, margin in margins().values()]
    return Claim(
        claim="MAS² answers better than every other system",
        where="MAS², table 1",
        published=f"{100 * min(published):.1f} to {100 * max(published):.1f} points over the best other on each of "
        f"{len(published)} benchmarks",
        ours=f"{shown(gain)} over {best}, the best here" if best else "missing",
        verdict=meta_verdict(gain, errors, trained=cast.trained, comparable=comparable),
    )


def _models_claim(runs: Sequence[Mas2Run], cast: Cast, errors: int, comparable: bool) -> Claim:
    table = table_1()
    names = dict.fromkeys(score.system for score in table.values() if score.group == "models")
    gains = {
        benchmark: score.value - fmean(table[name, benchmark].value for name in names)
        for (system, benchmark), score in table.items()
        if system == OURS
    }
    gain = success_difference(runs, cast.ours, cast.models)
    return Claim(
        claim="MAS² gains up to 19.6 points, which is over the mean of the pool's models alone",
        where="MAS², abstract, which says: over state-of-the-art systems; table 1",
        published=", ".join(f"{benchmark} {100 * value:+.1f}" for benchmark, value in gains.items()),
        ours=f"{shown(gain)} over the mean of {len(cast.models)} models",
        verdict=meta_verdict(gain, errors, trained=cast.trained, comparable=comparable),
    )


def _front_claim(points: Sequence[SystemPoint], cast: Cast, errors: int, comparable: bool) -> Claim:
    fronts = {counts: [p.variant for p in front(points, cast.kinds, counts_meta=counts)] for counts in (False, True)}
    said = ["; ".join(fronts[counts]) or "not known" for counts in (False, True)]
    return Claim(
        claim="MAS² is on the front of cost and success",
        where="MAS², figure 3: NQ and Bamboogle; whether meta-agents are counted is not said",
        published="; ".join(
            f"{one.benchmark}: {one.other} is {100 * one.gain:.1f} points worse at "
            + (
                "the same cost"
                if one.at_least_times_the_cost == 1
                else f"over {one.at_least_times_the_cost:g} times the cost"
            )
            for one in frontier()
        ),
        ours=f"the front of the systems' own cost: {said[0]}. With the meta-agents counted: {said[1]}",
        verdict=_front_verdict(cast, fronts, errors, comparable),
    )


def _front_verdict(cast: Cast, fronts: Mapping[bool, Sequence[str]], errors: int, comparable: bool) -> str:
    """On or off it, without and with the meta-agents' cost."""
    if errors:
        return incomplete(errors)
    if not fronts[False]:
        return "incomplete: a price is unknown"
    if not comparable:
        return TOO_FEW
    without, counted = (cast.ours in fronts[counts] for counts in (False, True))
    where = (
        "on it either way" if counted else "on it only while the meta-agents are not counted" if without else "off it"
    )
    if not cast.trained:
        return f"not comparable: {_ARE_NOT}; {where}"
    return f"{'consistent' if without else 'differs'}: {where}"


def _ensemble_claim(runs: Sequence[Mas2Run], cast: Cast, errors: int, comparable: bool) -> Claim:
    gain = success_difference(runs, cast.ours, [cast.ensemble])
    times = [cost_ratio(runs, cast.ensemble, cast.ours, counts_meta=counts) for counts in (False, True)]
    return Claim(
        claim="Self-consistency on the dearest model costs many times as much, and answers worse",
        where="MAS², figure 3, SC (GPT-4o)",
        published="; ".join(
            f"{one.benchmark}: over {one.at_least_times_the_cost:g} times, {100 * one.gain:.1f} points worse"
            for one in frontier()
            if one.other == "SC"
        ),
        ours=f"MAS² gains {shown(gain)} on {cast.ensemble}, which costs {shown(times[0])} times as much, with the "
        f"meta-agents counted {shown(times[1])}",
        verdict=meta_verdict(gain, errors, trained=cast.trained, comparable=comparable),
    )


def _training_claim(points: Sequence[SystemPoint], cast: Cast, errors: int, comparable: bool) -> Claim:
    own = next(point for point in points if point.variant == cast.ours)
    return Claim(
        claim="Meta-agents trained with CTO earn more reward than untrained ones, on held-out items",
        where="MAS², section 3.2; no table has all of them untrained",
        published="",
        ours=f"R {shown(own.reward)}, by {shown(own.reward_gain)} more; success by {shown(own.gain)} more",
        verdict=own_verdict(own.reward_gain, errors, comparable=comparable),
    )


def _times(one: OnFront) -> str:
    times = one.at_least_times_the_cost
    return "the same cost" if times == 1 else f"over {times:g} times the cost"


def _same(score: Score) -> str:
    return f"{score.same_as_scoreflow} of 4 cells" if score.same_as_scoreflow else ""


def _cell(percent: float, fits: bool) -> str:
    return f"{percent:.1f}" + ("" if fits else " ?")
