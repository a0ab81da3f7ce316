"""Solves imported items anew from their text alone, and says where their truths do not follow from it.

The authors' own examples show why: a Parallel problem, called independent, whose truth needs a fact that stands in
another problem only, and a Horizon problem that lost a name to ``[answer1]`` (MAS-Orchestra, arXiv 2601.14652v2,
appendix A.1.2). Such an item is still scored by its published truth; what is found here is to be read beside the score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from masrepro.bench.item import Item
from masrepro.bench.masbench.igsm import is_igsm, solve_igsm
from masrepro.bench.masbench.solver import solve_text

Verdict = Literal["follows", "needs another problem", "contradicted", "not understood"]
VERDICTS: tuple[Verdict, ...] = ("follows", "needs another problem", "contradicted", "not understood")


@dataclass(frozen=True, slots=True)
class Recheck:
    """What came of solving one item anew.

    ``follows``: the text gives the truth. ``needs another problem``: it does only if every problem may use the facts
    of all. ``contradicted``: it gives something else either way. ``not understood``: the solver could not read it, so
    that nothing is known; ``why`` tells at what it stopped.
    """

    id: str
    verdict: Verdict
    truth: tuple[str, ...]
    found: tuple[str, ...] = ()
    why: str = ""


def recheck(item: Item) -> Recheck:
    """Solves one item from its question and compares with its truth; never raises on a text that cannot be read."""
    truth = _several(item.answer)
    try:
        found = _several(solve_text(item.question))
    except ValueError as error:
        return Recheck(item.id, "not understood", truth, why=str(error))
    if found == truth:
        return Recheck(item.id, "follows", truth, found)
    return Recheck(item.id, "needs another problem" if _follows_together(item, truth) else "contradicted", truth, found)


def count_verdicts(items: Iterable[Item]) -> list[dict[str, str | int]]:
    """A row a benchmark: its items, and how many of them came to each verdict."""
    counts: dict[str, Counter[str]] = {}
    for item in items:
        counts.setdefault(item.meta["benchmark"], Counter())[recheck(item).verdict] += 1
    return [
        {"benchmark": name, "items": found.total(), **{verdict: found[verdict] for verdict in VERDICTS}}
        for name, found in counts.items()
    ]


def _follows_together(item: Item, truth: tuple[str, ...]) -> bool:
    if not is_igsm(item.question):
        return False
    try:
        return _several(solve_igsm(item.question, together=True)) == truth
    except ValueError:
        # Problems that define one name differently cannot be put together.
        return False


def _several(answer: str | tuple[str, ...]) -> tuple[str, ...]:
    return (answer,) if isinstance(answer, str) else answer
