"""The dependency graph behind a MASBench question: quantities that are stated or computed from one another.

Arithmetic is modulo 23, as in iGSM and MASBench (MAS-Orchestra, arXiv 2601.14652, appendix A). Nothing random and
no text here: `axes` plans graphs, `text` writes them down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from masrepro.bench.masbench.shape import Form, Shape, count_operations, digest, find_shape

MODULUS = 23


class Quantity(NamedTuple):
    """One named number and how it comes about.

    ``constant`` is the stated number of the forms constant, more and times, and for carried the value of the earlier
    problem's answer that it stands for; ``parents`` are indices into the graph's quantities: none for constant and
    carried, one for more and times, two (in order) for difference, two or more for sum. A total is what a place has
    of a category of things: no sentence states it, its parents are the place's things of that category.
    """

    form: Form
    constant: int = 0
    parents: tuple[int, ...] = ()
    name: str = ""

    def value(self, parent_values: Sequence[int]) -> int:
        """The quantity's value in 0..22, given those of its parents in order."""
        match self.form:
            case "constant" | "carried":
                return self.constant % MODULUS
            case "more":
                return (self.constant + parent_values[0]) % MODULUS
            case "times":
                return (self.constant * parent_values[0]) % MODULUS
            case "sum" | "total":
                return sum(parent_values) % MODULUS
            case "difference":
                return (parent_values[0] - parent_values[1]) % MODULUS

    @property
    def operations(self) -> int:
        """Binary arithmetic steps that it takes: one less than the numbers that go into it."""
        return count_operations(self.form, len(self.parents))


def evaluate(quantities: Sequence[Quantity]) -> list[int]:
    """Value of every quantity; parents come first."""
    known: list[int] = []
    for quantity in quantities:
        known.append(quantity.value([known[parent] for parent in quantity.parents]))
    return known


def has_dead_number(quantities: Sequence[Quantity], query: int) -> bool:
    """Whether some stated or carried number that the query needs could be changed without changing the answer.

    The answer is affine in each number; its slope, by the chain rule modulo 23, is 0 for a dead one.
    """
    slopes = {query: 1}
    values: list[int] = []
    for index in range(query, -1, -1):
        own = slopes.get(index)
        if own is None:
            continue
        form, constant, parents, _ = quantities[index]
        if form == "times":
            values = values or evaluate(quantities)
            stated, own = own * values[parents[0]], own * constant
        else:
            stated = 1 if form in ("sum", "total", "difference") else own
        if stated % MODULUS == 0:
            return True
        for parent in parents:
            slopes[parent] = slopes.get(parent, 0) + own
            if form == "difference":
                own = -own
    return False


@dataclass(frozen=True, slots=True)
class Problem:
    """Quantities in topological order (parents first) and the index of the one that is asked for."""

    quantities: tuple[Quantity, ...]
    query: int

    @property
    def values(self) -> tuple[int, ...]:
        """Value of every quantity."""
        return tuple(evaluate(self.quantities))

    @property
    def answer(self) -> int:
        """Value of the query."""
        return self.values[self.query]

    @property
    def asked(self) -> str:
        """What is asked for, in words."""
        return f"the number of each {self.quantities[self.query].name}"

    @property
    def shape(self) -> Shape:
        """The graph without names and numbers."""
        forms, _, parents, _ = zip(*self.quantities, strict=True)
        return find_shape(forms, parents, self.query)

    @property
    def levels(self) -> tuple[int, ...]:
        """Nodes on the longest chain that ends at each quantity; 1 for one that is given."""
        return self.shape.levels

    @property
    def depth(self) -> int:
        """Nodes on the longest chain that ends at the query (MASBench's Depth)."""
        return self.shape.depth

    @property
    def breadth(self) -> int:
        """Largest in-degree anywhere in the graph (MASBench's Breadth)."""
        return self.shape.breadth

    @property
    def cone(self) -> frozenset[int]:
        """Indices of the query and all it depends on."""
        return self.shape.cone

    @property
    def operations(self) -> int:
        """Binary arithmetic steps that the query needs."""
        return self.shape.operations

    @property
    def sentences(self) -> int:
        """Sentences that state the problem; a total has none."""
        return self.shape.sentences

    @property
    def carries(self) -> bool:
        """Whether the answer of an earlier problem is needed."""
        return self.shape.carries

    @property
    def template(self) -> str:
        """Hash of the graph without names and numbers; equal for isomorphic graphs, whatever their order."""
        return self.shape.template

    def named(self, names: Sequence[str]) -> Problem:
        """The same problem with ``names`` in place of the quantities' own."""
        named = [Quantity(q.form, q.constant, q.parents, name) for q, name in zip(self.quantities, names, strict=True)]
        return Problem(tuple(named), self.query)

    def has_dead_number(self) -> bool:
        """`has_dead_number` of the query."""
        return has_dead_number(self.quantities, self.query)


class SubTask(Protocol):
    """One of an item's questions with its truth: a `Problem`, or a needle in a haystack."""

    @property
    def answer(self) -> int:
        """The truth."""

    @property
    def asked(self) -> str:
        """What is asked for, in words."""

    @property
    def template(self) -> str:
        """Hash of its form without names and numbers."""

    @property
    def sentences(self) -> int:
        """Sentences that state it."""


def joint_template(tasks: Sequence[SubTask], *, in_order: bool = False) -> str:
    """Template of several sub-tasks, whatever their order; or in their order, where it matters."""
    parts = [task.template.encode() for task in tasks]
    return digest([*parts, b"in order"] if in_order else sorted(parts)).hex()
