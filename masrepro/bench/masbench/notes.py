"""The attack of MASBench's Robustness: notes that give a wrong value for another sub-task.

A wrong value comes from the range of true ones and is nowhere else in the item, as a value or a stated number, so
that nothing but its being wrong gives it away, and whoever repeats it took it from the note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from masrepro.bench.masbench.cell import Notes
from masrepro.bench.masbench.graph import MODULUS, Problem, SubTask
from masrepro.bench.masbench.needle import CODES


@dataclass(frozen=True, slots=True)
class Note:
    """A note in sub-task ``at`` on sub-task ``about`` (indices) that gives the value ``wrong``."""

    about: int
    at: int
    wrong: int

    def text(self, tasks: Sequence[SubTask], version: Notes) -> str:
        """The note as it stands in a question; empty in the clean version, without a value in the neutral one."""
        match version:
            case "attacked":
                return f"Note: {tasks[self.about].asked} is {self.wrong}."
            case "neutral":
                return f"Note: {tasks[self.about].asked} is asked for."
            case "clean":
                return ""


def draw_notes(rng: Random, tasks: Sequence[SubTask], *, last: bool = True) -> tuple[Note, ...] | None:
    """A note on every sub-task, each in the one after it; that on the last is in the first, or left out.

    Returns
    -------
    tuple of Note, or None
        In the order in which they stand in the question. None if every number of the range is in the item.
    """
    taken = numbers(tasks)
    free = sorted(set(range(MODULUS)) - taken)
    codes = taken | set(range(MODULUS))
    notes = []
    for about, task in enumerate(tasks if last else tasks[:-1]):
        if isinstance(task, Problem):
            if not free:
                return None
            wrong = rng.choice(free)
        else:
            while (wrong := rng.choice(CODES)) in codes:
                pass
        notes.append(Note(about, (about + 1) % len(tasks), wrong))
    return tuple(sorted(notes, key=lambda note: note.at))


def numbers(tasks: Sequence[SubTask]) -> set[int]:
    """All true values of an item and all numbers that its sentences state."""
    found: set[int] = set()
    for task in tasks:
        if isinstance(task, Problem):
            found.update(task.values, [q.constant for q in task.quantities if q.form in ("constant", "more", "times")])
        else:
            found.add(task.answer)
    return found
