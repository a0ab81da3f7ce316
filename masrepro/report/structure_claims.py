"""What MAS-Orchestra says of the systems that training leads to (figure C.2), with ours beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from masrepro.report.claims import TOO_FEW, Claim
from masrepro.report.published import shapes_written
from masrepro.train.history import Step

_STEPS = 5
_MOST = 0.5


def published_shape(shape: Mapping[str, Any]) -> str:
    """What most of the paper's systems are at the end of training, and how many."""
    agents = shape["agents"]
    low, high = shape.get("share", (None, None))
    share = "" if low is None else f", {low}" if low == high else f", {low} to {high}"
    return (f"{agents} agents" if isinstance(agents, int) else agents) + share


def structure_claim(
    trainings: Mapping[str, Sequence[Step]], cells: Sequence[str], doms: Sequence[str], *, comparable: bool = True
) -> Claim:
    """Whether every training settles on one size of systems: more than half of its last five steps' have it.

    Parameters
    ----------
    trainings : mapping of str to sequence of Step
        The same training with several seeds; the verdict is over them, as one training's systems are no sample of
        trainings.
    cells : sequence of str
        Benchmarks that it learned from.
    doms : sequence of str
        Degrees of MAS that it learned under. LOW allows one agent, so that nothing follows from one size there.
    """
    axes = dict.fromkeys(cell.split("/")[1] for cell in cells if cell.startswith("masbench/"))
    shapes = shapes_written("c2")["shapes"]
    known = {name: steps for name, steps in trainings.items() if steps}
    ends = {name: (_commonest(steps[:_STEPS]), _commonest(steps[-_STEPS:])) for name, steps in known.items()}
    settled = [last is not None and last[1] > _MOST for _, last in ends.values()]
    verdict = "consistent" if all(settled) else "not shown: in some trainings only" if any(settled) else "differs"
    if not ends:
        verdict = "incomplete: the training's steps do not lie beside its adapter"
    elif "LOW" in doms:
        verdict = "not comparable: LOW allows one agent"
    return Claim(
        claim="Trained on the answer alone, systems take on one structure: most come to have the same number of agents",
        where="MAS-Orchestra, figure C.2",
        published="; ".join(f"{axis}: {published_shape(shapes[axis])}" for axis in axes if axis in shapes),
        ours=f"commonest size in the first and in the last {_STEPS} steps: "
        + "; ".join(f"{name} {_said(first)} to {_said(last)}" for name, (first, last) in ends.items()),
        verdict=verdict if comparable else TOO_FEW,
    )


def _commonest(steps: Sequence[Step]) -> tuple[int, float] | None:
    """The number of agents that most valid systems have, and their share; None where none is valid."""
    sizes: Counter[str] = Counter()
    for step in steps:
        sizes.update(step.agents)
    if not sizes.total():
        return None
    size, count = sizes.most_common(1)[0]
    return int(size), count / sizes.total()


def _said(commonest: tuple[int, float] | None) -> str:
    if commonest is None:
        return "no valid system"
    size, share = commonest
    return f"{size} agent{'s' if size != 1 else ''} ({share:.2f})"
