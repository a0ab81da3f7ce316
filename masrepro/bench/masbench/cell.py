"""Names of MASBench's cells: ``masbench/<axis>/<value>`` with options, such as ``masbench/depth/4/abstract``.

Options, in any order:

- ``abstract``: category totals among the quantities, as in iGSM; every axis.
- ``fixed``: the number of sentences is the same for all values of the axis, by distractors; every axis.
- ``interleaved``: all problems' sentences shuffled together, their questions after them; Parallel only. The graphs are
  those of the plain cell.
- ``attacked`` (what is meant where none is named), ``neutral``, ``clean``: versions of the same Robustness items, equal
  but for the notes.

``masbench-paper/<axis>/<value>`` follows the published construction as far as it is known; see `paper`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from masrepro.bench.masbench.axes import AXES, VALUES

Notes = Literal["attacked", "neutral", "clean"]
NOTES: tuple[Notes, ...] = ("attacked", "neutral", "clean")
HOW_TO_NAME = (
    f"masbench/<axis>/<value> with axis {', '.join(AXES)}, value {VALUES.start} to {VALUES.stop - 1}, and options "
    "/abstract, /fixed, /interleaved (parallel), /neutral or /clean (robustness); masbench-paper/<axis>/<value>"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """One axis value under some options.

    Raises
    ------
    ValueError
        Axis or value is not known, or an option does not go with the axis.
    """

    axis: str
    value: int
    abstract: bool = False
    fixed: bool = False
    interleaved: bool = False
    notes: Notes = "attacked"
    paper: bool = False

    def __post_init__(self) -> None:
        if self.axis not in AXES:
            raise ValueError(f"no axis {self.axis!r} in MASBench; there are {', '.join(AXES)}")
        if self.value not in VALUES:
            raise ValueError(f"{self.axis} {self.value} is out of range; choose {VALUES.start} to {VALUES.stop - 1}")
        if self.interleaved and self.axis != "parallel":
            raise ValueError(f"only parallel can be interleaved, not {self.axis}")
        if self.notes != "attacked" and self.axis != "robustness":
            raise ValueError(f"only robustness has {self.notes} notes, not {self.axis}")
        if self.paper and self.options:
            raise ValueError(f"masbench-paper takes no options; drop {', '.join(self.options)}")

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that are set."""
        flags = {"abstract": self.abstract, "fixed": self.fixed, "interleaved": self.interleaved}
        return (*(name for name, is_set in flags.items() if is_set), *([self.notes] * (self.notes != "attacked")))

    @property
    def name(self) -> str:
        """The benchmark's name."""
        return "/".join(("masbench-paper" if self.paper else "masbench", self.axis, str(self.value), *self.options))

    @property
    def graphs(self) -> str:
        """Name of the cell's graphs: cells that share it are written from the same ones, item by item."""
        shown = [option for option in self.options if option in ("abstract", "fixed")]
        return "/".join((*(["paper"] * self.paper), self.axis, str(self.value), *shown))


def parse_cell(name: str) -> Cell:
    """The cell of that name.

    Raises
    ------
    ValueError
        It is none; says what is wrong with it.
    """
    match name.split("/"):
        case [("masbench" | "masbench-paper") as flavour, axis, value, *options] if value.isdecimal():
            known = {"abstract", "fixed", "interleaved", *NOTES}
            wrong = [option for option in options if option not in known or options.count(option) > 1]
            notes = [version for version in NOTES if version in options]
            if wrong or len(notes) > 1:
                refused = ", ".join(wrong or notes)
                raise ValueError(f"{name}: options {refused} are not to be had; there are {HOW_TO_NAME}")
            return Cell(
                axis,
                int(value),
                abstract="abstract" in options,
                fixed="fixed" in options,
                interleaved="interleaved" in options,
                notes=notes[0] if notes else "attacked",
                paper=flavour == "masbench-paper",
            )
    raise ValueError(f"no benchmark {name!r}; there are {HOW_TO_NAME}")
