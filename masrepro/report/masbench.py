"""MASBench itself: what its items are like by axis value, as tables and figures. No model takes part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from masrepro.bench import Item
from masrepro.bench.masbench.graph import Problem
from masrepro.lab.table import Row
from masrepro.report.figures import Figure, Panel, Series


@dataclass(frozen=True, slots=True)
class CellSummary:
    """Means over the items of one benchmark; ``commonest`` and ``zero`` are shares of all answers modulo 23."""

    benchmark: str
    axis: str
    value: int
    n: int
    characters: float
    sentences: float
    distractors: float
    operations: float
    commonest: float
    zero: float

    def row(self) -> Row:
        """For a table."""
        return {
            "benchmark": self.benchmark,
            "items": self.n,
            "characters": round(self.characters),
            "sentences": self.sentences,
            "distractors": self.distractors,
            "operations": self.operations,
            "commonest answer": self.commonest,
            "answer 0": self.zero,
        }


def summary(items: Sequence[Item]) -> CellSummary:
    """What the items of one MASBench cell are like; not empty, and with their graphs."""
    answers = Counter(task.answer for item in items for task in item.problems if isinstance(task, Problem))
    meta = items[0].meta
    return CellSummary(
        benchmark=meta["benchmark"],
        axis=meta["axis"],
        value=meta["value"],
        n=len(items),
        characters=fmean(len(item.question) for item in items),
        sentences=fmean(item.meta["sentences"] for item in items),
        distractors=fmean(item.meta["distractors"] for item in items),
        operations=fmean(item.meta["operations"] for item in items),
        commonest=answers.most_common(1)[0][1] / answers.total(),
        zero=answers[0] / answers.total(),
    )


def length_figure(plain: Sequence[CellSummary], fixed: Sequence[CellSummary], *, note: str = "") -> Figure:
    """Length by axis value, as it comes and with the number of sentences held fixed, on one scale."""
    longest = max(cell.characters for cell in (*plain, *fixed))
    panels = tuple(
        _panel(title, cells, lambda cell: cell.characters / longest)
        for title, cells in (("as it comes", plain), ("sentences held fixed", fixed))
    )
    return Figure(
        title="Length grows with the axis value unless it is held fixed",
        y_label=f"mean length (1 = {longest:,.0f} characters)",
        panels=panels,
        alt=f"Mean length of questions by axis value. {_ends(plain, 'as it comes')} {_ends(fixed, 'held fixed')}",
        note=note,
    )


def answers_figure(cells: Sequence[CellSummary], *, note: str = "") -> Figure:
    """Operations by axis value beside the share of the commonest answer."""
    most = max(cell.operations for cell in cells)
    return Figure(
        title="Operations grow with the axis value; answers stay spread over 0 to 22",
        y_label="share",
        panels=(
            _panel(f"operations (1 = {most:.1f})", cells, lambda cell: cell.operations / most),
            _panel("commonest answer (1 = all)", cells, lambda cell: cell.commonest),
        ),
        alt=(
            f"Mean operations by axis value, at most {most:.1f}. The commonest answer has a share of "
            f"{max(cell.commonest for cell in cells):.2f} at most."
        ),
        note=note,
    )


def guess_rows(accuracies: Mapping[str, Mapping[str, float]]) -> list[Row]:
    """A row a benchmark: the accuracy of each guess that needs no model."""
    return [{"benchmark": name, **shares} for name, shares in accuracies.items()]


def _panel(title: str, cells: Sequence[CellSummary], height: Callable[[CellSummary], float]) -> Panel:
    series = []
    for style, axis in enumerate(dict.fromkeys(cell.axis for cell in cells)):
        own = [cell for cell in cells if cell.axis == axis]
        heights = tuple(height(cell) for cell in own)
        series.append(Series(axis, tuple(float(cell.value) for cell in own), heights, style=style))
    return Panel(title, "axis value", tuple(series))


def _ends(cells: Sequence[CellSummary], how: str) -> str:
    said = []
    for axis in dict.fromkeys(cell.axis for cell in cells):
        own = [cell for cell in cells if cell.axis == axis]
        said.append(f"{axis} {own[0].characters:,.0f} to {own[-1].characters:,.0f}")
    return f"Characters {how}: {', '.join(said)}."
