"""Systems that a desk orchestrator has written itself: it learns those that keep to all rules.

What a small model has learned from drawn systems alone breaks a rule now and then, at temperature 1, and the longer a
system the more often. Its own systems show it which of its habits hold. But what breaks least would soon be all that it
writes: within 2.5 M tokens half of its systems became chains, and none was a net. So of those that hold, each size and
shape is learned as often as it is drawn, and they say nothing about which is good.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from masrepro.orchestration.briefing import request
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.parse import parse
from masrepro.orchestration.plan import Orchestration
from masrepro.train.desk_check import problem_of
from masrepro.train.desk_corpus import Row, draw_item
from masrepro.train.desk_plans import PLAIN, draw_degree, draw_plan, written

Design = tuple[int, str]
"""Agents of a system, and its shape."""

Write = Callable[[Sequence[str], int], list[str]]
"""A model's replies to all prompts, at temperature 1; the number is their seed."""

LONGEST = 160
"""Tokens that a system may have; a drawn one of ten agents has up to 124."""


def own_rows(rng: Random, write: Write, n_rows: int, *, largest: int = 12) -> list[Row]:
    """Valid systems that the model itself has written, of the sizes and shapes of as many drawn systems.

    Where it has written none of a size and shape for questions of an axis, the drawn one is learned.

    Parameters
    ----------
    rng : random.Random
    write : Write
        How the model replies.
    n_rows : int
        Questions that are drawn.
    largest : int
        The largest axis value of the questions.
    """
    asked: list[tuple[str, DoM, str, Orchestration]] = []
    for _ in range(n_rows):
        item, dom = draw_item(rng, largest), draw_degree(rng)
        asked.append((request(item.question, dom, PLAIN), dom, item.meta["axis"], draw_plan(rng, item, dom)))
    asked.sort(key=lambda question: len(question[0]))
    texts = write([prompt for prompt, *_ in asked], rng.randrange(2**31))
    valid: dict[tuple[str, Design], list[Row]] = {}
    for (prompt, dom, axis, _), text in zip(asked, texts, strict=True):
        if problem_of(text, prompt, dom) is None:
            plan = parse(text, dom=dom, catalogue=PLAIN)
            valid.setdefault((axis, design_of(plan)), []).append(Row(prompt, text, "system", len(plan.agents)))
    rows = []
    for prompt, _, axis, drawn in asked:
        own = valid.get((axis, design_of(drawn)))
        rows.append(rng.choice(own) if own else Row(prompt, written(drawn), "system", len(drawn.agents)))
    return rows


def design_of(plan: Orchestration) -> Design:
    """How many agents a system has, and whether they are a chain, a star, a tree or a net."""
    n_agents = len(plan.agents)
    if len(plan.flows) >= n_agents > 0:
        return n_agents, "net"
    if plan.longest_chain == n_agents:
        return n_agents, "chain"
    return n_agents, "star" if plan.longest_chain == 2 else "tree"
