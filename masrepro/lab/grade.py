"""How an evaluation has an answer scored: at once, in a thread, or by awaiting a judge or a sandbox.

Not here: what is right (`masrepro.bench.scoring`), and judges (`masrepro.lab.judge`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from inspect import isawaitable

from masrepro.bench import Item, Score, score
from masrepro.bench.scoring.outcome import ScorerUnavailable
from masrepro.lab.sample import Sample
from masrepro.models.model import ModelError, Usage
from masrepro.runtime.trace import NOTHING
from masrepro.tools.isolation import SandboxError


@dataclass(frozen=True, slots=True)
class Grade:
    """A score, and what it cost to find: never part of what the system cost."""

    score: Score
    usage: Usage = NOTHING


Scorer = Callable[[Item, str], Score | Grade | Awaitable[Score | Grade]]
"""Scores an answer to an item. A coroutine where it has to wait; an object with a ``name`` goes by that name."""


@dataclass(frozen=True, slots=True)
class ByName:
    """Scores with `masrepro.bench.score`, by the scorer that each item names.

    Parameters
    ----------
    flavour : str
        ``strict``, ``paper`` or ``official``.
    """

    flavour: str = "strict"

    @property
    def name(self) -> str:
        """The flavour."""
        return self.flavour

    def __call__(self, item: Item, answer: str) -> Score | Awaitable[Score]:
        """The score, or one to be awaited where it takes algebra or a sandbox, so that the event loop goes on."""
        work = partial(score, item.scorer, answer, item.answer, self.flavour)
        if item.scorer == "code":
            return asyncio.get_running_loop().run_in_executor(_threads.code, work)
        if item.scorer == "math" or self.flavour == "paper":
            return asyncio.get_running_loop().run_in_executor(_threads.algebra, work)
        return work()


STRICT = ByName()


def name_of(scorer: Scorer) -> str:
    """What a scorer goes by in the records."""
    for name in (getattr(scorer, "name", None), getattr(scorer, "__name__", None)):
        if name:
            return str(name)
    return type(scorer).__name__


async def graded(sample: Sample, item: Item, scorer: Scorer) -> Sample:
    """A sample whose run is done, with the scorer's verdict on its answer.

    A fault of the scorer itself (a judge's back-end, a sandbox that does not start) is the outcome ``error``; the
    run stays in the sample, so that only the scoring has to be tried again. Without an answer the outcome is
    ``unparsed``.
    """
    blank = replace(sample, gold=item.answer, extracted=None, credit=0.0, error=None, notes=(), scoring_usage=NOTHING)
    if sample.answer is None:
        return replace(blank, outcome="unparsed", scorer="")
    try:
        given = scorer(item, sample.answer)
        given = await given if isawaitable(given) else given
    except (ModelError, ScorerUnavailable, SandboxError) as fault:
        why = f"scoring failed: {type(fault).__name__}: {fault}"
        usage = fault.usage if isinstance(fault, ModelError) else NOTHING
        return replace(blank, outcome="error", scorer="", error=why, scoring_usage=usage)
    grade = given if isinstance(given, Grade) else Grade(given)
    verdict = grade.score
    return replace(
        blank,
        outcome=verdict.outcome,
        extracted=verdict.extracted,
        credit=verdict.credit,
        notes=verdict.notes,
        scorer=name_of(scorer),
        scoring_usage=grade.usage,
    )


class _Threads:
    """Where slow scorers run: not in asyncio's own threads, in which host names are looked up."""

    def __init__(self) -> None:
        # One, because all algebra goes through one process.
        self.algebra = ThreadPoolExecutor(max_workers=1, thread_name_prefix="masrepro-algebra")
        self.code = ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="masrepro-code")


_threads = _Threads()


def _forget_parents_threads() -> None:
    global _threads
    _threads = _Threads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parents_threads)
