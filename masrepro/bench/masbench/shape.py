"""The shape of a dependency graph: what is left of it without names and numbers.

Small graphs have few shapes, so shapes are kept, and what depends on nothing else is worked out once for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Literal

Form = Literal["constant", "more", "times", "sum", "difference", "total", "carried"]
_COMMUTATIVE = ("sum", "total")


@dataclass(frozen=True, eq=False)
class Shape:
    """Forms of the quantities and indices of their parents, in topological order, and the index of the query."""

    forms: tuple[Form, ...]
    parents: tuple[tuple[int, ...], ...]
    query: int

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """Nodes on the longest chain that ends at each quantity; 1 for one that is given."""
        return tuple(find_levels(self.parents))

    @property
    def depth(self) -> int:
        """Nodes on the longest chain that ends at the query."""
        return self.levels[self.query]

    @cached_property
    def cone(self) -> frozenset[int]:
        """Indices of the query and all it depends on."""
        reached = {self.query}
        for index in range(self.query, -1, -1):
            if index in reached:
                reached.update(self.parents[index])
        return frozenset(reached)

    @cached_property
    def breadth(self) -> int:
        """Largest in-degree anywhere in the graph."""
        return max(map(len, self.parents))

    @cached_property
    def operations(self) -> int:
        """Binary arithmetic steps that the query needs."""
        return sum(count_operations(self.forms[index], len(self.parents[index])) for index in self.cone)

    @property
    def sentences(self) -> int:
        """Sentences that state it; a total has none."""
        return len(self.forms) - self.forms.count("total")

    @property
    def distractors(self) -> int:
        """Quantities that the query does not need."""
        return len(self.forms) - len(self.cone)

    @property
    def carries(self) -> bool:
        """Whether the answer of an earlier problem is needed."""
        return "carried" in self.forms

    @cached_property
    def template(self) -> str:
        """Hash that is equal for isomorphic graphs, whatever their order.

        One pass labels each quantity by its ancestors, a second by its descendants as well; the query is marked.
        """
        up: list[bytes] = []
        for form, parents in zip(self.forms, self.parents, strict=True):
            inputs = [up[parent] for parent in parents]
            if form in _COMMUTATIVE:
                inputs.sort()
            up.append(digest([form.encode(), *inputs]) if inputs else _GIVEN[form])
        uses: list[list[bytes]] = [[] for _ in self.forms]
        down: list[bytes] = []
        for index in range(len(self.forms) - 1, -1, -1):
            mark = b"query" if index == self.query else b""
            uses[index].sort()
            own = digest([mark, up[index], *uses[index]])
            down.append(own)
            is_ordered = self.forms[index] not in _COMMUTATIVE
            for place, parent in enumerate(self.parents[index]):
                uses[parent].append(bytes([place]) + own if is_ordered else own)
        return digest(sorted(down)).hex()


@lru_cache(maxsize=1 << 13)
def find_shape(forms: tuple[Form, ...], parents: tuple[tuple[int, ...], ...], query: int) -> Shape:
    """The one shape of these forms, parents and query."""
    return Shape(forms, parents, query)


def find_levels(parents: Sequence[tuple[int, ...]]) -> list[int]:
    """Nodes on the longest chain that ends at each quantity, given their parents' indices in topological order."""
    levels: list[int] = []
    for own in parents:
        levels.append(1 + max([levels[parent] for parent in own]) if own else 1)
    return levels


def count_operations(form: Form, n_parents: int) -> int:
    """Binary arithmetic steps that a quantity takes: one less than the numbers that go into it."""
    return 1 if form in ("more", "times") else max(0, n_parents - 1)


def digest(parts: Iterable[bytes]) -> bytes:
    """Twelve bytes that tell sequences of parts apart."""
    return blake2b(b"\x00".join(parts), digest_size=12).digest()


_GIVEN = {form: digest([form.encode()]) for form in ("constant", "carried")}
