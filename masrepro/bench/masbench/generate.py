"""Makes MASBench items. Item i depends on nothing but version, cell, split and i."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from random import Random
from typing import Any

from masrepro.bench.item import Item
from masrepro.bench.masbench import paper, text
from masrepro.bench.masbench.axes import plan
from masrepro.bench.masbench.cell import Cell
from masrepro.bench.masbench.graph import Problem, SubTask, joint_template
from masrepro.bench.masbench.names import name_problems
from masrepro.bench.masbench.needle import Needle, draw_keys
from masrepro.bench.masbench.notes import Note, draw_notes

VERSION = "1"
SPLITS = ("train", "test")
TRAIN_SHARE = 0.6
_MAX_TRIES = 1_000


def make_item(axis: str, value: int, split: str, index: int) -> Item:
    """One item of a plain cell: `make` without options."""
    return make(Cell(axis, value), split, index)


def make(cell: Cell, split: str, index: int) -> Item:
    """One item.

    Parameters
    ----------
    cell : Cell
        Axis, value and options.
    split : {"train", "test"}
        Items of the two splits never share a template (the graph without names and numbers) within an axis and value.
    index : int
        Which item of the split, from 0; any number of items can be made, in any order.

    Raises
    ------
    ValueError
        The split is not known.
    """
    if split not in SPLITS:
        raise ValueError(f"no split {split!r}; MASBench has {' and '.join(SPLITS)}")
    rng = Random(f"masbench/{VERSION}/{cell.graphs}/{split}/{index}")
    for _ in range(_MAX_TRIES):
        tasks = _plan(cell, rng)
        template = joint_template(tasks, in_order=cell.axis in ("horizon", "robustness"))
        if split_of(template) != split:
            continue
        named = _named(tasks, rng)
        notes = draw_notes(rng, named, last=not cell.paper) if cell.axis == "robustness" else ()
        if notes is not None:
            write = paper.question if cell.paper else text.question
            return _item(cell, split, index, named, notes, template, write(cell, named, notes, rng))
    raise RuntimeError(f"no {split} template of {cell.name} in {_MAX_TRIES} draws")


def split_of(template: str) -> str:
    """The split that a template belongs to, for ever."""
    return "train" if int(template[:8], 16) / 0x1_0000_0000 < TRAIN_SHARE else "test"


def _plan(cell: Cell, rng: Random) -> tuple[SubTask, ...]:
    tasks = plan(cell.axis, cell.value, rng, abstract=cell.abstract or cell.paper, fixed=cell.fixed)
    return paper.asked_elsewhere(tasks, rng) if cell.paper and cell.axis == "breadth" else tasks


def _named(tasks: Sequence[SubTask], rng: Random) -> tuple[SubTask, ...]:
    problems = iter(name_problems(rng, [task for task in tasks if isinstance(task, Problem)]))
    needles = [task for task in tasks if isinstance(task, Needle)]
    keyed = iter([task.keyed(key) for task, key in zip(needles, draw_keys(rng, len(needles)), strict=True)])
    return tuple(next(problems) if isinstance(task, Problem) else next(keyed) for task in tasks)


def _item(
    cell: Cell,
    split: str,
    index: int,
    tasks: tuple[SubTask, ...],
    notes: Sequence[Note],
    template: str,
    question: str,
) -> Item:
    answers = tuple(str(task.answer) for task in tasks)
    shapes = [task.shape for task in tasks if isinstance(task, Problem)]
    meta: dict[str, Any] = {
        "benchmark": cell.name,
        "version": VERSION,
        "axis": cell.axis,
        "value": cell.value,
        "split": split,
        "index": index,
        "template": template,
        "depth": max(shape.depth for shape in shapes),
        "breadth": max(shape.breadth for shape in shapes),
        "horizon": 1 + sum(shape.carries for shape in shapes),
        "parallel": 1 if cell.axis == "horizon" else len(tasks),
        "robustness": len(notes) if cell.notes == "attacked" else 0,
        "operations": sum(shape.operations for shape in shapes),
        "sentences": sum(task.sentences for task in tasks),
        "distractors": sum(shape.distractors for shape in shapes),
    }
    if notes:
        meta["notes"] = list(_spans(cell, tasks, notes, question))
    return Item(
        id=f"{cell.name.replace('/', '-')}-{split}-{index}-{sha256(question.encode()).hexdigest()[:10]}",
        question=question,
        answer=answers[0] if len(answers) == 1 else answers,
        scorer="exact_int" if len(answers) == 1 else "exact_ints",
        meta=meta,
        problems=tasks,
    )


def _spans(cell: Cell, tasks: Sequence[SubTask], notes: Sequence[Note], question: str) -> Iterator[dict[str, int]]:
    """Where each note stands in the question, which sub-task (from 1) it is about, and the wrong value it gives."""
    end = 0
    for note in notes:
        said = paper.note(note) if cell.paper else note.text(tasks, cell.notes)
        start = question.index(said, end)
        end = start + len(said)
        yield {"start": start, "end": end, "about": note.about + 1, "at": note.at + 1, "wrong": note.wrong}
