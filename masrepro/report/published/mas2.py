"""What MAS² (arXiv 2509.24323) published, as data with its source: the file beside this one says what is doubtful."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml

OURS = "MAS²"
"""The paper's own system, in its tables."""
Group = Literal["models", "systems", "ours"]


@dataclass(frozen=True, slots=True)
class Score:
    """One accuracy of table 1: a share in [0, 1].

    Parameters
    ----------
    group : str
        ``models`` (alone), ``systems`` (of others) or ``ours`` (the paper's).
    n : int or None
        Test items, inferred; None where not even that is possible.
    fits : bool
        False where no number of right answers among ``n * repeats`` gives the value; True where ``n`` is unknown.
    same_as_scoreflow : int
        How many of the system's four cells that ScoreFlow's own table has too equal it.
    """

    system: str
    benchmark: str
    value: float
    group: Group
    n: int | None
    repeats: int
    grader: str
    where: str
    fits: bool
    same_as_scoreflow: int


@dataclass(frozen=True, slots=True)
class Ablated:
    """One accuracy of the ablation: a share in [0, 1].

    ``system`` is ``full`` or what it is without; ``doubtful`` where another table of the paper says otherwise.
    """

    system: str
    benchmark: str
    value: float
    repeats: int
    where: str
    doubtful: bool


@dataclass(frozen=True, slots=True)
class Crossed:
    """One accuracy (a share) and cost (US dollars; of what is not said) of the cross-backbone table.

    Parameters
    ----------
    row : str
        A model alone, ``MAS²`` on the pool that it was trained with, or what was added to that pool.
    added : tuple of str
        The models that were added; empty where none was.
    alone : bool
        Whether it is a model alone.
    by_price : bool
        Whether the row was told from the others by its price alone.
    """

    row: str
    benchmark: str
    value: float
    usd: float
    added: tuple[str, ...]
    alone: bool
    n: int | None
    repeats: int
    where: str
    fits: bool
    by_price: bool


@dataclass(frozen=True, slots=True)
class OnFront:
    """A sentence about figure 3: on a benchmark another system takes at least so many times the cost of MAS², which
    gains so much on it (a share).
    """

    benchmark: str
    other: str
    at_least_times_the_cost: float
    gain: float
    where: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the paper whose number means something else than it seems to, and what."""

    said: str
    where: str
    odd: str


def table_1() -> dict[tuple[str, str], Score]:
    """Table 1 by (system, benchmark), in its order."""
    data = _read()
    table = data["table_1"]
    groups: tuple[Group, ...] = ("models", "systems", "ours")
    return {
        (system, benchmark): Score(
            system=system,
            benchmark=benchmark,
            value=_share(percent),
            group=group,
            n=table["inferred_n"].get(benchmark),
            repeats=table["repeats"],
            grader=table["grader"],
            where=f"{data['version']}, table 1",
            fits=benchmark not in table["misfits"].get(system, ()),
            same_as_scoreflow=table["same_as_scoreflow"].get(system, 0),
        )
        for group in groups
        for system, percents in table[group].items()
        for benchmark, percent in percents.items()
    }


def margins() -> dict[str, tuple[str, float]]:
    """What MAS² gains in table 1 over the best of all others, in shares: who that is, and how much, by benchmark."""
    table = table_1()
    best: dict[str, Score] = {}
    for score in table.values():
        if score.group != "ours" and (score.benchmark not in best or score.value > best[score.benchmark].value):
            best[score.benchmark] = score
    return {
        benchmark: (other.system, round(table[OURS, benchmark].value - other.value, 4))
        for benchmark, other in best.items()
    }


def ablation() -> dict[tuple[str, str], Ablated]:
    """The ablation by (system, benchmark), in the order of the table. The paper gives no sizes and no deviations."""
    data = _read()
    table = data["ablation"]
    return {
        (system, benchmark): Ablated(
            system=system,
            benchmark=benchmark,
            value=_share(percent),
            repeats=table["repeats"],
            where=f"{data['version']}, ablation table",
            doubtful=benchmark in table["doubtful"].get(system, ()),
        )
        for system, percents in table["values"].items()
        for benchmark, percent in percents.items()
    }


def worth_of(part: str) -> dict[str, float]:
    """What the full system gains over the one without that part, in shares, by benchmark.

    Raises
    ------
    KeyError
        There is no such part; lists those there are.
    """
    values = ablation()
    without = f"without {part}"
    if without not in {system for system, _ in values}:
        parts = sorted({system.removeprefix("without ") for system, _ in values} - {"full"})
        raise KeyError(f"the ablation of MAS² has no part {part!r}; it has: {', '.join(parts)}")
    benchmarks = [benchmark for system, benchmark in values if system == without]
    return {name: round(values["full", name].value - values[without, name].value, 4) for name in benchmarks}


def cross_backbone() -> dict[tuple[str, str], Crossed]:
    """The cross-backbone table by (row, benchmark): first the models alone, then the pools."""
    data = _read()
    table = data["cross_backbone"]
    return {
        (row, benchmark): Crossed(
            row=row,
            benchmark=benchmark,
            value=_share(percent),
            usd=usd,
            added=()
            if group == "alone"
            else tuple(name for name in row.removeprefix("+ ").split(" + ") if name != OURS),
            alone=group == "alone",
            n=table["inferred_n"].get(benchmark),
            repeats=table["repeats"],
            where=f"{data['version']}, cross-backbone table",
            fits=benchmark not in table["misfits"].get(row, ()),
            by_price=row in table["assigned_by_price"],
        )
        for group in ("alone", "pools")
        for row, cells in table[group].items()
        for benchmark, (percent, usd) in cells.items()
    }


def frontier() -> tuple[OnFront, ...]:
    """What the paper says about its figure 3."""
    data = _read()
    return tuple(
        OnFront(
            benchmark=one["benchmark"],
            other=one["other"],
            at_least_times_the_cost=one["at_least_times_the_cost"],
            gain=_share(one["points"]),
            where=f"{data['version']}, figure 3",
        )
        for one in data["frontier"]["statements"]
    )


def statements() -> tuple[Statement, ...]:
    """Sentences of the paper that are not to be taken as they stand."""
    return tuple(Statement(**one) for one in _read()["statements"])


def _share(percent: float) -> float:
    return round(percent / 100, 4)


@cache
def _read() -> Any:
    return yaml.safe_load(resources.files(__package__).joinpath("mas2.yaml").read_text(encoding="utf-8"))
