"""Systems that a desk orchestrator has written itself: it learns those that keep to all rules.

What a small model has learned from drawn systems alone breaks a rule now and then, at temperature 1, and the longer a
system the more often. Its own systems show it which of its habits hold. Of those that hold, each size is learned as
often as it is drawn for questions of that axis, so that they say nothing about which size is good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from masrepro.orchestration.briefing import request
from masrepro.orchestration.dom import DoM
from masrepro.train.desk_check import problem_of
from masrepro.train.desk_corpus import Row, draw_item
from masrepro.train.desk_plans import PLAIN, draw_degree, draw_plan

Write = Callable[[Sequence[str], int], list[str]]
"""A model's replies to all prompts, at temperature 1; the number is their seed."""

LONGEST = 400
"""Tokens that a system may have; a drawn one of ten agents has up to 124."""


def own_rows(rng: Random, write: Write, n_rows: int, *, largest: int = 12) -> list[Row]:
    """Valid systems that the model itself has written, axis by axis of about the sizes of as many drawn systems.

    Parameters
    ----------
    rng : random.Random
    write : Write
        How the model replies.
    n_rows : int
        Questions that are drawn. There are fewer rows where an axis has no valid system of a size.
    largest : int
        The largest axis value of the questions.
    """
    kinds: list[tuple[str, int]] = []
    asked: list[tuple[str, DoM, str]] = []
    for _ in range(n_rows):
        item, dom = draw_item(rng, largest), draw_degree(rng)
        asked.append((request(item.question, dom, PLAIN), dom, item.meta["axis"]))
        kinds.append((item.meta["axis"], len(draw_plan(rng, item, dom).agents)))
    asked.sort(key=lambda question: len(question[0]))
    texts = write([prompt for prompt, *_ in asked], rng.randrange(2**31))
    valid: dict[tuple[str, int], list[Row]] = {}
    for (prompt, dom, axis), text in zip(asked, texts, strict=True):
        if problem_of(text, prompt, dom) is None:
            size = text.count("create_agent(")
            valid.setdefault((axis, size), []).append(Row(prompt, text, "system", size))
    return [rng.choice(valid[kind]) for kind in kinds if kind in valid]
