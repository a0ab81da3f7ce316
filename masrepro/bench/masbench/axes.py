"""Plans problems with an exact axis value: the answer's cone first, distractors after, never drawing and rejecting
on the axis.

Axes are MASBench's (MAS-Orchestra, arXiv 2601.14652, table 2). Depth counts nodes on the longest chain that ends at
the query. Breadth is the largest in-degree of the graph, and lies in the cone. Horizon counts problems of which each
needs the answer of the one before. Parallel counts problems that share no quantity. Robustness counts sub-tasks under
attack: chains and needles by turns. What is not the axis is the same for all its values, but for the number of
sentences and operations; the former is too where it is `fixed`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from masrepro.bench.masbench.graph import MODULUS, Problem, Quantity, SubTask, evaluate, has_dead_number
from masrepro.bench.masbench.needle import hidden_code
from masrepro.bench.masbench.shape import Form, find_levels

AXES = ("depth", "breadth", "horizon", "parallel", "robustness")
VALUES = range(2, 13)

DISTRACTORS = {"depth": 3, "breadth": 3, "horizon": 1, "parallel": 1, "robustness": 1}
"""Sentences of each problem that its answer does not need."""
BREADTH_DEPTH = 4
BLOCK_DEPTH = 3
"""Depth of each problem of Horizon and Parallel."""
ROBUSTNESS_DEPTH = 4
NEEDLE_FILLER = 8
FIXED_SENTENCES = {"depth": 28, "breadth": 32, "horizon": 72, "parallel": 72, "robustness": 108}
"""Sentences of a whole item where they are held fixed: what the largest value needs at most."""

T = TypeVar("T")
Cone = Callable[..., list[Quantity]]

_DERIVED: tuple[Form, ...] = ("more", "times", "sum", "difference")
_FORMS: tuple[Form, ...] = ("constant", *_DERIVED)
_NARROW_FORMS: tuple[Form, ...] = ("constant", "more", "times")


def plan(axis: str, value: int, rng: Random, *, abstract: bool = False, fixed: bool = False) -> tuple[SubTask, ...]:
    """Sub-tasks without names whose axis has exactly that value.

    Parameters
    ----------
    axis, value
        One of `AXES` and of `VALUES`.
    abstract : bool
        Every cone holds at least one category total, as in iGSM.
    fixed : bool
        Padded to `FIXED_SENTENCES`, so that length does not grow with the value.

    Raises
    ------
    ValueError
        The axis is not known, or the value is not one of 2..12.
    """
    if axis not in AXES:
        raise ValueError(f"no axis {axis!r} in MASBench; there are {', '.join(AXES)}")
    if value not in VALUES:
        raise ValueError(f"{axis} {value} is out of range; choose {VALUES.start} to {VALUES.stop - 1}")
    n_sentences = FIXED_SENTENCES[axis] if fixed else None
    cone = _abstract_cone if abstract else _cone
    match axis:
        case "depth":
            return (_padded(rng, axis, _alive(cone, rng, value), n_sentences),)
        case "breadth":
            wide = _alive(_wide_cone, rng, value, abstract)
            return (_padded(rng, axis, wide, n_sentences, in_degree=value - 1),)
        case "horizon":
            return _relay(rng, cone, _shares(n_sentences, value))
        case "parallel":
            return tuple(
                _padded(rng, axis, _alive(cone, rng, BLOCK_DEPTH), share) for share in _shares(n_sentences, value)
            )
    return _attacked(rng, cone, value, n_sentences)


def _alive(draw: Cone, *arguments: Any) -> list[Quantity]:
    """A cone in which every stated number matters; its last quantity is the query.

    Sums and differences over shared ancestors can cancel, whatever the numbers are, so forms are redrawn too.
    """
    while has_dead_number(cone := draw(*arguments), len(cone) - 1):
        pass
    return cone


def _relay(rng: Random, cone: Cone, shares: Sequence[int | None]) -> tuple[Problem, ...]:
    """Problems that each start from the answer before. An answer that is needed is not 0, the value of what is not
    mentioned, so that no problem can be solved without it.
    """
    problems: list[Problem] = []
    start = None
    for share in shares:
        is_last = len(problems) == len(shares) - 1
        while (answer := evaluate(drawn := _alive(cone, rng, BLOCK_DEPTH, start))[-1]) == 0 and not is_last:
            pass
        start = Quantity("carried", answer)
        problems.append(_padded(rng, "horizon", drawn, share))
    return tuple(problems)


def _attacked(rng: Random, cone: Cone, value: int, n_sentences: int | None) -> tuple[SubTask, ...]:
    """Chains and needles by turns; where sentences are held fixed, filler makes up the number."""
    chains = [_padded(rng, "robustness", _alive(cone, rng, ROBUSTNESS_DEPTH), None) for _ in range((value + 1) // 2)]
    n_needles = value // 2
    left = None if n_sentences is None else n_sentences - n_needles - sum(chain.sentences for chain in chains)
    needles = [hidden_code(rng, NEEDLE_FILLER if n is None else n) for n in _shares(left, n_needles)]
    return tuple(needles[index // 2] if index % 2 else chains[index // 2] for index in range(value))


def _shares(total: int | None, parts: int) -> list[int | None]:
    """``total`` in equal whole parts, the first ones larger by one where it does not divide."""
    if total is None:
        return [None] * parts
    return [total // parts + (index < total % parts) for index in range(parts)]


def _cone(rng: Random, depth: int, start: Quantity | None = None) -> list[Quantity]:
    """A chain of ``depth`` nodes; second arguments are new constants or earlier nodes, so that no chain gets
    longer.
    """
    quantities = [start or _constant(rng)]
    for _ in range(depth - 1):
        _extend(rng, quantities)
    return quantities


def _abstract_cone(rng: Random, depth: int, start: Quantity | None = None) -> list[Quantity]:
    """As `_cone`, with a total at one node at least, and at others now and then.

    A total is no thing, so none is part of another, and no thing is part of two.
    """
    quantities = [start or _constant(rng)]
    certain = rng.randrange(1, depth)
    for node in range(1, depth):
        beside_another = quantities[-1].form == "total" or node == certain - 1
        if node == certain or (not beside_another and rng.random() < 0.25):
            last = len(quantities) - 1
            quantities += [_constant(rng) for _ in range(rng.randint(1, 2))]
            quantities.append(Quantity("total", 0, tuple(range(last, len(quantities)))))
        else:
            _extend(rng, quantities)
    return quantities


def _extend(rng: Random, quantities: list[Quantity]) -> None:
    """One more node of the chain, computed from the last quantity."""
    last = len(quantities) - 1
    form = _pick(rng, _DERIVED)
    if form in ("more", "times"):
        quantities.append(_unary(rng, form, last))
        return
    if last == 0 or rng.random() < 0.6:
        quantities.append(_constant(rng))
        other = last + 1
    else:
        other = _pick(rng, range(last))
    quantities.append(_binary(rng, form, last, other))


def _wide_cone(rng: Random, breadth: int, abstract: bool) -> list[Quantity]:
    """One node that reads ``breadth`` others, stated and computed ones; the query is computed from it."""
    quantities: list[Quantity] = []
    parents: list[int] = []
    n_computed = rng.randint(1, breadth)
    for index in range(breadth):
        quantities.append(_constant(rng))
        if abstract and index == 0:
            # The total must stay narrower than the wide node.
            quantities += [_constant(rng) for _ in range(min(1, breadth - 2))]
            quantities.append(Quantity("total", 0, tuple(range(len(quantities)))))
        elif index < n_computed:
            quantities.append(_unary(rng, _pick(rng, ("more", "times")), len(quantities) - 1))
        parents.append(len(quantities) - 1)
    rng.shuffle(parents)
    form: Form = "difference" if breadth == 2 and rng.random() < 0.5 else "sum"
    quantities.append(Quantity(form, 0, tuple(parents)))
    quantities.append(_unary(rng, _pick(rng, ("more", "times")), len(quantities) - 1))
    return quantities


def _padded(rng: Random, axis: str, cone: list[Quantity], n_sentences: int | None, in_degree: int = 2) -> Problem:
    """The cone with its distractors: as many as the axis has, or as make up the number of sentences."""
    if n_sentences is None:
        return _with_distractors(rng, cone, DISTRACTORS[axis], in_degree)
    return _with_distractors(rng, cone, n_sentences - sum(one.form != "total" for one in cone), in_degree)


def _with_distractors(rng: Random, cone: list[Quantity], count: int, in_degree: int) -> Problem:
    """Adds quantities that nobody in the cone reads, of at most that in-degree, and that end no chain longer than the
    query's.
    """
    forms = _FORMS if in_degree > 1 else _NARROW_FORMS
    quantities, query = [*cone], len(cone) - 1
    readable = [*range(query)]
    # Only a distractor that comes after another needs to know whether it may read it.
    levels = find_levels([quantity.parents for quantity in cone]) if count > 1 else []
    for left in reversed(range(count)):
        form = _pick(rng, forms)
        if form == "constant":
            added = _constant(rng)
        elif form in ("more", "times"):
            added = _unary(rng, form, _pick(rng, readable))
        elif len(readable) > 1:
            added = _binary(rng, form, *rng.sample(readable, 2))
        else:
            added = _unary(rng, "more", readable[0])
        quantities.append(added)
        if left:
            levels.append(1 + max([levels[parent] for parent in added.parents]) if added.parents else 1)
            if levels[-1] < levels[query]:
                readable.append(len(levels) - 1)
    return Problem(tuple(quantities), query)


def _constant(rng: Random) -> Quantity:
    return Quantity("constant", _below(rng, MODULUS))


def _unary(rng: Random, form: Form, parent: int) -> Quantity:
    # 0 more and 0 or 1 times would be no operation at all.
    least = 1 if form == "more" else 2
    return Quantity(form, least + _below(rng, MODULUS - least), (parent,))


def _binary(rng: Random, form: Form, first: int, second: int) -> Quantity:
    return Quantity(form, 0, (first, second) if rng.random() < 0.5 else (second, first))


def _pick(rng: Random, options: Sequence[T]) -> T:
    return options[_below(rng, len(options))]


def _below(rng: Random, n: int) -> int:
    """What ``rng.randrange(n)`` and ``rng.choice(range(n))`` draw, without their checks on the bounds."""
    bits = n.bit_length()
    while (drawn := rng.getrandbits(bits)) >= n:
        pass
    return drawn
