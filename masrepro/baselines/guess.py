"""Guesses that need no model: what an item gives away. A number is worth something only above these.

Each is a reply in the form that the scorers read: one boxed number for each question asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

from masrepro.bench.item import Item
from masrepro.bench.scoring import score

Guess = Callable[[Item], str]

COPY = "copy a number"
MAJORITY = "commonest answer"
ZERO = "zero"


def guesses(train: Sequence[Item]) -> Mapping[str, Guess]:
    """The guesses by name.

    Parameters
    ----------
    train : sequence of Item
        Where the commonest answer is counted, by place where several are asked for; not empty.
    """
    counted = [Counter(answers) for answers in zip(*(_several(item) for item in train), strict=True)]
    commonest = [counter.most_common(1)[0][0] for counter in counted]
    return {
        COPY: lambda item: _reply([_copied(part, item.id) for part in _parts(item)]),
        MAJORITY: lambda _: _reply(commonest),
        ZERO: lambda item: _reply(["0"] * len(_several(item))),
    }


def accuracies(items: Sequence[Item], train: Sequence[Item]) -> dict[str, float]:
    """Share of ``items`` that each guess gets right, all answers of an item together."""
    return {
        name: sum(score(item.scorer, guess(item), item.answer).outcome == "correct" for item in items) / len(items)
        for name, guess in guesses(train).items()
    }


def _reply(numbers: Sequence[str]) -> str:
    if len(numbers) == 1:
        return f"\\boxed{{{numbers[0]}}}"
    return "\n".join(f"Problem {k}: \\boxed{{{number}}}" for k, number in enumerate(numbers, start=1))


def _parts(item: Item) -> list[str]:
    """The text that belongs to each answer: its numbered problem, or the whole question."""
    count = len(_several(item))
    blocks = re.split(r"^Problem \d+: ", item.question, flags=re.MULTILINE)[1:]
    return blocks if len(blocks) == count else [item.question] * count


def _copied(text: str, seed: str) -> str:
    """A number that the facts of the text state, at random but always the same; 0 where they state none."""
    stated = re.findall(r"(?:equals|is) (\d+)\b", text)
    return Random(f"{seed}/{text}").choice(stated) if stated else "0"


def _several(item: Item) -> tuple[str, ...]:
    return (item.answer,) if isinstance(item.answer, str) else item.answer
