"""Runs of MAS² as lines of a file, so that a notebook that is begun again makes none of them twice.

The unit is one system on one benchmark: what was finished of it is kept or nothing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from masrepro.lab.file import write_atomic
from masrepro.lab.mas2 import Mas2Run
from masrepro.lab.sample import usage_of, usage_record

Unit = tuple[str, str]
"""Variant and benchmark."""


def kept(file: Path) -> dict[Unit, list[Mas2Run]]:
    """The runs of a file, in their order; without those units in which a run ended in an error that no fault explains.

    Raises
    ------
    ValueError
        A line is not the JSON of a run; says which.
    """
    runs = []
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            runs.append(from_line(line))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{file.name}, line {number}: not the JSON of a run: {error!r}") from error
    return {unit: own for unit, own in by_unit(runs).items() if not any(map(is_error, own))}


def by_unit(runs: Iterable[Mas2Run]) -> dict[Unit, list[Mas2Run]]:
    """Runs by variant and benchmark, each in their order."""
    units: dict[Unit, list[Mas2Run]] = defaultdict(list)
    for run in runs:
        units[run.variant, run.benchmark].append(run)
    return dict(units)


def keep(file: Path, units: Iterable[Sequence[Mas2Run]]) -> None:
    """Write all units, never seen half written."""
    write_atomic(file, "".join(f"{to_line(run)}\n" for runs in units for run in runs))


def is_error(run: Mas2Run) -> bool:
    """Whether a run says nothing of its system: a back-end failed it, and no fault was meant to."""
    return run.outcome == "error" and run.fault == "none"


def to_line(run: Mas2Run) -> str:
    """One line of ASCII; an unknown cost is null."""
    usages = {name: usage_record(getattr(run, name)) for name in ("usage", "meta_usage")}
    return json.dumps(asdict(run) | usages, separators=(",", ":"))


def from_line(line: str) -> Mas2Run:
    """The run that gave this line."""
    record = json.loads(line)
    return Mas2Run(**record | {name: usage_of(record[name]) for name in ("usage", "meta_usage")})
