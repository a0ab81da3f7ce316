r"""Worked replies of the desk solvers, in one format for all axes.

A reply is a chain of one-hop copies: it quotes the question, in the question's own words, since to say the same words
again is what a model of this size learns first; works on what it quoted; and ends in the answer::

    Mill's Lamp equals 2 more than each Barn's Rope. ... 2 + 5 = 7. ...
    Answer: \boxed{7}

Several problems take a line each, which ends in that problem's answer. Values that were given are taken as they are,
true or not. How a quantity is worked out is a notation's affair, of which a model learns one: see
`masrepro.train.desk_nested` and `masrepro.train.desk_numbered`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from masrepro.bench.masbench.graph import SubTask
from masrepro.bench.masbench.needle import Needle
from masrepro.train.desk_nested import Nested
from masrepro.train.desk_numbered import Numbered
from masrepro.train.desk_work import Given, Work, found_code

NESTED, NUMBERED = "nested", "numbered"
NOTATIONS: Mapping[str, type[Work]] = {NESTED: Nested, NUMBERED: Numbered}
"""By the name in a recipe."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply's text; ``operations`` is the number of arithmetic steps in it."""

    text: str
    operations: int


def whole_reply(tasks: Sequence[SubTask], given: Given = Given(), *, notation: str = NESTED) -> Reply:
    """The reply to a whole question; sub-tasks whose answers were given get no line."""
    work = NOTATIONS[notation](tasks, given)
    if len(tasks) == 1:
        return _reply(work, work.answer(1))
    lines = [f"{work.line(number)}\n" for number in range(1, len(tasks) + 1) if number not in given.answers]
    boxes = [f"Problem {number}: \\boxed{{{work.answers[number]}}}" for number in range(1, len(tasks) + 1)]
    return Reply("".join(lines) + "\n".join(["Answer:", *boxes]), work.operations)


def number_reply(tasks: Sequence[SubTask], number: int, given: Given = Given(), *, notation: str = NESTED) -> Reply:
    """The reply to the goal of solving one sub-task of a set, by its number from 1."""
    work = NOTATIONS[notation](tasks, given)
    line = work.line(number)
    return _reply(work, work.answers[number], line)


def quantity_reply(
    tasks: Sequence[SubTask], number: int, quantity: int, given: Given = Given(), *, notation: str = NESTED
) -> Reply:
    """The reply to the goal of finding one quantity of sub-task ``number``."""
    work = NOTATIONS[notation](tasks, given)
    return _reply(work, work.quantity(number, quantity))


def code_reply(needle: Needle) -> Reply:
    """The reply to the goal of finding a code."""
    return Reply(f"{found_code(needle)}\nAnswer: \\boxed{{{needle.code}}}", 0)


def copied_reply(value: int) -> Reply:
    """The reply of a sink that was handed the one answer."""
    return Reply(f"Answer: \\boxed{{{value}}}", 0)


def _reply(work: Work, value: int, line: str = "") -> Reply:
    """The steps, or the line that holds them, and the answer alone."""
    steps = line or " ".join(work.steps)
    return Reply(f"{steps}\nAnswer: \\boxed{{{value}}}", work.operations)
