r"""Training text for the desk solvers: prompts as the CoT sub-agent writes them, worked replies in one format.

Kinds of rows, all from the train split of MASBench: whole questions (the single agent's job), sub-goals with some
values given from upstream, problems of a set, and sinks that gather answers. Given values are wrong in a share of
the rows, and the reply follows them: a solver trusts what flows in. Two drills go with them, each a skill that
worked replies alone teach too slowly: arithmetic modulo 23, and recall of what the question says about a quantity.

A reply is a chain of one-hop copies: it quotes the question, goes down until values are stated or given, and
evaluates on the way back. Quotes are in the question's own words, since to say the same words again is what a model of
this size learns first::

    Mill's Lamp equals 3 more than each Farm's Drum. Farm's Drum equals 7. Mill's Lamp is 3 + 7 = 10.
    Answer: \boxed{10}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from masrepro.agents.agent import Input, Task
from masrepro.agents.cot import cot_messages
from masrepro.bench.item import Item
from masrepro.bench.masbench import names, text
from masrepro.bench.masbench.generate import make_item
from masrepro.bench.masbench.graph import MODULUS, Problem, Quantity
from masrepro.orchestration.plan import Agent

GATHER_ONE = "Give the final answer."
GATHER_ALL = "Give the final answers."

_WRONG_SHARE = 0.3
_DEPTHS = range(2, 13)
_PARALLELS = range(2, 9)


@dataclass(frozen=True, slots=True)
class Row:
    """One training example; ``operations`` is the number of arithmetic steps in the reply."""

    prompt: str
    reply: str
    kind: str
    operations: int


_FACTS = (
    "The number of each ",
    " equals ",
    " more than each ",
    " times as many as each ",
    " equals the sum of each ",
    " equals the difference of each ",
    " and each ",
    "What is the number of each ",
)
_PROMPTS = ("Problem ", "From a", " (", "): ", "the number of each ", "no answer", "Goal: ", "Find the number of each ")
_REPLIES = (" is ", " + ", " - ", " * ", " = ", "Answer: ", "Answer:", "\\boxed{", "}")
_SIGNS = (". ", ".", "? ", "?", ": ", "\n\n", "\n", " ")


def phrases() -> list[str]:
    """The vocabulary: each is one token of a desk model."""
    whole = (text.RULES, text.ONE_ANSWER, text.ALL_ANSWERS, "Solve Problem ", GATHER_ONE, GATHER_ALL)
    numbers = (str(number) for number in range(100))
    return [*numbers, *names.all_names(), *_FACTS, *whole, *_PROMPTS, *_REPLIES, *_SIGNS]


def worked_reply(problems: Sequence[Problem], given: Mapping[str, int] | None = None) -> tuple[str, int]:
    """The reply to a whole question, and its number of arithmetic steps.

    Parameters
    ----------
    problems : sequence of Problem
        One, or several of a set.
    given : mapping, optional
        Values that upstream agents passed on, by name of the quantity; taken as they are.
    """
    given = given or {}
    if len(problems) == 1:
        steps, value, operations = _work(problems[0], problems[0].query, given)
        return _reply(steps, value), operations
    lines, boxes, total = [], [], 0
    for number, problem in enumerate(problems, start=1):
        name = problem.quantities[problem.query].name
        if name in given:
            value = given[name]
        else:
            steps, value, operations = _work(problem, problem.query, given)
            lines.append(f"Problem {number}: {steps}\n")
            total += operations
        boxes.append(f"Problem {number}: \\boxed{{{value}}}")
    return "".join(lines) + "\n".join(["Answer:", *boxes]), total


def goal_reply(problem: Problem, target: int, given: Mapping[str, int]) -> tuple[str, int]:
    """The reply to the goal of finding one quantity, and its number of arithmetic steps."""
    steps, value, operations = _work(problem, target, given)
    return _reply(steps, value), operations


def draw_item(rng: Random, largest: int = 12) -> Item:
    """An item of the train split: Depth to ``largest``, Parallel to two thirds of it."""
    axis, values = rng.choice((("depth", _DEPTHS), ("depth", _DEPTHS), ("parallel", _PARALLELS)))
    within = [value for value in values if value <= largest * (1 if axis == "depth" else 2 / 3)]
    return make_item(axis, rng.choice(within), "train", rng.randrange(10**9))


def draw_rows(rng: Random, item: Item) -> list[Row]:
    """Rows about one item: the whole question, and one with a goal or a gathering."""
    axis = "depth" if len(item.problems) == 1 else "parallel"
    makers = [_sub_goal, _sub_goal, _gather] if axis == "depth" else [_sub_goal, _one_of_a_set, _gather]
    reply, operations = worked_reply(item.problems)
    whole = Row(_prompt(item, "", ()), reply, "whole", operations)
    return [whole, rng.choice(makers)(item, rng)]


def recall(item: Item, rng: Random) -> tuple[str, list[tuple[str, str]]]:
    """The question, and for every quantity, in random order, its name and what the question says of it."""
    said = [
        (quantity.name, _quote(problem, quantity).removeprefix(quantity.name))
        for problem in item.problems
        for quantity in problem.quantities
    ]
    return item.question, rng.sample(said, len(said))


def drill(rng: Random, n_facts: int) -> list[tuple[str, str]]:
    """Arithmetic facts as (text up to the equals sign, result), in the words of a worked reply."""
    facts = []
    for _ in range(n_facts):
        a, b, operator = rng.randrange(MODULUS), rng.randrange(MODULUS), rng.choice("+-*")
        facts.append((f" {operator} ".join((str(a), str(b))) + " = ", str(_apply(operator, a, b))))
    return facts


def _sub_goal(item: Item, rng: Random) -> Row:
    """Find any quantity of the question; its derived parents, or some of its ancestors, or nothing is given."""
    problem = rng.choice(item.problems)
    derived = [i for i, q in enumerate(problem.quantities) if q.form != "constant"]
    target = rng.choice(derived if rng.random() < 0.9 else range(len(problem.quantities)))
    below = sorted(Problem(problem.quantities, target).cone - {target})
    derived_parents = [p for p in problem.quantities[target].parents if problem.quantities[p].form != "constant"]
    match rng.choices(("parents", "some", "none"), (5, 3, 2))[0]:
        case "parents":
            chosen = derived_parents
        case "some":
            chosen = [i for i in below if rng.random() < 0.4]
        case _:
            chosen = []
    if rng.random() < 0.15:
        chosen = [
            *chosen,
            *(i for i in range(len(problem.quantities)) if i not in {target, *chosen} and rng.random() < 0.15),
        ]
    given = {problem.quantities[i].name: _passed_on(rng, problem.values[i]) for i in chosen}
    goal = f"Find the number of each {problem.quantities[target].name}."
    if target == problem.query and len(item.problems) == 1 and rng.random() < 0.3:
        goal = rng.choice(("", GATHER_ONE))
    reply, operations = goal_reply(problem, target, given)
    inputs = _inputs(rng, [(f"the number of each {name}", value) for name, value in given.items()])
    return Row(_prompt(item, goal, inputs), reply, "goal", operations)


def _one_of_a_set(item: Item, rng: Random) -> Row:
    """Solve one problem of a set, named by its number."""
    number = rng.randrange(len(item.problems))
    reply, operations = goal_reply(item.problems[number], item.problems[number].query, {})
    return Row(_prompt(item, f"Solve Problem {number + 1}.", ()), reply, "goal", operations)


def _gather(item: Item, rng: Random) -> Row:
    """Put final answers together; now and then one did not arrive and is worked out here."""
    arrived = [rng.random() < 0.93 for _ in item.problems]
    passed = [_passed_on(rng, p.answer) if ok else None for p, ok in zip(item.problems, arrived, strict=True)]
    names_asked = [p.quantities[p.query].name for p in item.problems]
    given = {name: value for name, value in zip(names_asked, passed, strict=True) if value is not None}
    several = len(item.problems) > 1
    by_number = several and rng.random() < 0.8
    entries = [
        (f"Problem {k}" if by_number else f"the number of each {name}", value)
        for k, (name, value) in enumerate(zip(names_asked, passed, strict=True), start=1)
        if value is not None or rng.random() < 0.5
    ]
    if several:
        reply, operations = worked_reply(item.problems, given)
        goal = rng.choice((GATHER_ALL, GATHER_ALL, ""))
    elif given:
        reply, operations = _reply("", next(iter(given.values()))), 0
        goal = rng.choice((GATHER_ONE, GATHER_ONE, ""))
    else:
        reply, operations = worked_reply(item.problems)
        goal = GATHER_ONE
    return Row(_prompt(item, goal, _inputs(rng, entries)), reply, "gather", operations)


def _prompt(item: Item, goal: str, inputs: Sequence[Input]) -> str:
    task = Task(item.question, Agent(id="a", role="", goal=goal), tuple(inputs))
    return next(message.content for message in cot_messages(task) if message.role == "user")


def _inputs(rng: Random, entries: Sequence[tuple[str, int | None]]) -> list[Input]:
    """Inputs from agents a1, a2, ... with some numbers left out, mostly in order."""
    numbers = sorted(rng.sample(range(1, max(13, len(entries) + 4)), len(entries)))
    if rng.random() < 0.5:
        numbers = list(range(1, len(entries) + 1))
    pairs = list(zip(numbers, entries, strict=True))
    if rng.random() < 0.2:
        rng.shuffle(pairs)
    return [
        Input(source=f"a{number}", payload=payload, answer=None if value is None else str(value), rationale="")
        for number, (payload, value) in pairs
    ]


def _passed_on(rng: Random, value: int) -> int:
    return rng.randrange(MODULUS) if rng.random() < _WRONG_SHARE else value


def _work(problem: Problem, target: int, given: Mapping[str, int]) -> tuple[str, int, int]:
    """Steps that find ``target``, its value under what was given, and the number of arithmetic steps."""
    steps: list[str] = []
    known: dict[int, int] = {}
    operations = 0

    def expand(index: int) -> None:
        nonlocal operations
        quantity = problem.quantities[index]
        if quantity.name in given:
            known[index] = given[quantity.name]
            steps.append(f"{quantity.name} equals {known[index]}.")
            return
        steps.append(_quote(problem, quantity))
        if quantity.form == "constant":
            known[index] = quantity.constant
            return
        for parent in quantity.parents:
            if parent not in known:
                expand(parent)
        values = [known[parent] for parent in quantity.parents]
        known[index] = quantity.value(values)
        steps.append(f"{quantity.name} is {_calculation(quantity, values)} = {known[index]}.")
        operations += 1

    expand(target)
    return " ".join(steps), known[target], operations


def _quote(problem: Problem, quantity: Quantity) -> str:
    """The question's sentence about a quantity, from its name on."""
    sentence = text.fact(quantity, [problem.quantities[parent].name for parent in quantity.parents])
    return sentence.removeprefix("The number of each ")


def _calculation(quantity: Quantity, operands: Sequence[int]) -> str:
    match quantity.form:
        case "more":
            return f"{quantity.constant} + {operands[0]}"
        case "times":
            return f"{quantity.constant} * {operands[0]}"
        case "sum":
            return f"{operands[0]} + {operands[1]}"
        case "difference":
            return f"{operands[0]} - {operands[1]}"
    raise ValueError(f"a {quantity.form} is stated, not calculated")


def _reply(steps: str, value: int) -> str:
    return (f"{steps}\n" if steps else "") + f"Answer: \\boxed{{{value}}}"


def _apply(operator: str, a: int, b: int) -> int:
    return {"+": a + b, "-": a - b, "*": a * b}[operator] % MODULUS
