"""A check that needs no truth: does a worked reply agree with itself?

A desk solver writes each arithmetic step before its answer. A step that is wrong modulo 23, or an answer that is not
that of the last step, shows without the true value being known. A reply without steps, such as a gatherer's, shows
nothing; nor does a step that is right and takes the wrong numbers.
"""

from __future__ import annotations

import re

from masrepro.agents.agent import Output
from masrepro.agents.cot import unboxed
from masrepro.bench.masbench.graph import MODULUS
from masrepro.orchestration.plan import Agent

_STEP = re.compile(r"(\d+) ([-+*]) (\d+) = (\d+)")


def recount(agent: Agent, output: Output) -> str | None:
    """What is wrong with an output, as a `masrepro.runtime.Check`."""
    steps = _STEP.findall(output.rationale)
    for left, sign, right, result in steps:
        if _value(int(left), sign, int(right)) != int(result):
            return f"{left} {sign} {right} is not {result}"
    if steps and output.answer is not None and unboxed(output.answer) != steps[-1][3]:
        return f"the answer is {unboxed(output.answer)[:40]}, but the last step gives {steps[-1][3]}"
    return None


def _value(left: int, sign: str, right: int) -> int:
    return {"+": left + right, "-": left - right, "*": left * right}[sign] % MODULUS
