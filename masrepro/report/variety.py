"""How much a model's samples differ, and what a vote over them is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from masrepro.agents.cot import read_output
from masrepro.bench import Item, score
from masrepro.lab.table import Row
from masrepro.models.model import Completion
from masrepro.report.statistics import accuracy


def variety_rows(drawn: Mapping[float, Sequence[Sequence[Completion]]], items: Sequence[Item]) -> list[Row]:
    """A row a temperature: how many of an item's replies differ, and what they are worth one by one and together.

    Parameters
    ----------
    drawn : mapping of float to sequence of sequence of Completion
        By temperature: for each item its completions.
    items : sequence of Item
        In the same order.
    """
    return [_row(temperature, replies, items) for temperature, replies in drawn.items()]


def _row(temperature: float, replies: Sequence[Sequence[Completion]], items: Sequence[Item]) -> Row:
    answers = [[read_output(reply.text, reply.finish).answer for reply in of_item] for of_item in replies]
    right = [[_right(item, answer) for answer in own] for item, own in zip(items, answers, strict=True)]
    votes = [float(_right(item, Counter(own).most_common(1)[0][0])) for item, own in zip(items, answers, strict=True)]
    distinct = [len({reply.text for reply in of_item}) / len(of_item) for of_item in replies]
    return {
        "temperature": temperature,
        "samples an item": len(replies[0]),
        "distinct replies": f"{sum(distinct) / len(distinct):.0%}",
        "one sample": str(accuracy([sum(own) / len(own) for own in right])),
        "majority": str(accuracy(votes)),
        "any of them": str(accuracy([float(any(own)) for own in right])),
    }


def _right(item: Item, answer: str | None) -> bool:
    return answer is not None and score(item.scorer, answer, item.answer).outcome == "correct"
