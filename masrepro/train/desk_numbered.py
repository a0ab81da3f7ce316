r"""Worked replies in numbered lines: first every quote, then every value, in reverse.

A quote numbers what it reads, counting on; the next line quotes the next number. So which quantity is next, who reads
it and whether an operand is still to come is counted, not remembered. What is stated is said again at once, so that a
line's value, once there is one, is always what stands behind its number. To take a line is to say its quote again, with
values for names::

    [1] Mill's Lamp equals the sum of each [2] Farm's Drum and each [3] Farm's Bench. [2] Farm's Drum equals 2 more
    than each [4] Barn's Rope. [3] Farm's Bench equals 20. [3] 20. [4] Barn's Rope equals 5. [4] 5. [4] 5. [3] 20.
    [2] takes 2 more than each [4] 5: 2 + 5 = 7. [2] 7. [1] takes the sum of each [2] 7 and each [3] 20: 7 + 20 = 4.
    [1] 4.
    Answer: \boxed{4}

What is read twice is quoted twice. Numbers go on from one problem to the next, each of which begins with what it asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from masrepro.bench.masbench.graph import Problem, Quantity
from masrepro.train.desk_work import OPERATORS, Work, quote

_UNARY = {"more": " more than each ", "times": " times as many as each "}


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
        values: dict[int, int] = {}
        lines = self._quoted(number, index, values)
        for line in reversed(lines):
            if line.number not in values:
                values[line.number] = self._calculate(line, values)
            self.steps.append(f"[{line.number}] {values[line.number]}.")
        return values[lines[0].number]

    def opening(self, number: int) -> str:
        """What the problem asks for."""
        problem = self.problem(number)
        return f"{problem.quantities[problem.query].name}."

    def _quoted(self, number: int, index: int, values: dict[int, int]) -> list[_Line]:
        """A line for the quantity and for everything that it reads, in the order of being mentioned.

        Values that are stated, or were given, are put into ``values``.
        """
        problem = self.problem(number)
        if self._needs_answer_before(number, index):
            self.steps.append(self.line(number - 1))
        start = self.n_lines + 1
        self.n_lines += 1
        mentioned, lines = [index], []
        for place, own in enumerate(mentioned):  # which grows on the way
            line = _Line(start + place, problem.quantities[own], self.n_lines + 1)
            lines.append(line)
            value = self._stated(line.quantity, number)
            self.steps.append(f"[{line.number}] {self._words(problem, line, number)}")
            if value is not None:
                values[line.number] = value
                self.steps.append(f"[{line.number}] {value}.")
                continue
            mentioned += line.quantity.parents
            self.n_lines += len(line.quantity.parents)
        return lines

    def _words(self, problem: Problem, line: _Line, number: int) -> str:
        given = self.given.values.get(line.quantity.name)
        return (
            quote(problem, line.quantity, number - 1, line.first)
            if given is None
            else f"{line.quantity.name} equals {given}."
        )

    def _stated(self, quantity: Quantity, number: int) -> int | None:
        """The value of what needs no calculation."""
        if quantity.name in self.given.values:
            return self.given.values[quantity.name]
        if quantity.form == "constant":
            return quantity.constant
        return self.answers[number - 1] if quantity.form == "carried" else None

    def _calculate(self, line: _Line, values: Mapping[int, int]) -> int:
        """Says the quote again with values for names, and takes one operand after the other."""
        form, so_far = line.quantity.form, line.quantity.constant
        n_operands = len(line.quantity.parents)
        taken = f"{so_far}{_UNARY[form]}" if form in _UNARY else f"the {form} of each "
        for place in range(n_operands):
            operand = line.first + place
            value = values[operand]
            if place:
                taken += " and each " if place == n_operands - 1 else ", each "
            taken += f"[{operand}] {value}"
            if form not in _UNARY and place == 0:
                so_far = value
                continue
            before, so_far = so_far, self.combined(OPERATORS[form], so_far, value)
            taken += f": {before} {OPERATORS[form]} {value} = {so_far}"
        self.steps.append(f"[{line.number}] takes {taken}.")
        return so_far

    def _needs_answer_before(self, number: int, index: int) -> bool:
        """Whether an earlier answer did not arrive that the quantity or anything that it reads stands on."""
        if number - 1 in self.answers:
            return False
        quantities = self.problem(number).quantities
        ahead = [index]
        while ahead:
            quantity = quantities[ahead.pop()]
            if quantity.name in self.given.values:
                continue
            if quantity.form == "carried":
                return True
            ahead += quantity.parents
        return False
