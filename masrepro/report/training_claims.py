"""What MAS-Orchestra says of how orchestrators are trained, with ours beside it (figures C.3 and C.4, appendix C.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from masrepro.lab.effort_params import Training
from masrepro.lab.table import Row
from masrepro.report.axes import SINGLE, STRONGER
from masrepro.report.claims import Claim, verdict_on
from masrepro.report.published import by_value, figure, trained_values
from masrepro.report.statistics import accuracy, shown
from masrepro.report.writer_claims import INSTRUCTED
from masrepro.report.writers import WriterPoint, axes_of, errors_of, gain_of, scores_of

NONE_NAMED = "incomplete: no trained orchestrator is named, so the untrained one alone was measured"
ADVERSARIAL = "robustness"
"""The axis whose items hold wrong answers to their neighbours."""
_BEYOND = f"MAS-Orchestra, figures 3 and C.1, appendix C.6 (gain over one agent, {STRONGER} sub-agents)"


def training_claims(
    points: Sequence[WriterPoint], trainings: Mapping[str, Training], *, comparable: bool = True
) -> list[Claim]:
    """What the paper says of one orchestrator an axis, one for all axes, and adversarial items in its training.

    Parameters
    ----------
    trainings : mapping of str to Training
        By the name under which points have them.
    """
    trained = {name: set(training.values) for name, training in trainings.items()}
    combined = next((name for name, axes in trained.items() if len(axes) > 1), None)
    claims = []
    for axis in dict.fromkeys(p.axis for p in figure("c3")):
        separate = next((name for name, axes in trained.items() if axes == {axis}), None)
        claims.append(
            _against(
                f"Trained on all axes, an orchestrator does as well on {axis.capitalize()} as trained on that alone",
                "MAS-Orchestra, figure C.3",
                _published_settings("c3", axis),
                _on(points, axis),
                (combined, "no orchestrator trained on several axes is named"),
                (separate, f"no orchestrator trained on {axis} alone is named"),
                comparable,
                as_good=True,
            )
        )
    with_them = next((name for name, axes in trained.items() if ADVERSARIAL in axes), None)
    without = _without_it(trained, with_them)
    claims.append(
        _against(
            "Robustness gains from adversarial items in the training",
            "MAS-Orchestra, figure C.4",
            _published_settings("c4", ADVERSARIAL),
            _on(points, ADVERSARIAL),
            (with_them, "no orchestrator trained on robustness is named"),
            (without, "none trained without robustness is named"),
            comparable,
        )
    )
    return claims


def generalisation_claims(
    points: Sequence[WriterPoint], trainings: Mapping[str, Training], *, base: str = INSTRUCTED, comparable: bool = True
) -> list[Claim]:
    """Whether what was learned at some values of an axis holds beyond them: a claim a training and axis.

    Parameters
    ----------
    base : str
        The untrained orchestrator.
    """
    claims = []
    for name, training in trainings.items():
        for axis, values in training.values.items():
            own = _on(points, axis)
            seen = [point for point in own if point.value in values]
            beyond = [point for point in own if point.value > max(values)]
            gain = gain_of(beyond, name, base)
            claims.append(
                Claim(
                    claim=f"What {name} learned on {axis.capitalize()} {_listed(values)} holds at larger values",
                    where=_BEYOND,
                    published=_published_beyond(axis),
                    ours=f"over the untrained one {_at(seen, name, base)} and beyond {_at(beyond, name, base)}; "
                    f"over one agent {_at(seen, name, SINGLE)} and beyond {_at(beyond, name, SINGLE)}",
                    verdict=verdict_on(gain, errors=errors_of(beyond, name, base), comparable=comparable)
                    if beyond
                    else "incomplete: no larger value was measured",
                )
            )
    return claims or [
        Claim(
            claim="What an orchestrator learns on some values of an axis holds at larger values",
            where=_BEYOND,
            published="; ".join(f"{axis}: {_published_beyond(axis)}" for axis in axes_of(points)),
            ours="not measured",
            verdict=NONE_NAMED,
        )
    ]


def generalisation_rows(
    points: Sequence[WriterPoint], trainings: Mapping[str, Training], *, base: str = INSTRUCTED
) -> list[Row]:
    """A row a training, axis and value: whether it was trained on, accuracy, and gains over base and single agent."""
    return [
        {
            "orchestrator": name,
            "axis": point.axis,
            "value": point.value,
            "trained on it": "yes" if point.value in training.values.get(point.axis, ()) else "no",
            "n": point.n,
            "accuracy": shown(accuracy(point.scores) if point.scores else None),
            "- untrained": shown(gain_of(_like(points, point), name, base)),
            "- single agent": shown(gain_of(_like(points, point), name)),
        }
        for name, training in trainings.items()
        for point in points
        if point.writer == name
    ]


def _without_it(trained: Mapping[str, set[str]], with_them: str | None) -> str | None:
    """The training to compare one on adversarial items with: that on its other axes, else any without them."""
    names = [name for name, axes in trained.items() if ADVERSARIAL not in axes]
    others = trained.get(with_them or "", set()) - {ADVERSARIAL}
    return next((name for name in names if trained[name] == others), next(iter(names), None))


def _against(
    claim: str,
    where: str,
    published: str,
    points: Sequence[WriterPoint],
    ours: tuple[str | None, str],
    theirs: tuple[str | None, str],
    comparable: bool,
    *,
    as_good: bool = False,
) -> Claim:
    """One training against another; each with what is to be said where it is not there."""
    missing = [why for name, why in (ours, theirs) if name is None]
    if missing or not points:
        verdict = f"incomplete: {missing[0]}" if missing else "incomplete: the axis was not measured"
        return Claim(claim, where, published, "not measured", verdict)
    who, other = str(ours[0]), str(theirs[0])
    gain = gain_of(points, who, other)
    verdict = verdict_on(gain, errors=errors_of(points, who, other), comparable=comparable)
    if as_good and gain is not None and verdict.startswith("not shown"):
        verdict = f"consistent: no difference is shown, which may be up to {max(abs(gain.low), abs(gain.high)):.2f}"
    ends = " against ".join(
        f"{name} {shown(accuracy(scores_of(points, name)) if gain else None)}" for name in (who, other)
    )
    return Claim(claim, where, published, f"{ends}; difference {shown(gain)}", verdict)


def _published_settings(number: str, axis: str) -> str:
    values = [p for p in figure(number) if p.axis == axis]
    return "; ".join(
        f"{setting}: {', '.join(f'{p.value:.3f} at {p.axis_value}' for p in values if p.setting == setting)}"
        for setting in dict.fromkeys(p.setting for p in values)
    )


def _published_beyond(axis: str) -> str:
    """The paper's gains at the values that its orchestrator was trained on, and at those beyond."""
    known, (_, largest) = by_value(axis, STRONGER), trained_values(axis)
    gains = {at: known["mas", at].value - p.value for (who, at), p in known.items() if who == "sas"}
    seen = [gain for at, gain in gains.items() if at <= largest]
    beyond = [f"{gain:+.3f} at {at}" for at, gain in gains.items() if at > largest]
    return f"mean {fmean(seen):+.3f} up to {largest}, {', '.join(beyond) or 'nothing beyond'}"


def _on(points: Sequence[WriterPoint], axis: str) -> list[WriterPoint]:
    return [point for point in points if point.axis == axis]


def _like(points: Sequence[WriterPoint], one: WriterPoint) -> list[WriterPoint]:
    """All that were measured on the same items."""
    return [point for point in points if (point.axis, point.value) == (one.axis, one.value)]


def _at(points: Sequence[WriterPoint], who: str, over: str) -> str:
    values = list(dict.fromkeys(point.value for point in points))
    return f"{shown(gain_of(points, who, over))} at {_listed(values)}" if values else "not measured"


def _listed(values: Sequence[int]) -> str:
    return ", ".join(map(str, values))
