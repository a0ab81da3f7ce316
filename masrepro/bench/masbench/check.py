"""Checks MASBench items, each in ways that share nothing: the graph, the text alone, and the text changed.

What holds of every item: the graph's answer is the item's; the text-only solver finds the same answer and the axis
value that the item claims; whatever number of the answer's cone is changed in the text, that answer changes; without
the reference to an earlier answer, a problem that needs it comes out otherwise; notes are where they are said to be,
in range, and never true.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from masrepro.bench.item import Item
from masrepro.bench.masbench.graph import MODULUS, Problem, Quantity
from masrepro.bench.masbench.needle import CODES
from masrepro.bench.masbench.notes import numbers
from masrepro.bench.masbench.solver import measure_text, solve_text


def faults(item: Item) -> list[str]:
    """What is wrong with a MASBench item, in words; empty for a sound one."""
    return [*_graph_faults(item), *_text_faults(item), *_perturbation_faults(item), *_note_faults(item)]


def count_faults(items: Iterable[Item]) -> list[dict[str, str | int]]:
    """A row a benchmark: items, numbers and references changed in their texts, and wrong items (0 if all are sound)."""
    n: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for item in items:
        name = item.meta["benchmark"]
        n[name] += 1
        changed[name] += sum(1 for _ in changes(item))
        wrong[name] += bool(faults(item))
    return [{"benchmark": name, "items": n[name], "changes": changed[name], "wrong": wrong[name]} for name in n]


def changes(item: Item) -> Iterator[tuple[int, str, str]]:
    """Sub-task (from 0), what is changed, and the question with one number of its cone changed, or a reference gone."""
    for place, task in enumerate(item.problems):
        if not isinstance(task, Problem):
            yield place, task.asked, item.question.replace(f"is {task.code}.", f"is {CODES[-1] - task.code % 1000}.")
            continue
        for index in sorted(task.cone):
            quantity = task.quantities[index]
            if quantity.form in ("constant", "more", "times"):
                yield place, quantity.name, _with_another_number(item.question, quantity)
            elif quantity.form == "carried":
                yield place, quantity.name, _without_reference(item.question, quantity, place)


def _with_another_number(question: str, quantity: Quantity) -> str:
    stated = rf"(The number of each {re.escape(quantity.name)} equals ){quantity.constant}(?!\d)"
    return re.sub(stated, rf"\g<1>{(quantity.constant + 1) % MODULUS}", question)


def _without_reference(question: str, quantity: Quantity, place: int) -> str:
    sentence = rf"The number of each {re.escape(quantity.name)} equals \[answer ?{place}\]\."
    # The published form has no such sentence: the reference stands where it is used.
    changed, n = re.subn(sentence, "", question)
    return changed if n else question.replace(f"[answer{place}]", "No's Thing")


def _graph_faults(item: Item) -> Iterator[str]:
    answers = _several(item.answer)
    if tuple(str(task.answer) for task in item.problems) != answers:
        yield "the graph has another answer"
    for earlier, later in zip(item.problems, item.problems[1:], strict=False):
        if isinstance(later, Problem) and later.carries:
            carried = {q.constant for q in later.quantities if q.form == "carried"}
            if carried != {earlier.answer}:
                yield "a carried value is not the answer before"


def _text_faults(item: Item) -> Iterator[str]:
    if solve_text(item.question) != item.answer:
        yield "the text has another answer"
    axis, value = item.meta["axis"], item.meta["value"]
    measured = measure_text(item.question)[axis]
    expected = item.meta["robustness"] if axis == "robustness" else value
    if measured != expected or item.meta[axis] != expected:
        yield f"{axis} is {measured} in the text, {item.meta[axis]} in the graph, and should be {expected}"


def _perturbation_faults(item: Item) -> Iterator[str]:
    answers = _several(item.answer)
    for place, what, question in changes(item):
        if question == item.question:
            yield f"{what} is not in the text"
        elif _several(solve_text(question))[place] == answers[place]:
            yield f"{what} does not matter"


def _note_faults(item: Item) -> Iterator[str]:
    notes: Sequence[dict[str, int]] = item.meta.get("notes", ())
    taken = numbers(item.problems)
    for note in notes:
        said = item.question[note["start"] : note["end"]]
        if note["about"] == note["at"]:
            yield "a note is on the sub-task that it stands in"
        if note["start"] == note["end"]:
            continue
        if not said.startswith("Note: ") or item.question[note["end"] : note["end"] + 1] not in ("\n", ""):
            yield f"no note where one should be: {said!r}"
        of_chain = isinstance(item.problems[note["about"] - 1], Problem)
        if note["wrong"] in taken or note["wrong"] not in (range(MODULUS) if of_chain else CODES):
            yield f"the wrong value {note['wrong']} is true, or stands elsewhere, or is out of range"


def _several(answer: str | tuple[str, ...]) -> tuple[str, ...]:
    return (answer,) if isinstance(answer, str) else answer
