"""Training rows for the desk solvers: prompts as the CoT sub-agent writes them, worked replies in one format.

Kinds of rows, all from the train split of MASBench's five axes: whole questions (the single agent's job) up to the
largest value, sub-goals with some values given from upstream, single problems of a set, and sinks that gather answers.
Given values are wrong in a share of the rows, and the reply follows them: a solver trusts what flows in. Robustness
comes without its attack: notes say nothing, or speak of something else, so that whom to believe is never taught.

Two drills go with them, each a skill that worked replies alone teach too slowly: arithmetic modulo 23, and recall of
what the question says about a quantity or asks in a problem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from masrepro.agents.agent import Input, Task
from masrepro.agents.cot import cot_messages
from masrepro.bench.item import Item
from masrepro.bench.masbench import needle
from masrepro.bench.masbench.cell import Cell
from masrepro.bench.masbench.generate import make
from masrepro.bench.masbench.graph import MODULUS, Problem, SubTask
from masrepro.bench.masbench.names import all_names
from masrepro.bench.masbench.needle import Needle
from masrepro.orchestration.plan import Agent
from masrepro.train.desk_replies import (
    NESTED,
    NUMBERED,
    Reply,
    code_reply,
    copied_reply,
    number_reply,
    quantity_reply,
    whole_reply,
)
from masrepro.train.desk_words import GATHER_ALL, GATHER_ONE
from masrepro.train.desk_work import Given, quote

_AXES = {"depth": 4, "breadth": 3, "parallel": 3, "horizon": 3, "robustness": 2}
"""How often an item is of each axis."""
_WRONG_SHARE = 0.3
_FIXED_SHARE = 0.1
_INTERLEAVED_SHARE = 0.1
_NEUTRAL_NOTE = re.compile(r"Note: [^.]+ is asked for\.")


@dataclass(frozen=True, slots=True)
class Row:
    """One training example; ``operations`` is the number of arithmetic steps in the reply."""

    prompt: str
    reply: str
    kind: str
    operations: int


def draw_item(rng: Random, largest: int = 12, axis: str = "") -> Item:
    """An item of the train split, of any axis or of one, with axis values up to ``largest``.

    Small values are likelier on the axes where the question grows with the value, so that each value gets about as many
    tokens. Now and then the length is held fixed, or the problems are interleaved.
    """
    axis = axis or rng.choices(list(_AXES), list(_AXES.values()))[0]
    values = range(2, largest + 1)
    weights = [1.0 if axis in ("depth", "breadth") else 1 / value for value in values]
    cell = Cell(
        axis,
        rng.choices(values, weights)[0],
        fixed=largest == 12 and rng.random() < _FIXED_SHARE,
        interleaved=axis == "parallel" and rng.random() < _INTERLEAVED_SHARE,
        notes=rng.choice(("clean", "neutral", "neutral")) if axis == "robustness" else "attacked",
    )
    item = make(cell, "train", rng.randrange(10**9))
    return _with_foreign_notes(item, rng) if cell.notes == "neutral" and rng.random() < 0.5 else item


def draw_rows(rng: Random, item: Item, notation: str = NESTED) -> list[Row]:
    """Rows about one item: the whole question, and one with a goal or a gathering."""
    makers = (_sub_goal, _sub_goal, _gather) if len(item.problems) == 1 else (_sub_goal, _one_of_a_set, _gather)
    whole = _row(item, "", (), whole_reply(item.problems, notation=notation), "whole")
    return [whole, rng.choice(makers)(item, rng, notation)]


def draw_sum(rng: Random, largest: int = 12, notation: str = NESTED) -> Row:
    """A row whose goal is the quantity that reads most others: a long sum."""
    item = draw_item(rng, largest, "breadth")
    (problem,) = item.problems
    widest = max(range(len(problem.quantities)), key=lambda i: len(problem.quantities[i].parents))
    return _quantity(item, rng, 1, widest, notation)


def recall(
    item: Item, rng: Random, notation: str = NESTED, asked_share: float = 0.0
) -> tuple[str, list[tuple[str, str]]]:
    """The question, and in random order what it says of every quantity and code and asks in every problem, halved.

    Where lines are numbered, so are these quotes, and what they read. Where there are several problems, a share of
    ``asked_share`` of the rows only says what each of them asks.
    """
    said: list[tuple[str, str]] = []
    n_lines = 0
    facts = [(number, place) for number, task in enumerate(item.problems, start=1) for place in _facts(task)]
    # A recipe without that share draws what it has always drawn.
    if asked_share and len(item.problems) > 1 and rng.random() < asked_share:
        facts = [(number, None) for number in range(1, len(item.problems) + 1)]
    for number, place in rng.sample(facts, len(facts)):
        task = item.problems[number - 1]
        if isinstance(task, Needle):
            key = f"The code of the {task.key}"
            said.append((f"Problem {number}: ", key) if place is None else (key, f" is {task.code}."))
            continue
        assert isinstance(task, Problem)
        if place is None:
            if len(item.problems) > 1:
                said.append((f"Problem {number}: ", task.quantities[task.query].name))
            continue
        n_lines += 1
        line = f"[{n_lines}] " if notation == NUMBERED else ""
        quantity = task.quantities[place]
        words = quote(task, quantity, number - 1, n_lines + 1 if line else None)
        said.append((f"{line}{quantity.name}", words.removeprefix(quantity.name)))
        n_lines += len(quantity.parents)
    return item.question, said


def _facts(task: SubTask) -> list[int | None]:
    """Places of what a sub-task states, and None for what it asks."""
    return [*range(len(task.quantities) if isinstance(task, Problem) else 1), None]


def drill(rng: Random, n_facts: int) -> list[tuple[str, str]]:
    """Arithmetic facts as (text up to the equals sign, result), in the words of a worked reply."""
    facts = []
    for _ in range(n_facts):
        a, b, operator = rng.randrange(MODULUS), rng.randrange(MODULUS), rng.choice("+-*")
        result = {"+": a + b, "-": a - b, "*": a * b}[operator] % MODULUS
        facts.append((f"{a} {operator} {b} = ", str(result)))
    return facts


def passed_on(rng: Random, value: int) -> int:
    """The true value, or often enough a wrong one of its kind."""
    if rng.random() >= _WRONG_SHARE:
        return value
    return rng.randrange(MODULUS) if value < MODULUS else rng.choice(needle.CODES)


def _sub_goal(item: Item, rng: Random, notation: str) -> Row:
    """Find any quantity of the question; its computed parents, or some of its ancestors, or nothing is given."""
    number = rng.randrange(len(item.problems)) + 1
    task = item.problems[number - 1]
    if isinstance(task, Needle):
        return _row(item, f"Find {task.asked}.", (), code_reply(task), "goal")
    computed = [i for i, q in enumerate(task.quantities) if q.parents]
    target = rng.choice(computed if rng.random() < 0.9 else range(len(task.quantities)))
    return _quantity(item, rng, number, target, notation)


def _quantity(item: Item, rng: Random, number: int, target: int, notation: str) -> Row:
    """Find that quantity of sub-task ``number``, with what upstream agents may have passed on."""
    task = item.problems[number - 1]
    assert isinstance(task, Problem)
    chosen = _known_before(rng, task, target)
    before = _answer_before(rng, item, number) if _carried_from(task, target) else {}
    given = Given({task.quantities[i].name: passed_on(rng, task.values[i]) for i in chosen}, before)
    goal = f"Find the number of each {task.quantities[target].name}."
    if target == task.query and len(item.problems) == 1 and rng.random() < 0.3:
        goal = rng.choice(("", GATHER_ONE))
    reply = quantity_reply(item.problems, number, target, given, notation=notation)
    return _row(item, goal, _entries(given), reply, "goal", rng)


def _known_before(rng: Random, problem: Problem, target: int) -> list[int]:
    """Which quantities upstream agents have found, from nothing to everything that the target reads."""
    parents = problem.quantities[target].parents
    below = sorted(Problem(problem.quantities, target).cone - {target})
    match rng.choices(("parents", "some", "none"), (5, 3, 2))[0]:
        case "parents":
            chosen = [p for p in dict.fromkeys(parents) if problem.quantities[p].parents]
        case "some":
            chosen = [i for i in below if rng.random() < 0.4]
        case _:
            chosen = []
    if rng.random() < 0.15:
        others = set(range(len(problem.quantities))) - {target, *chosen}
        chosen += [i for i in sorted(others) if rng.random() < 0.15]
    return chosen


def _carried_from(problem: Problem, target: int) -> bool:
    return any(problem.quantities[i].form == "carried" for i in Problem(problem.quantities, target).cone)


def _answer_before(rng: Random, item: Item, number: int) -> dict[int, int]:
    """The answer that a problem of a chain starts from; seldom it did not arrive."""
    return {number - 1: passed_on(rng, item.problems[number - 2].answer)} if rng.random() < 0.85 else {}


def _one_of_a_set(item: Item, rng: Random, notation: str) -> Row:
    """Solve one sub-task of a set, named by its number."""
    number = rng.randrange(len(item.problems)) + 1
    task = item.problems[number - 1]
    before = _answer_before(rng, item, number) if isinstance(task, Problem) and task.carries else {}
    given = Given(answers=before)
    reply = number_reply(item.problems, number, given, notation=notation)
    return _row(item, f"Solve Problem {number}.", _entries(given), reply, "goal", rng)


def _gather(item: Item, rng: Random, notation: str) -> Row:
    """Put final answers together; now and then one did not arrive and is worked out here."""
    arrived = {
        number: passed_on(rng, task.answer) for number, task in enumerate(item.problems, start=1) if rng.random() < 0.93
    }
    several = len(item.problems) > 1
    by_number = several and rng.random() < 0.8
    entries = [
        (f"Problem {number}" if by_number else task.asked, arrived.get(number))
        for number, task in enumerate(item.problems, start=1)
        if number in arrived or rng.random() < 0.5
    ]
    if not several and arrived:
        entries = [("" if rng.random() < 0.2 else payload, value) for payload, value in entries]
        return _row(item, rng.choice((GATHER_ONE, "")), entries, copied_reply(arrived[1]), "gather", rng)
    goal = rng.choice((GATHER_ALL, GATHER_ALL, "")) if several else GATHER_ONE
    reply = whole_reply(item.problems, Given(answers=arrived), notation=notation)
    return _row(item, goal, entries, reply, "gather", rng)


def _entries(given: Given) -> list[tuple[str, int | None]]:
    """What was given, each with the words in which a flow names it."""
    return [
        *((f"Problem {number}", value) for number, value in given.answers.items()),
        *((f"the number of each {name}", value) for name, value in given.values.items()),
    ]


def _row(
    item: Item,
    goal: str,
    entries: Sequence[tuple[str, int | None]],
    reply: Reply,
    kind: str,
    rng: Random | None = None,
) -> Row:
    inputs = _inputs(rng, entries) if rng and entries else ()
    task = Task(item.question, Agent(id="a", role="", goal=goal), tuple(inputs))
    prompt = next(message.content for message in cot_messages(task) if message.role == "user")
    return Row(prompt, reply.text, kind, reply.operations)


def _inputs(rng: Random, entries: Sequence[tuple[str, int | None]]) -> list[Input]:
    """Inputs from agents a1, a2, ... with some numbers left out, mostly in order."""
    numbers = sorted(rng.sample(range(1, max(13, len(entries) + 4)), len(entries)))
    if rng.random() < 0.5:
        numbers = list(range(1, len(entries) + 1))
    pairs = list(zip(numbers, entries, strict=True))
    if rng.random() < 0.2:
        rng.shuffle(pairs)
    return [
        Input(source=f"a{number}", payload=payload, answer=None if value is None else str(value))
        for number, (payload, value) in pairs
    ]


def _with_foreign_notes(item: Item, rng: Random) -> Item:
    """Notes that give values of what is nowhere else in the item, so that they are neither true nor false."""
    numbers = iter(rng.sample([name for name in all_names() if name not in item.question], 12))
    keys = iter(rng.sample([key for key in _keys() if key not in item.question], 12))

    def note(_: re.Match[str]) -> str:
        if rng.random() < 0.5:
            return f"Note: the number of each {next(numbers)} is {rng.randrange(MODULUS)}."
        return f"Note: the code of the {next(keys)} is {rng.choice(needle.CODES)}."

    return replace(item, question=_NEUTRAL_NOTE.sub(note, item.question))


def _keys() -> list[str]:
    return [f"{adjective} {noun}" for adjective in needle.ADJECTIVES for noun in needle.NOUNS]
