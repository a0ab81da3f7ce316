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

    ``value`` is a share in [0, 1]; ``n`` the number of test items, ``repeats`` runs of each.
    """

    paper: str
    version: str
    where: str
    axis: str
    axis_value: int
    system: str
    sub_agent: str
    value: float
    n: int
    repeats: int
    grader: str


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """One published accuracy on a public benchmark.

    ``value`` is a share in [0, 1]; ``n`` the number of test items, ``repeats`` runs of each. ``group`` is the part of
    the table: ``standalone`` (one sub-agent), ``others`` (other systems) or ``ours`` (the paper's own).
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
        )
        for group in ("standalone", "others", "ours")
        for system, percents in table[group].items()
        for benchmark, percent in percents.items()
    }


def _pick(mapping: dict[str, Any], key: str, what: str) -> Any:
    if key not in mapping:
        raise KeyError(f"figure 3 of MAS-Orchestra has no {what} {key!r}; it has: {', '.join(mapping)}")
    return mapping[key]


@cache
def _read(name: str) -> Any:
    return yaml.safe_load(resources.files(__package__).joinpath(f"{name}.yaml").read_text(encoding="utf-8"))
