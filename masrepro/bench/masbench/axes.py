"""Plans problems with an exact axis value: the answer's cone first, distractors after, never drawing and rejecting
on the axis.

Axes are MASBench's (MAS-Orchestra, arXiv 2601.14652, table 2). Depth counts nodes on the longest chain that ends at
the query. Parallel counts problems that share no quantity.
"""

from __future__ import annotations

from random import Random

from masrepro.bench.masbench.graph import MODULUS, Form, Problem, Quantity

AXES = ("depth", "parallel")
VALUES = range(2, 13)

DEPTH_DISTRACTORS = 3
PARALLEL_BLOCK_DEPTH = 3
PARALLEL_BLOCK_DISTRACTORS = 1

_DERIVED: tuple[Form, ...] = ("more", "times", "sum", "difference")


def plan(axis: str, value: int, rng: Random) -> tuple[Problem, ...]:
    """Problems without names whose axis has exactly that value; several problems share no quantity.

    Raises
    ------
    ValueError
        The axis is not known, or the value is not one of 2..12.
    """
    if axis not in AXES:
        raise ValueError(f"no axis {axis!r} in MASBench here; known: {', '.join(AXES)}")
    if value not in VALUES:
        raise ValueError(f"{axis} {value} is out of range; choose {VALUES.start} to {VALUES.stop - 1}")
    if axis == "depth":
        return (_chain(rng, value, DEPTH_DISTRACTORS),)
    return tuple(_chain(rng, PARALLEL_BLOCK_DEPTH, PARALLEL_BLOCK_DISTRACTORS) for _ in range(value))


def _chain(rng: Random, depth: int, n_distractors: int) -> Problem:
    """A problem of that depth in which every stated number of the cone matters.

    Sums and differences over shared ancestors can cancel, whatever the numbers are, so forms are redrawn too.
    """
    while (cone := _cone(rng, depth)).has_dead_number():
        pass
    return _with_distractors(rng, cone, n_distractors)


def _cone(rng: Random, depth: int) -> Problem:
    """A chain of ``depth`` nodes; second arguments are new constants or earlier nodes, so that no chain gets
    longer.
    """
    quantities = [_constant(rng)]
    last = 0
    for _ in range(depth - 1):
        form = rng.choice(_DERIVED)
        if form in ("more", "times"):
            quantities.append(_unary(rng, form, last))
        else:
            earlier = [index for index in range(len(quantities)) if index != last]
            if not earlier or rng.random() < 0.6:
                quantities.append(_constant(rng))
                other = len(quantities) - 1
            else:
                other = rng.choice(earlier)
            quantities.append(_binary(rng, form, last, other))
        last = len(quantities) - 1
    return Problem(tuple(quantities), last)


def _with_distractors(rng: Random, cone: Problem, count: int) -> Problem:
    """Adds quantities that nobody in the cone reads and that end no chain longer than the query's."""
    quantities, levels = list(cone.quantities), list(cone.levels)
    for _ in range(count):
        readable = [index for index, level in enumerate(levels) if level < cone.depth]
        form = rng.choice(("constant", *_DERIVED))
        if form == "constant":
            quantities.append(_constant(rng))
        elif form in ("more", "times"):
            quantities.append(_unary(rng, form, rng.choice(readable)))
        elif len(readable) > 1:
            quantities.append(_binary(rng, form, *rng.sample(readable, 2)))
        else:
            quantities.append(_unary(rng, "more", readable[0]))
        levels.append(1 + max((levels[parent] for parent in quantities[-1].parents), default=0))
    return Problem(tuple(quantities), cone.query)


def _constant(rng: Random) -> Quantity:
    return Quantity("constant", rng.randrange(MODULUS))


def _unary(rng: Random, form: Form, parent: int) -> Quantity:
    # 0 more and 0 or 1 times would be no operation at all.
    return Quantity(form, rng.randrange(1 if form == "more" else 2, MODULUS), (parent,))


def _binary(rng: Random, form: Form, first: int, second: int) -> Quantity:
    return Quantity(form, 0, (first, second) if rng.random() < 0.5 else (second, first))
