r"""Worked replies in which each quantity is worked out where it is first read.

A reply goes down until values are stated or given, and evaluates on the way back. Each quote says for which quantity it
is wanted, and each result says it again, so that the way back is always the name beside; operands are taken one at a
time, so that the next one is the name that follows::

    Mill's Lamp equals the sum of each Farm's Drum and each Farm's Bench. For Mill's Lamp, Farm's Drum equals 2 more
    than each Barn's Rope. For Farm's Drum, Barn's Rope equals 5. Farm's Drum for Mill's Lamp is 2 + 5 = 7.
    Mill's Lamp takes Farm's Drum 7. For Mill's Lamp, Farm's Bench equals 20. Mill's Lamp is 7 + 20 = 4.
    Answer: \boxed{4}
"""

from __future__ import annotations

from dataclasses import dataclass, field

from masrepro.bench.masbench.graph import Problem, Quantity
from masrepro.train.desk_work import OPERATORS, Work, quote


@dataclass(slots=True)
class Nested(Work):
    """Work that says each quantity once and refers back to it by name."""

    known: dict[str, int] = field(default_factory=dict)

    def quantity(self, number: int, index: int, reader: str = "") -> int:
        """Works a quantity out for the one that reads it; its ancestors before it."""
        problem = self.problem(number)
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
                before, so_far = so_far, self.combined(operator, so_far, taken)
                term = f"{before} {operator} {taken} = {so_far}"
            if place < len(quantity.parents):
                self.steps.append(f"{quantity.name} takes {problem.quantities[parent].name} {term}.")
        self.steps.append(f"{_found(quantity.name, reader)} is {term}.")
        return so_far

    def _carry(self, name: str, before: int, reader: str) -> None:
        """Takes over an earlier answer; where it is not there, works it out on the spot."""
        if before not in self.answers:
            self.steps.append(self.line(before))
        self.known[name] = self.answers[before]
        self.steps.append(f"{_found(name, reader)} is {self.known[name]}.")


def _found(name: str, reader: str) -> str:
    """What a result is of, and for whom."""
    return f"{name} for {reader}" if reader else name
