"""The dependency graph behind a MASBench question: quantities that are stated or computed from one another.

Arithmetic is modulo 23, as in iGSM and MASBench (MAS-Orchestra, arXiv 2601.14652, appendix A). Nothing random and
no text here: `axes` plans graphs, `text` writes them down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Literal, NamedTuple, Protocol

MODULUS = 23

Form = Literal["constant", "more", "times", "sum", "difference", "total", "carried"]


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
        return 1 if self.form in ("more", "times") else max(0, len(self.parents) - 1)


@dataclass(frozen=True)
class Problem:
    """Quantities in topological order (parents first) and the index of the one that is asked for."""

    quantities: tuple[Quantity, ...]
    query: int

    @cached_property
    def values(self) -> tuple[int, ...]:
        """Value of every quantity."""
        known: list[int] = []
        for quantity in self.quantities:
            known.append(quantity.value([known[parent] for parent in quantity.parents]))
        return tuple(known)

    @property
    def answer(self) -> int:
        """Value of the query."""
        return self.values[self.query]

    @property
    def asked(self) -> str:
        """What is asked for, in words."""
        return f"the number of each {self.quantities[self.query].name}"

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Nodes on the longest chain that ends at each quantity; 1 for one that is given."""
        level: list[int] = []
        for quantity in self.quantities:
            level.append(1 + max([level[parent] for parent in quantity.parents], default=0))
        return tuple(level)

    @property
    def depth(self) -> int:
        """Nodes on the longest chain that ends at the query (MASBench's Depth)."""
        return self.levels[self.query]

    @property
    def breadth(self) -> int:
        """Largest in-degree anywhere in the graph (MASBench's Breadth)."""
        return max(len(quantity.parents) for quantity in self.quantities)

    @cached_property
    def cone(self) -> frozenset[int]:
        """Indices of the query and all it depends on."""
        reached = {self.query}
        for index in range(self.query, -1, -1):
            if index in reached:
                reached.update(self.quantities[index].parents)
        return frozenset(reached)

    @property
    def operations(self) -> int:
        """Binary arithmetic steps that the query needs."""
        return sum(self.quantities[index].operations for index in self.cone)

    @property
    def sentences(self) -> int:
        """Sentences that state the problem; a total has none."""
        return sum(quantity.form != "total" for quantity in self.quantities)

    @property
    def carries(self) -> bool:
        """Whether the answer of an earlier problem is needed."""
        return any(quantity.form == "carried" for quantity in self.quantities)

    def named(self, names: Sequence[str]) -> Problem:
        """The same problem with ``names`` in place of the quantities' own."""
        named = [Quantity(q.form, q.constant, q.parents, name) for q, name in zip(self.quantities, names, strict=True)]
        return Problem(tuple(named), self.query)

    def has_dead_number(self) -> bool:
        """Whether some stated or carried number in the cone could be changed without changing the answer.

        The answer is affine in each number; its slope, by the chain rule modulo 23, is 0 for a dead one.
        """
        quantities, values, cone = self.quantities, self.values, self.cone
        slope = [0] * len(quantities)
        slope[self.query] = 1
        for index in range(self.query, -1, -1):
            if index not in cone:
                continue
            form, constant, parents, _ = quantities[index]
            own = slope[index]
            match form:
                case "constant" | "carried":
                    stated = own
                case "more":
                    stated = own
                    slope[parents[0]] += own
                case "times":
                    stated = own * values[parents[0]]
                    slope[parents[0]] += own * constant
                case "sum" | "total":
                    stated = 1
                    for parent in parents:
                        slope[parent] += own
                case "difference":
                    stated = 1
                    slope[parents[0]] += own
                    slope[parents[1]] -= own
            if stated % MODULUS == 0:
                return True
        return False

    @property
    def template(self) -> str:
        """Hash of the graph without names and numbers; equal for isomorphic graphs, whatever their order."""
        return _template(tuple([(form, parents) for form, _, parents, _ in self.quantities]), self.query)


_COMMUTATIVE = ("sum", "total")


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
    return _digest(*(parts if in_order else sorted(parts)), *([b"in order"] if in_order else [])).hex()


@lru_cache(maxsize=1 << 16)
def _digest(*parts: bytes) -> bytes:
    return blake2b(b"\x00".join(parts), digest_size=12).digest()


@lru_cache(maxsize=1 << 16)
def _template(structure: tuple[tuple[Form, tuple[int, ...]], ...], query: int) -> str:
    """One pass labels each quantity by its ancestors, a second by its descendants as well; the query is marked."""
    up: list[bytes] = []
    for form, parents in structure:
        inputs = [up[parent] for parent in parents]
        if form in _COMMUTATIVE:
            inputs.sort()
        up.append(_digest(form.encode(), *inputs))
    uses: list[list[bytes]] = [[] for _ in structure]
    down: list[bytes] = [b""] * len(structure)
    for index in range(len(structure) - 1, -1, -1):
        mark = b"query" if index == query else b""
        uses[index].sort()
        down[index] = own = _digest(mark, up[index], *uses[index])
        form, parents = structure[index]
        for place, parent in enumerate(parents):
            uses[parent].append(own if form in _COMMUTATIVE else bytes([place]) + own)
    down.sort()
    return _digest(*down).hex()
