"""Writes problems as questions. The rules of the game stand in every question, so that any system can be given it
alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from masrepro.bench.masbench.graph import MODULUS, Problem, Quantity

RULES = (
    f"All numbers are whole numbers modulo {MODULUS}. A number that is not mentioned is 0. "
    "The difference of A and B is A minus B."
)
ONE_ANSWER = "Write the answer in \\boxed{}."
ALL_ANSWERS = "The problems are independent. Write one line for each problem, in order, such as Problem 1: \\boxed{0}"


def question(problems: Sequence[Problem], rng: Random) -> str:
    """The question's text; sentences of each problem are shuffled by ``rng``."""
    if len(problems) == 1:
        return f"{RULES}\n\n{_facts(problems[0], rng)}\n\n{asks(problems[0])} {ONE_ANSWER}"
    blocks = [f"Problem {k}: {_facts(p, rng)} {asks(p)}" for k, p in enumerate(problems, start=1)]
    return "\n\n".join([RULES, *blocks, ALL_ANSWERS])


def asks(problem: Problem) -> str:
    """The problem's own question."""
    return f"What is the number of each {problem.quantities[problem.query].name}?"


def fact(quantity: Quantity, names: Sequence[str]) -> str:
    """The sentence that states how a quantity comes about; ``names`` are its parents' names, in order."""
    subject = f"The number of each {quantity.name} equals"
    match quantity.form:
        case "constant":
            return f"{subject} {quantity.constant}."
        case "more":
            return f"{subject} {quantity.constant} more than each {names[0]}."
        case "times":
            return f"{subject} {quantity.constant} times as many as each {names[0]}."
        case "sum":
            return f"{subject} the sum of each {names[0]} and each {names[1]}."
        case "difference":
            return f"{subject} the difference of each {names[0]} and each {names[1]}."


def _facts(problem: Problem, rng: Random) -> str:
    sentences = [fact(q, [problem.quantities[p].name for p in q.parents]) for q in problem.quantities]
    rng.shuffle(sentences)
    return " ".join(sentences)
