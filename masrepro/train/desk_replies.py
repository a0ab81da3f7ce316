r"""Worked replies of the desk solvers, in one format for all axes.

A reply is a chain of one-hop copies: it quotes the question, goes down until values are stated or given, and evaluates
on the way back. Quotes are in the question's own words, since to say the same words again is what a model of this size
learns first. Each quote says for which quantity it is wanted, and each result says it again, so that the way back is
always the name beside; operands are taken one at a time, so that the next one is the name that follows::

    Mill's Lamp equals the sum of each Farm's Drum and each Farm's Bench. For Mill's Lamp, Farm's Drum equals 2 more
    than each Barn's Rope. For Farm's Drum, Barn's Rope equals 5. Farm's Drum for Mill's Lamp is 2 + 5 = 7.
    Mill's Lamp takes Farm's Drum 7. For Mill's Lamp, Farm's Bench equals 20. Mill's Lamp is 7 + 20 = 4.
    Answer: \boxed{4}

Several problems take a line each, which ends in that problem's answer. Values that were given are taken as they are,
true or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import add, mul, sub

from masrepro.bench.masbench import text
from masrepro.bench.masbench.graph import MODULUS, Problem, Quantity, SubTask
from masrepro.bench.masbench.needle import Needle

OPERATORS = {"more": "+", "times": "*", "sum": "+", "difference": "-"}
_OPERATIONS = {"+": add, "*": mul, "-": sub}


@dataclass(frozen=True, slots=True)
class Given:
    """What upstream agents passed on: values of quantities by name, and answers of sub-tasks by number from 1."""

    values: Mapping[str, int] = field(default_factory=dict)
    answers: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply's text; ``operations`` is the number of arithmetic steps in it."""

    text: str
    operations: int


def whole_reply(tasks: Sequence[SubTask], given: Given = Given()) -> Reply:
    """The reply to a whole question; sub-tasks whose answers were given get no line."""
    work = _Work(tasks, given)
    if len(tasks) == 1:
        return work.reply(work.answer(1), "")
    lines = [f"{_line(work, number)}\n" for number in range(1, len(tasks) + 1) if number not in given.answers]
    boxes = [f"Problem {number}: \\boxed{{{work.answers[number]}}}" for number in range(1, len(tasks) + 1)]
    return Reply("".join(lines) + "\n".join(["Answer:", *boxes]), work.operations)


def number_reply(tasks: Sequence[SubTask], number: int, given: Given = Given()) -> Reply:
    """The reply to the goal of solving one sub-task of a set, by its number from 1."""
    work = _Work(tasks, given)
    line = _line(work, number)
    return work.reply(work.answers[number], line)


def quantity_reply(tasks: Sequence[SubTask], number: int, quantity: int, given: Given = Given()) -> Reply:
    """The reply to the goal of finding one quantity of sub-task ``number``."""
    work = _Work(tasks, given)
    return work.reply(work.quantity(number, quantity), "")


def code_reply(needle: Needle) -> Reply:
    """The reply to the goal of finding a code."""
    return Reply(f"{_code(needle)}\nAnswer: \\boxed{{{needle.code}}}", 0)


def copied_reply(value: int) -> Reply:
    """The reply of a sink that was handed the one answer."""
    return Reply(f"Answer: \\boxed{{{value}}}", 0)


def quote(problem: Problem, quantity: Quantity, before: int = 0) -> str:
    """The question's sentence about a quantity, from its name on; ``before`` as in `text.fact`."""
    names = [problem.quantities[parent].name for parent in quantity.parents]
    return text.fact(quantity, names, before).removeprefix("The number of each ")


def _line(work: _Work, number: int) -> str:
    """One sub-task's steps between its number and its answer."""
    started = len(work.steps)
    value = work.answer(number)
    steps = " ".join(work.steps[started:])
    del work.steps[started:]
    return f"Problem {number}: {steps} [answer {number}] is {value}."


def _found(name: str, reader: str) -> str:
    """What a result is of, and for whom."""
    return f"{name} for {reader}" if reader else name


def _code(needle: Needle) -> str:
    return f"The code of the {needle.key} is {needle.code}."


@dataclass(slots=True)
class _Work:
    """Steps so far, and what they and the given values have made known."""

    tasks: Sequence[SubTask]
    given: Given
    steps: list[str] = field(default_factory=list)
    known: dict[str, int] = field(default_factory=dict)
    answers: dict[int, int] = field(default_factory=dict)
    operations: int = 0

    def __post_init__(self) -> None:
        self.answers.update(self.given.answers)

    def reply(self, value: int, line: str) -> Reply:
        """The steps, or the line that holds them, and the answer alone."""
        steps = line or " ".join(self.steps)
        return Reply(f"{steps}\nAnswer: \\boxed{{{value}}}", self.operations)

    def answer(self, number: int) -> int:
        """Works a sub-task out."""
        task = self.tasks[number - 1]
        if isinstance(task, Needle):
            self.steps.append(_code(task))
            self.answers[number] = task.code
        else:
            assert isinstance(task, Problem)
            self.answers[number] = self.quantity(number, task.query)
        return self.answers[number]

    def quantity(self, number: int, index: int, reader: str = "") -> int:
        """Works a quantity out for the one that reads it; its ancestors before it."""
        problem = self.tasks[number - 1]
        assert isinstance(problem, Problem)
        quantity = problem.quantities[index]
        name = quantity.name
        start = f"For {reader}, " if reader else ""
        if name in self.known:
            self.steps.append(f"{start}{name} is {self.known[name]}.")
        elif name in self.given.values:
            self.steps.append(f"{start}{name} equals {self.given.values[name]}.")
            self.known[name] = self.given.values[name]
        else:
            self.steps.append(start + quote(problem, quantity, number - 1))
            if quantity.form == "constant":
                self.known[name] = quantity.constant
            elif quantity.form == "carried":
                self._carry(name, number - 1, reader)
            else:
                self.known[name] = self._calculate(number, problem, quantity, reader)
        return self.known[name]

    def _calculate(self, number: int, problem: Problem, quantity: Quantity, reader: str) -> int:
        """Takes one operand after the other."""
        operator, so_far = OPERATORS[quantity.form], quantity.constant
        for place, parent in enumerate(quantity.parents, start=1):
            taken = self.quantity(number, parent, quantity.name)
            if place == 1 and len(quantity.parents) > 1:
                term, so_far = str(taken), taken
            else:
                before, so_far = so_far, _OPERATIONS[operator](so_far, taken) % MODULUS
                term = f"{before} {operator} {taken} = {so_far}"
                self.operations += 1
            if place < len(quantity.parents):
                self.steps.append(f"{quantity.name} takes {problem.quantities[parent].name} {term}.")
        self.steps.append(f"{_found(quantity.name, reader)} is {term}.")
        return so_far

    def _carry(self, name: str, before: int, reader: str) -> None:
        """Takes over an earlier answer; where it is not there, works it out on the spot."""
        if before not in self.answers:
            self.steps.append(_line(self, before))
        self.known[name] = self.answers[before]
        self.steps.append(f"{_found(name, reader)} is {self.known[name]}.")
