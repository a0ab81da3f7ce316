"""Solves a MASBench question from its text alone: the independent check on the generator.

It imports nothing from the generator on purpose; its own idea of the rules is written out here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_FACT = re.compile(r"The number of each (\w+'s \w+) equals ([^.]+)\.")
_ASKED = re.compile(r"What is the number of each (\w+'s \w+)\?")
_NAME = re.compile(r"\w+'s \w+")


def solve_text(question: str) -> str | tuple[str, ...]:
    """The answer, or the tuple of answers of a question with numbered problems.

    Raises
    ------
    ValueError
        The text asks for nothing, defines something twice or in a circle, or says something that is not understood.
    """
    blocks = re.split(r"^Problem \d+: ", question, flags=re.MULTILINE)[1:]
    if blocks:
        return tuple(_solve(block) for block in blocks)
    return _solve(question)


def _solve(text: str) -> str:
    asked = _ASKED.findall(text)
    if len(asked) != 1:
        raise ValueError(f"a problem asks for exactly one quantity; found {len(asked)}")
    facts: dict[str, str] = {}
    for name, said in _FACT.findall(text):
        if name in facts:
            raise ValueError(f"{name} is defined twice")
        facts[name] = said
    return str(_value(asked[0], facts, ()))


def _value(name: str, facts: Mapping[str, str], above: tuple[str, ...]) -> int:
    if name in above:
        raise ValueError(f"{name} is defined by itself: {' > '.join([*above, name])}")
    said = facts.get(name)
    if said is None:
        return 0
    inner = [_value(other, facts, (*above, name)) for other in _NAME.findall(said)]
    number = re.match(r"\d+", said)
    if number and not inner and number[0] == said:
        return int(said) % 23
    if number and " more than each " in said and len(inner) == 1:
        return (int(number[0]) + inner[0]) % 23
    if number and " times as many as each " in said and len(inner) == 1:
        return int(number[0]) * inner[0] % 23
    if said.startswith("the sum of each "):
        return sum(inner) % 23
    if said.startswith("the difference of each ") and len(inner) == 2:
        return (inner[0] - inner[1]) % 23
    raise ValueError(f"not understood: {name} equals {said}")
