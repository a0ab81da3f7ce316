"""Finds a sample on record: run folder, benchmark, axis value, degree of MAS, system, item.

A run's file of samples is tens of megabytes; only the heads of its lines are read until a sample is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from masrepro.bench import Item, benchmark
from masrepro.lab.run_folder import RECORD, RunFolder
from masrepro.lab.sample import Sample
from masrepro.lab.sample_store import FILE

_WRITTEN = re.compile(r"(?:(?P<who>.+) )?(?P<dom>LOW|HIGH|\d+)/(?P<draw>\d+)(?:/(?P<solver>.+))?")
_MASBENCH_ID = re.compile(r".+-(?P<split>test|train)-(?P<index>\d+)-[0-9a-f]{10}")
_TRACE = b',"trace":'
FREE = "not bounded"


@dataclass(frozen=True, slots=True)
class Slip:
    """What the head of a line of ``samples.jsonl`` says, and where the line begins, in bytes."""

    system: str
    benchmark: str
    item_id: str
    repeat: int
    outcome: str
    n_agents: int
    offset: int

    @property
    def family(self) -> str:
        """The benchmark without its axis value: ``masbench/depth`` of ``masbench/depth/4``."""
        parts = self.benchmark.split("/")
        return "/".join(parts[:2]) if parts[0].startswith("masbench") else self.benchmark

    @property
    def value(self) -> str:
        """The axis value with its options; ``whole`` for a benchmark without axes."""
        return self.benchmark[len(self.family) + 1 :] or "whole"

    @property
    def dom(self) -> str:
        """The degree of MAS that a written system had to keep to, as its name says."""
        written = _WRITTEN.fullmatch(self.system)
        return written["dom"] if written else FREE

    @property
    def item(self) -> str:
        """The item and the repeat in short, and what came of it."""
        known = _MASBENCH_ID.fullmatch(self.item_id)
        name = f"item {known['index']}" if known else self.item_id
        return f"{name}{f', repeat {self.repeat}' if self.repeat else ''}: {self.outcome}"


FACETS: Mapping[str, Callable[[Slip], str]] = {
    "benchmark": lambda slip: slip.family,
    "axis value": lambda slip: slip.value,
    "degree of MAS": lambda slip: slip.dom,
    "system": lambda slip: slip.system,
    "sample": lambda slip: slip.item,
}
"""What a sample is found by, in this order."""


def shelves(outputs: Path) -> list[RunFolder]:
    """Run folders that hold samples, the newest first."""
    found = [
        path.parent for path in outputs.glob(f"*/*/{FILE}") if path.stat().st_size and (path.parent / RECORD).exists()
    ]
    return [RunFolder(path) for path in sorted(found, key=lambda path: path.name, reverse=True)]


def slips(folder: Path) -> list[Slip]:
    """One a sample of a run, in the order in which they first appeared; a torn last line is left out."""
    found: dict[tuple[str, str, str, int], Slip] = {}
    offset = 0
    with (folder / FILE).open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                slip = _slip(line, offset)
                found[slip.system, slip.benchmark, slip.item_id, slip.repeat] = slip
            offset += len(line)
    return list(found.values())


def fetch(folder: Path, slip: Slip) -> Sample:
    """The whole sample."""
    with (folder / FILE).open("rb") as file:
        file.seek(slip.offset)
        return Sample.from_json(file.readline())


@dataclass(frozen=True, slots=True)
class Choice:
    """A sample, and what else could be chosen: the options of every facet, given those before it."""

    slip: Slip
    options: Mapping[str, Sequence[str]]

    @property
    def picks(self) -> dict[str, str]:
        """What is chosen, by facet."""
        return {facet: of(self.slip) for facet, of in FACETS.items()}


def choose(slips: Sequence[Slip], picks: Mapping[str, str]) -> Choice:
    """The sample that the picks lead to; a pick that is not to be had gives way to the first option.

    Raises
    ------
    ValueError
        There is no sample.
    """
    if not slips:
        raise ValueError("there is no sample to choose from; run a notebook that evaluates systems first")
    left = list(slips)
    options = {}
    for facet, of in FACETS.items():
        options[facet] = list(dict.fromkeys(map(of, left)))
        pick = picks.get(facet)
        left = [slip for slip in left if of(slip) == (pick if pick in options[facet] else options[facet][0])]
    return Choice(left[0], options)


def telling(slips: Sequence[Slip]) -> Slip:
    """A sample to begin with: of the first benchmark that has one, a system of several agents."""
    return next((slip for slip in slips if 3 <= slip.n_agents <= 8), slips[0])


def rivals(slips: Sequence[Slip], slip: Slip) -> list[Slip]:
    """What other systems made of the same item."""
    same = (other for other in slips if (other.benchmark, other.item_id) == (slip.benchmark, slip.item_id))
    return [other for other in same if other.system != slip.system]


def item_of(slip: Slip) -> Item:
    """The item that a sample answers.

    Raises
    ------
    ValueError
        Its benchmark cannot be had here, or has no such item any more.
    """
    known = _MASBENCH_ID.fullmatch(slip.item_id)
    if known is not None:
        items = benchmark(slip.benchmark, split=known["split"], start=int(known["index"]), n=1)
    else:
        items = benchmark(slip.benchmark)
    for item in items:
        if item.id == slip.item_id:
            return item
    raise ValueError(f"{slip.benchmark} has no item {slip.item_id} any more: its version has changed since that run")


def _slip(line: bytes, offset: int) -> Slip:
    # Inside a JSON string the quotes would be escaped, so this is where the head ends.
    head, cut, _ = line.partition(_TRACE)
    record = json.loads(head + b"}" if cut else line)
    names = ("system", "benchmark", "item_id", "repeat", "outcome", "n_agents")
    return Slip(**{name: record[name] for name in names}, offset=offset)
