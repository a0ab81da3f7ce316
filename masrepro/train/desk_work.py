"""What a desk solver writes down on the way to an answer; how a quantity is worked out is left to a notation."""

from __future__ import annotations

from abc import ABC, abstractmethod
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


@dataclass(slots=True)
class Work(ABC):
    """Steps so far, and what they and the given values have made known."""

    tasks: Sequence[SubTask]
    given: Given
    steps: list[str] = field(default_factory=list)
    answers: dict[int, int] = field(default_factory=dict)
    operations: int = 0

    def __post_init__(self) -> None:
        self.answers.update(self.given.answers)

    @abstractmethod
    def quantity(self, number: int, index: int) -> int:
        """Works a quantity of sub-task ``number`` out, after all that it reads; returns its value."""

    def opening(self, number: int) -> str:
        """What a line says of a problem before its steps; nothing, unless a notation has it."""
        return ""

    def problem(self, number: int) -> Problem:
        """Sub-task ``number``, which asks for a quantity."""
        problem = self.tasks[number - 1]
        assert isinstance(problem, Problem)
        return problem

    def answer(self, number: int) -> int:
        """Works a sub-task out."""
        task = self.tasks[number - 1]
        if isinstance(task, Needle):
            self.steps.append(found_code(task))
            self.answers[number] = task.code
        else:
            self.answers[number] = self.quantity(number, self.problem(number).query)
        return self.answers[number]

    def line(self, number: int) -> str:
        """One sub-task's steps between its number and its answer; they are no steps of their own any more."""
        started = len(self.steps)
        opening = self.opening(number) if isinstance(self.tasks[number - 1], Problem) else ""
        value = self.answer(number)
        steps = " ".join([opening, *self.steps[started:]] if opening else self.steps[started:])
        del self.steps[started:]
        return f"Problem {number}: {steps} [answer {number}] is {value}."

    def combined(self, operator: str, left: int, right: int) -> int:
        """The result of one arithmetic step, which is counted."""
        self.operations += 1
        result: int = _OPERATIONS[operator](left, right) % MODULUS
        return result


def found_code(needle: Needle) -> str:
    """The step that finds a code."""
    return f"The code of the {needle.key} is {needle.code}."


def quote(problem: Problem, quantity: Quantity, before: int = 0, first: int | None = None) -> str:
    """The question's sentence about a quantity, from its name on; ``before`` as in `text.fact`.

    With ``first``, what it reads is numbered from there on.
    """
    names = [problem.quantities[parent].name for parent in quantity.parents]
    if first is not None:
        names = [f"[{first + place}] {name}" for place, name in enumerate(names)]
    return text.fact(quantity, names, before).removeprefix("The number of each ")
