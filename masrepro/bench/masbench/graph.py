"""The dependency graph behind a MASBench question: quantities that are stated or computed from one another.

Arithmetic is modulo 23, as in iGSM and MASBench (MAS-Orchestra, arXiv 2601.14652, appendix A). Nothing random and
no text here: `axes` plans graphs, `text` writes them down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Literal

MODULUS = 23

Form = Literal["constant", "more", "times", "sum", "difference"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One named number and how it comes about.

    ``constant`` is the stated number of the forms constant, more and times; ``parents`` are indices into the graph's
    quantities: none for constant, one for more and times, two (in order) for sum and difference.
    """

    form: Form
    constant: int = 0
    parents: tuple[int, ...] = ()
    name: str = ""

    def value(self, parent_values: Sequence[int]) -> int:
        """The quantity's value in 0..22, given those of its parents in order."""
        match self.form:
            case "constant":
                return self.constant % MODULUS
            case "more":
                return (self.constant + parent_values[0]) % MODULUS
            case "times":
                return (self.constant * parent_values[0]) % MODULUS
            case "sum":
                return (parent_values[0] + parent_values[1]) % MODULUS
            case "difference":
                return (parent_values[0] - parent_values[1]) % MODULUS


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

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Nodes on the longest chain that ends at each quantity; 1 for a constant."""
        level: list[int] = []
        for quantity in self.quantities:
            level.append(1 + max((level[parent] for parent in quantity.parents), default=0))
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
        reached, frontier = {self.query}, [self.query]
        while frontier:
            for parent in self.quantities[frontier.pop()].parents:
                if parent not in reached:
                    reached.add(parent)
                    frontier.append(parent)
        return frozenset(reached)

    @property
    def operations(self) -> int:
        """Binary arithmetic steps that the query needs."""
        return sum(self.quantities[index].form != "constant" for index in self.cone)

    def named(self, names: Sequence[str]) -> Problem:
        """The same problem with ``names`` in place of the quantities' own."""
        return Problem(tuple(replace(q, name=n) for q, n in zip(self.quantities, names, strict=True)), self.query)

    def has_dead_number(self) -> bool:
        """Whether some stated number in the cone could be changed without changing the answer.

        The answer is affine in each stated number; its slope, by the chain rule modulo 23, is 0 for a dead one.
        """
        slope = [0] * len(self.quantities)
        slope[self.query] = 1
        for index in sorted(self.cone, reverse=True):
            quantity, own = self.quantities[index], slope[index]
            match quantity.form:
                case "constant":
                    stated = own
                case "more":
                    stated = own
                    slope[quantity.parents[0]] += own
                case "times":
                    stated = own * self.values[quantity.parents[0]]
                    slope[quantity.parents[0]] += own * quantity.constant
                case "sum" | "difference":
                    stated = 1
                    slope[quantity.parents[0]] += own
                    slope[quantity.parents[1]] += own if quantity.form == "sum" else -own
            if stated % MODULUS == 0:
                return True
        return False

    @cached_property
    def template(self) -> str:
        """Hash of the graph without names and numbers; equal for isomorphic graphs, whatever their order.

        One pass labels each quantity by its ancestors, a second by its descendants as well; the query is marked.
        """
        up: list[bytes] = []
        for quantity in self.quantities:
            inputs = [up[parent] for parent in quantity.parents]
            up.append(_digest(quantity.form.encode(), *(sorted(inputs) if quantity.form == "sum" else inputs)))
        uses: list[list[bytes]] = [[] for _ in self.quantities]
        down: list[bytes] = [b""] * len(self.quantities)
        for index in reversed(range(len(self.quantities))):
            mark = b"query" if index == self.query else b""
            down[index] = _digest(mark, up[index], *sorted(uses[index]))
            quantity = self.quantities[index]
            for place, parent in enumerate(quantity.parents):
                role = b"" if quantity.form == "sum" else bytes([place])
                uses[parent].append(role + down[index])
        return _digest(*sorted(down)).hex()


def joint_template(problems: Sequence[Problem]) -> str:
    """Template of several independent problems, whatever their order."""
    return _digest(*sorted(problem.template.encode() for problem in problems)).hex()


def _digest(*parts: bytes) -> bytes:
    return blake2b(b"\x00".join(parts), digest_size=12).digest()
