"""Writes problems as questions. The rules of the game stand in every question, so that any system can be given it
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from masrepro.bench.masbench.cell import Cell
from masrepro.bench.masbench.graph import MODULUS, Problem, Quantity, SubTask
from masrepro.bench.masbench.names import CATEGORIES
from masrepro.bench.masbench.needle import Needle
from masrepro.bench.masbench.notes import Note

RULES = (
    f"All numbers are whole numbers modulo {MODULUS}. A number that is not mentioned is 0. "
    "The difference of A and B is A minus B."
)
CATEGORY_RULES = " ".join(
    (
        "A place's number of a category is the sum of its numbers of the things in that category.",
        *(f"{name} are {', '.join(things[:-1])} and {things[-1]}." for name, things in CATEGORIES.items()),
    )
)
CARRY_RULE = "[answer 1] stands for the answer of Problem 1, and so on."
NOTE_RULE = "A code is taken as it stands. A note belongs to no problem and defines no number."
ONE_ANSWER = "Write the answer in \\boxed{}."
ALL_ANSWERS = "The problems are independent. Write one line for each problem, in order, such as Problem 1: \\boxed{0}"
ALL_IN_TURN = (
    "The problems need one another's answers. Write one line for each problem, in order, such as Problem 1: \\boxed{0}"
)


def question(cell: Cell, tasks: Sequence[SubTask], notes: Sequence[Note], rng: Random) -> str:
    """The question's text; sentences of each problem are shuffled by ``rng``."""
    rules = " ".join(_rules(cell))
    if len(tasks) == 1:
        return f"{rules}\n\n{facts(tasks[0], rng)}\n\n{asks(tasks[0])} {ONE_ANSWER}"
    if cell.interleaved:
        sentences = [sentence for task in tasks if isinstance(task, Problem) for sentence in _sentences(task)]
        rng.shuffle(sentences)
        blocks = [" ".join(sentences), *(f"Problem {k}: {asks(task)}" for k, task in enumerate(tasks, start=1))]
    else:
        said = {note.at: text for note in notes if (text := note.text(tasks, cell.notes))}
        blocks = [
            f"Problem {k}: {facts(task, rng, k - 1)} {asks(task)}" + (f" {said[k - 1]}" if k - 1 in said else "")
            for k, task in enumerate(tasks, start=1)
        ]
    return "\n\n".join([rules, *blocks, ALL_IN_TURN if cell.axis == "horizon" else ALL_ANSWERS])


def asks(task: SubTask) -> str:
    """A sub-task's own question."""
    return f"What is {task.asked}?"


def facts(task: SubTask, rng: Random, before: int = 0) -> str:
    """A sub-task's sentences in random order.

    ``before`` is the number of the problem whose answer it needs; at 0 a carried quantity gets no sentence.
    """
    if isinstance(task, Needle):
        return task.haystack()
    assert isinstance(task, Problem)
    sentences = _sentences(task, before)
    rng.shuffle(sentences)
    return " ".join(sentences)


def fact(quantity: Quantity, names: Sequence[str], before: int = 0) -> str:
    """The sentence that states how a quantity comes about; ``names`` are its parents' names, in order."""
    subject = f"The number of each {quantity.name} equals"
    match quantity.form:
        case "constant":
            return f"{subject} {quantity.constant}."
        case "more":
            return f"{subject} {quantity.constant} more than each {names[0]}."
        case "times":
            return f"{subject} {quantity.constant} times as many as each {names[0]}."
        case "sum":
            return f"{subject} the sum of each {', each '.join(names[:-1])} and each {names[-1]}."
        case "difference":
            return f"{subject} the difference of each {names[0]} and each {names[1]}."
        case "carried":
            return f"{subject} [answer {before}]."
        case "total":
            raise ValueError(f"{quantity.name} is a total, which no sentence states")


def _sentences(problem: Problem, before: int = 0) -> list[str]:
    quantities = problem.quantities
    return [
        fact(quantity, [quantities[parent].name for parent in quantity.parents], before)
        for quantity in quantities
        if quantity.form != "total" and (quantity.form != "carried" or before)
    ]


def _rules(cell: Cell) -> Iterator[str]:
    yield RULES
    if cell.abstract:
        yield CATEGORY_RULES
    if cell.axis == "horizon":
        yield CARRY_RULE
    if cell.axis == "robustness":
        yield NOTE_RULE
