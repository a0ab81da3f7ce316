"""Numbers that the papers published, as data with their sources."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml


@dataclass(frozen=True, slots=True)
class Published:
    """One published accuracy and all that is known about how it was measured.

    ``value`` is a share in [0, 1]; ``n`` the number of test items, None where the paper does not say it; ``repeats``
    runs of each. ``setting`` is what the figure varies besides axis and system.
    """

    paper: str
    version: str
    where: str
    axis: str
    axis_value: int
    system: str
    sub_agent: str
    value: float
    n: int | None
    repeats: int
    grader: str
    setting: str = ""


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """One published accuracy on a public benchmark.

    ``value`` is a share in [0, 1]; ``n`` the number of test items, ``repeats`` runs of each. ``group`` is the part of
    the table: ``standalone`` (one sub-agent), ``others`` (other systems) or ``ours`` (the paper's own). ``dom`` is the
    degree of MAS of the paper's own systems. ``fits`` is False where no number of right answers gives the value.
    """

    paper: str
    version: str
    where: str
    benchmark: str
    system: str
    group: str
    sub_agent: str
    value: float
    n: int
    repeats: int
    grader: str
    dom: str
    fits: bool


@dataclass(frozen=True, slots=True)
class PublishedCost:
    """What one pass over a benchmark cost, in calls, tokens, US dollars and seconds of wall-clock time.

    ``doubt`` is True where other published numbers contradict it.
    """

    paper: str
    version: str
    where: str
    benchmark: str
    system: str
    calls: int
    tokens: int
    usd: float
    seconds: float
    doubt: bool


def fits(percent: float, n: int, repeats: int, *, decimals: int = 2) -> bool:
    """Whether some number of right answers among ``n * repeats`` prints as that percentage."""
    answers = n * repeats
    nearest = 100 * round(percent / 100 * answers) / answers
    return abs(nearest - percent) <= 0.5 / 10.0**decimals + 1e-9


def figure_3(axis: str, *, sub_agent: str = "Qwen2.5-7B-Instruct") -> dict[tuple[str, int], Published]:
    """MAS-Orchestra's figure 3 by (system, axis value); systems are ``sas`` and ``mas``.

    Raises
    ------
    KeyError
        The figure has no such sub-agent or axis; lists those it has.
    """
    data = _read("mas_orchestra")
    figure = data["figure_3"]
    axes = _pick(figure["sub_agents"], sub_agent, "sub-agent")
    return {
        (system, axis_value): Published(
            paper=data["paper"],
            version=data["version"],
            where="figure 3",
            axis=axis,
            axis_value=axis_value,
            system=system,
            sub_agent=sub_agent,
            value=value,
            n=figure["n"][axis][axis_value],
            repeats=figure["repeats"],
            grader=figure["grader"],
        )
        for system, series in _pick(axes, axis, "axis").items()
        for axis_value, value in series.items()
    }


def figure_3_axes(sub_agent: str = "Qwen2.5-7B-Instruct") -> tuple[str, ...]:
    """Axes that MAS-Orchestra's figure 3 has for a sub-agent."""
    return tuple(_pick(_read("mas_orchestra")["figure_3"]["sub_agents"], sub_agent, "sub-agent"))


def by_value(axis: str, sub_agent: str) -> dict[tuple[str, int], Published]:
    """Figure 3's values of an axis for a sub-agent, or figure C.1's of Robustness, by (system, axis value).

    Empty where the paper has none.
    """
    if axis in figure_3_axes(sub_agent):
        return figure_3(axis, sub_agent=sub_agent)
    own = (p for p in figure("c1") if (p.axis, p.sub_agent) == (axis, sub_agent))
    return {(p.system, p.axis_value): p for p in own}


def trained_values(axis: str) -> tuple[int, int]:
    """The smallest and the largest value of an axis on which MAS-Orchestra's orchestrators were trained."""
    low, high = _read("mas_orchestra")["trained_values"][axis]
    return low, high


def table_3() -> dict[tuple[str, str], PublishedScore]:
    """MAS-Orchestra's table 3 by (system, benchmark), in the order of the table; not every system ran everywhere."""
    data = _read("mas_orchestra")
    table = data["table_3"]
    return {
        (system, benchmark): PublishedScore(
            paper=data["paper"],
            version=data["version"],
            where="table 3",
            benchmark=benchmark,
            system=system,
            group=group,
            sub_agent=table["sub_agent"],
            value=round(percent / 100, 4),
            n=table["n"][benchmark],
            repeats=table["repeats"],
            grader=table["grader"],
            dom=table["dom"][benchmark],
            fits=benchmark not in table["misfits"].get(system, ()),
        )
        for group in ("standalone", "others", "ours")
        for system, percents in table[group].items()
        for benchmark, percent in percents.items()
    }


FIGURES = ("c1", "4", "c5", "5", "c7", "c3", "c4")
"""MAS-Orchestra's other figures of accuracy on MASBench, in the order of its text."""


def figure(number: str) -> tuple[Published, ...]:
    """One of `FIGURES`: all its values, each with the setting that the figure varies.

    Raises
    ------
    KeyError
        There is no such figure; lists those there are.
    """
    if number not in FIGURES:
        raise KeyError(f"no figure {number!r} of accuracies on MASBench; there are: {', '.join(FIGURES)}")
    data = _read("mas_orchestra")
    own, like = data[f"figure_{number}"], data["figure_3"]
    sizes = like["n"] | {"robustness": data["robustness_n"]}
    return tuple(
        Published(
            paper=data["paper"],
            version=data["version"],
            where=f"figure {number if number.isdigit() else f'{number[0].upper()}.{number[1:]}'}",
            axis=axis,
            axis_value=axis_value,
            system=system,
            sub_agent=own["sub_agent"],
            value=value,
            n=sizes[axis].get(axis_value),
            repeats=like["repeats"],
            grader=like["grader"],
            setting=setting,
        )
        for setting, axes in own["settings"].items()
        for axis, systems in axes.items()
        for system, series in systems.items()
        for axis_value, value in series.items()
    )


def shapes_written(number: str) -> dict[str, Any]:
    """What MAS-Orchestra says of the systems that are written (figures c2, c6, d1, d2, d3), as it stands in the data.

    Raises
    ------
    KeyError
        There is no such figure; lists those there are.
    """
    known = ("c2", "c6", "d1", "d2", "d3")
    if number not in known:
        raise KeyError(f"no figure {number!r} of what is written; there are: {', '.join(known)}")
    return dict(_read("mas_orchestra")[f"figure_{number}"])


def table_d2() -> dict[tuple[str, str], PublishedCost]:
    """MAS-Orchestra's table D.2 by (system, benchmark), in the order of the table; figure 1 is drawn from it."""
    data = _read("mas_orchestra")
    table = data["table_d2"]
    return {
        (system, benchmark): PublishedCost(
            paper=data["paper"],
            version=data["version"],
            where="table D.2",
            benchmark=benchmark,
            system=system,
            calls=calls,
            tokens=round(million * 1_000_000),
            usd=usd,
            seconds=round(1000 * thousand, 3),
            doubt=benchmark in table["misfits"].get(system, ()),
        )
        for system, costs in table["systems"].items()
        for benchmark, (calls, million, usd, thousand) in costs.items()
    }


def _pick(mapping: dict[str, Any], key: str, what: str) -> Any:
    if key not in mapping:
        raise KeyError(f"figure 3 of MAS-Orchestra has no {what} {key!r}; it has: {', '.join(mapping)}")
    return mapping[key]


@cache
def _read(name: str) -> Any:
    return yaml.safe_load(resources.files(__package__).joinpath(f"{name}.yaml").read_text(encoding="utf-8"))
