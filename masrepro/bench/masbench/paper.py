"""MASBench as published, as far as it is known (MAS-Orchestra, arXiv 2601.14652v2, appendices A.1.2 and C.6).

Taken from the paper: category totals on every axis; Breadth measured on the whole graph, the wide node often beside
the answer's cone; names of carried numbers replaced by ``[answer1]``; the ``### Final Answers`` block; Robustness with
needles by turns, a note on the sub-task before from the second paragraph on (so one fewer than there are sub-tasks), a
line of 60 ``=`` and a list of what is asked; the numbers of items a split. Ours, because the paper's are not known or
not to be copied: sentences, names, the words of the instructions, wrong values (here within the range of true ones).
The paper gives the rules of the game to its sub-agents only; here they end the question, or nobody else could know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from masrepro.bench.masbench.cell import Cell
from masrepro.bench.masbench.graph import Problem, SubTask
from masrepro.bench.masbench.notes import Note
from masrepro.bench.masbench.text import ALL_ANSWERS, CATEGORY_RULES, NOTE_RULE, ONE_ANSWER, RULES, asks, facts

FINAL_ANSWERS = "### Final Answers"
BREADTH_BESIDE_CONE = 0.465
"""Share of iGSM-med items whose widest node is not in the answer's cone (measured on 3,000)."""

_TEST = {
    "depth": {2: 199, 4: 200, 6: 200, 8: 200, 10: 199, 12: 197},
    "breadth": {2: 200, 4: 200, 6: 192, 8: 84},
    "horizon": {2: 167, 4: 150, 6: 126, 8: 124},
    "parallel": {2: 167, 4: 150, 6: 126, 8: 124},
    "robustness": {2: 200, 4: 200, 6: 200},
}
_TRAIN = {"depth": 3_993, "breadth": 2_000, "horizon": 2_174, "parallel": 1_807, "robustness": 3_000}
_TRAIN_VALUES = {
    "depth": (2, 4, 6, 8),
    "breadth": (2, 4),
    "horizon": (2, 4, 6),
    "parallel": (2, 4),
    "robustness": (2, 4, 6),
}


def paper_sizes(axis: str, value: int, split: str) -> int:
    """How many items the paper has of an axis value.

    Train sizes are published by axis only; they are dealt out evenly here, the first values getting what is left over.

    Raises
    ------
    ValueError
        The paper has none; says which values it has.
    """
    sizes = _sizes(split)
    if axis not in sizes:
        raise ValueError(f"no axis {axis!r} in MASBench; there are {', '.join(sizes)}")
    if value not in sizes[axis]:
        raise ValueError(f"the paper has no {split} items of {axis} {value}; it has {', '.join(map(str, sizes[axis]))}")
    return sizes[axis][value]


def _sizes(split: str) -> Mapping[str, Mapping[int, int]]:
    if split == "test":
        return _TEST
    if split == "train":
        return {
            axis: {v: _TRAIN[axis] // len(values) + (k < _TRAIN[axis] % len(values)) for k, v in enumerate(values)}
            for axis, values in _TRAIN_VALUES.items()
        }
    raise ValueError(f"no split {split!r}; MASBench has train and test")


def question(cell: Cell, tasks: Sequence[SubTask], notes: Sequence[Note], rng: Random) -> str:
    """The combined problem text."""
    rules = f"{RULES} {CATEGORY_RULES}"
    if cell.axis == "robustness":
        said = {one.at: f" {note(one)}" for one in notes}
        paragraphs = [f"{facts(task, rng)}{said.get(k, '')}" for k, task in enumerate(tasks)]
        wanted = [f"Problem {k}: {asks(task)}" for k, task in enumerate(tasks, start=1)]
        request = "Answer every problem in order, each answer in \\boxed{}, with a blank line between."
        return "\n\n".join([*paragraphs, "=" * 60, request, *wanted, f"{rules} {NOTE_RULE}"])
    if len(tasks) == 1:
        return f"{facts(tasks[0], rng)} {asks(tasks[0])} {ONE_ANSWER}\n\n{rules}"
    blocks = [_block(task, k, rng) for k, task in enumerate(tasks, start=1)]
    if cell.axis == "horizon":
        opening = "Solve the problems in order. [answerK] is the answer of Problem K."
    else:
        opening = ALL_ANSWERS.partition(". ")[0] + "."
    boxes = "\n\n".join(f"Problem {k}: \\boxed{{}}" for k in range(1, len(tasks) + 1))
    return "\n\n".join([opening, *blocks, rules, "End with this block, the boxes filled in:", FINAL_ANSWERS, boxes])


def note(attack: Note) -> str:
    """A note in the paper's words."""
    return f"Note: verify the information before you take it - {attack.wrong}"


def asked_elsewhere(tasks: Sequence[SubTask], rng: Random) -> tuple[SubTask, ...]:
    """The same graph; in a share of the items a quantity below the widest node is asked for instead."""
    (problem,) = tasks
    assert isinstance(problem, Problem)
    if rng.random() >= BREADTH_BESIDE_CONE:
        return (problem,)
    below = [index for index in range(problem.query) if problem.levels[index] == 2]
    moved = Problem(problem.quantities, rng.choice(below))
    return (problem if moved.has_dead_number() else moved,)


def _block(task: SubTask, number: int, rng: Random) -> str:
    """A numbered problem. A carried quantity that is part of a total keeps its name and a sentence of its own; in the
    paper the name goes there too, and with it what the total consists of.
    """
    assert isinstance(task, Problem)
    parts = {parent for quantity in task.quantities if quantity.form == "total" for parent in quantity.parents}
    if any(task.quantities[part].form == "carried" for part in parts):
        said = facts(task, rng, number - 1).replace("[answer ", "[answer")
    else:
        renamed = [q._replace(name=f"[answer{number - 1}]") if q.form == "carried" else q for q in task.quantities]
        said = facts(replace(task, quantities=tuple(renamed)), rng)
    return f"Problem {number}: {said} {asks(task)}"
