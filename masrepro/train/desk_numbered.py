r"""Worked replies in numbered lines: first every quote, then every value, in reverse.

A quote numbers what it reads, counting on; the next line quotes the next number. So which quantity is next, who reads
it and whether an operand is still to come is counted, not remembered, and what a number stands for is always found
behind its last mention::

    [1] Mill's Lamp equals the sum of each [2] Farm's Drum and each [3] Farm's Bench. [2] Farm's Drum equals 2 more
    than each [4] Barn's Rope. [3] Farm's Bench equals 20. [4] Barn's Rope equals 5. [4] 5. [3] 20. [2] takes [4] 5:
    2 + 5 = 7. [2] 7. [1] takes [2] 7, [3] 20: 7 + 20 = 4. [1] 4.
    Answer: \boxed{4}

What is read twice is quoted twice. Numbers go on from one problem to the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from masrepro.bench.masbench.graph import Quantity
from masrepro.train.desk_work import OPERATORS, Work, quote


@dataclass(frozen=True, slots=True)
class _Line:
    """A quantity to be worked out: its number, and that of the first one that it reads."""

    number: int
    quantity: Quantity
    first: int


@dataclass(slots=True)
class Numbered(Work):
    """Work that refers to a line by its number."""

    n_lines: int = 0

    def quantity(self, number: int, index: int) -> int:
        """Works a quantity out: quotes it and all that it reads, and takes the lines in reverse."""
        lines = self._quoted(number, index)
        values: dict[int, int] = {}
        for line in reversed(lines):
            values[line.number] = self._value(line, number, values)
            self.steps.append(f"[{line.number}] {values[line.number]}.")
        return values[lines[0].number]

    def _quoted(self, number: int, index: int) -> list[_Line]:
        """A line for the quantity and for everything that it reads, in the order of being mentioned."""
        problem = self.problem(number)
        if self._needs_answer_before(number, index):
            self.steps.append(self.line(number - 1))
        start = self.n_lines + 1
        self.n_lines += 1
        mentioned, lines = [index], []
        for place, own in enumerate(mentioned):  # which grows on the way
            quantity, first = problem.quantities[own], self.n_lines + 1
            lines.append(_Line(start + place, quantity, first))
            if quantity.name in self.given.values:
                self.steps.append(f"[{start + place}] {quantity.name} equals {self.given.values[quantity.name]}.")
                continue
            self.steps.append(f"[{start + place}] {quote(problem, quantity, number - 1, first)}")
            mentioned += quantity.parents
            self.n_lines += len(quantity.parents)
        return lines

    def _value(self, line: _Line, number: int, values: Mapping[int, int]) -> int:
        quantity = line.quantity
        if quantity.name in self.given.values:
            return self.given.values[quantity.name]
        if quantity.form == "constant":
            return quantity.constant
        if quantity.form == "carried":
            return self.answers[number - 1]
        return self._calculate(line, values)

    def _calculate(self, line: _Line, values: Mapping[int, int]) -> int:
        """Takes one operand after the other."""
        operator, so_far = OPERATORS[line.quantity.form], line.quantity.constant
        several = len(line.quantity.parents) > 1
        taken = []
        for place in range(len(line.quantity.parents)):
            operand = line.first + place
            value = values[operand]
            if several and place == 0:
                taken.append(f"[{operand}] {value}")
                so_far = value
            else:
                before, so_far = so_far, self.combined(operator, so_far, value)
                taken.append(f"[{operand}] {value}: {before} {operator} {value} = {so_far}")
        self.steps.append(f"[{line.number}] takes {', '.join(taken)}.")
        return so_far

    def _needs_answer_before(self, number: int, index: int) -> bool:
        """Whether an earlier answer did not arrive that the quantity or anything that it reads stands on."""
        if number - 1 in self.answers:
            return False
        quantities = self.problem(number).quantities
        todo = [index]
        while todo:
            quantity = quantities[todo.pop()]
            if quantity.name in self.given.values:
                continue
            if quantity.form == "carried":
                return True
            todo += quantity.parents
        return False
