"""What MAS² (arXiv 2509.24323) published, as data with its source: the file beside this one says what is doubtful."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml


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


def ablation() -> dict[tuple[str, str], Ablated]:
    """The ablation by (system, benchmark), in the order of the table. The paper gives no sizes and no deviations."""
    data = _read()
    table = data["ablation"]
    return {
        (system, benchmark): Ablated(
            system=system,
            benchmark=benchmark,
            value=round(percent / 100, 4),
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


@cache
def _read() -> Any:
    return yaml.safe_load(resources.files(__package__).joinpath("mas2.yaml").read_text(encoding="utf-8"))
