"""Training rows for the desk orchestrator: valid systems of random shape, size and goals, in the ``calls`` notation.

What is drawn depends on the question's words alone, never on which design would be good for it: how many agents there
are has nothing to do with the axis or its value. Most systems are therefore poor, and some work by luck. Which do is
left for reinforcement learning to find out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from masrepro.bench.item import Item
from masrepro.bench.masbench.graph import Problem
from masrepro.orchestration.briefing import request
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.plan import Agent, Flow, Orchestration
from masrepro.train.desk_corpus import Row, draw_item
from masrepro.train.desk_replies import whole_reply
from masrepro.train.desk_words import GATHER_ALL, GATHER_ONE

PLAIN = Catalogue(tuple(workflow for workflow in STANDARD.workflows if workflow.name == "cot"))
"""What the desk orchestrator may draw on."""

LARGEST = 10
"""Agents of a system, at most."""

_STATED = re.compile(r"The number of each ([^.]+?) equals|The code of the (\w+ \w+) is")
_MOST_NAMED = 32
_SHAPES = ("star", "chain", "tree", "net")


@dataclass(frozen=True, slots=True)
class Subject:
    """What an agent is asked to find, and in which words its answer is handed on."""

    goal: str
    payload: str


def plan_row(rng: Random, *, largest: int = 12, least: int = 1, solves_first: bool = False) -> Row:
    """A question, and a system for it.

    Parameters
    ----------
    rng : random.Random
    largest : int
        The largest axis value of the question.
    least : int
        The fewest agents, where the degree of MAS allows them.
    solves_first : bool
        The question is worked out before the system is written, between thinking marks, as a reasoning model would;
        now and then the answer is then given directly.
    """
    item, dom = draw_item(rng, largest), _degree(rng)
    plan, thought = draw_plan(rng, item, dom, least), ""
    if solves_first:
        worked = whole_reply(item.problems).text
        thought = f"<think>\n{worked}\n</think>\n"
        if rng.random() < 0.3:
            plan = Orchestration(answer=worked.rpartition("Answer:")[2].strip())
    return Row(request(item.question, dom, PLAIN), thought + plan.to("calls"), "system", len(plan.agents))


def naming(rng: Random, item: Item) -> tuple[str, list[tuple[str, str]]]:
    """The question, and agents that are each to find what it says next, or down from what it asks, cut in halves.

    In each pair the first half is a call up to the name, the second the name. To find the question's names while it
    writes calls is what an orchestrator learns last.
    """
    problems = [task for task in item.problems if isinstance(task, Problem)]
    stated = [(number or code, bool(code)) for number, code in _STATED.findall(item.question)]
    named: list[tuple[str, bool]] = []
    while len(named) < _MOST_NAMED:
        if problems and rng.random() < 0.4:
            named += _down_from(rng, rng.choice(problems))
        else:
            named += stated[rng.randrange(len(stated)) :]
    pairs = []
    for place, (name, is_code) in enumerate(named[:_MOST_NAMED]):
        what = "code of the" if is_code else "number of each"
        before = '.", workflow="cot")\ncreate_agent(id="a' if place else 'create_agent(id="a'
        pairs.append((f'{before}{place % LARGEST + 1}", role="solver", goal="Find the {what} ', name))
    return item.question, pairs


def _down_from(rng: Random, problem: Problem) -> list[tuple[str, bool]]:
    """From any quantity to what it reads first, and so on."""
    at = rng.randrange(len(problem.quantities))
    named = [(problem.quantities[at].name, False)]
    while problem.quantities[at].parents:
        at = problem.quantities[at].parents[0]
        named.append((problem.quantities[at].name, False))
    return named


def draw_plan(rng: Random, item: Item, dom: DoM, least: int = 1) -> Orchestration:
    """A random valid system for a question. Its sink is the first agent or the last."""
    n_agents = _size(rng, dom, least)
    style = rng.choice(("numbers", "reading", "walk") if len(item.problems) > 1 else ("reading", "walk", "walk"))
    if style == "walk":
        subjects, reads = _walk(rng, item, n_agents)
        sink = 0
    else:
        subjects, reads = _numbers(rng, item, n_agents) if style == "numbers" else _reading(rng, item, n_agents), []
        sink = n_agents - 1
    subjects[sink] = Subject(_final_goal(rng, item, subjects[sink]), "")
    agents = tuple(Agent(f"a{number}", _role(own.goal), own.goal) for number, own in enumerate(subjects, start=1))
    joins = _joined(n_agents, reads) if reads and rng.random() < 0.5 else _shape(rng, n_agents, sink)
    flows = tuple(Flow(f"a{i + 1}", f"a{j + 1}", _payload(rng, subjects[i])) for i, j in sorted(joins))
    return Orchestration(agents, flows)


def _degree(rng: Random) -> DoM:
    return rng.choices((DoM.LOW, DoM.HIGH, DoM.at_most(rng.randint(2, 8))), (1, 6, 3))[0]


def _size(rng: Random, dom: DoM, least: int) -> int:
    sizes = [size for size in range(1, LARGEST + 1) if dom.allows(size)]
    return rng.choice([size for size in sizes if size >= least] or sizes[-1:])


def _numbers(rng: Random, item: Item, count: int) -> list[Subject]:
    """Problems by their numbers, mostly from the first on; where there are not enough, what is read further on."""
    numbers = list(range(1, len(item.problems) + 1))
    if rng.random() < 0.3:
        numbers = sorted(rng.sample(numbers, rng.randint(1, len(numbers))))
    found = [Subject(f"Solve Problem {k}.", f"Problem {k}") for k in numbers][:count]
    return found + _reading(rng, item, count - len(found))


def _reading(rng: Random, item: Item, count: int) -> list[Subject]:
    """What the question states, in its order, from anywhere on, with some left out; then from the beginning again."""
    stated = [
        Subject(f"Find the code of the {code}.", f"the code of the {code}") if code else _number_of(name)
        for name, code in _STATED.findall(item.question)
    ]
    at = 0 if rng.random() < 0.5 else rng.randrange(len(stated))
    found: list[Subject] = []
    while len(found) < count:
        found.append(stated[at % len(stated)])
        at += 1 if rng.random() < 0.75 else 2
    return found


def _walk(rng: Random, item: Item, count: int) -> tuple[list[Subject], list[tuple[int, int]]]:
    """Quantities down the sentences of one problem, mostly from what it asks for; and which is read by which."""
    problem = rng.choice([task for task in item.problems if isinstance(task, Problem)])
    order = [problem.query if rng.random() < 0.7 else rng.randrange(len(problem.quantities))]
    while len(order) < count:
        ahead = [p for i in reversed(order) for p in problem.quantities[i].parents if p not in order]
        if not ahead:
            break
        order.append(ahead[0] if rng.random() < 0.7 else rng.choice(ahead))
    reads = [
        (order.index(parent), place)
        for place, index in enumerate(order)
        for parent in dict.fromkeys(problem.quantities[index].parents)
        if parent in order
    ]
    found = [_number_of(problem.quantities[index].name) for index in order]
    return found + _reading(rng, item, count - len(found)), reads


def _number_of(name: str) -> Subject:
    return Subject(f"Find the number of each {name}.", f"the number of each {name}")


def _final_goal(rng: Random, item: Item, drawn: Subject) -> str:
    gather = GATHER_ALL if len(item.problems) > 1 else GATHER_ONE
    return rng.choices((gather, "", drawn.goal), (55, 20, 25))[0]


def _role(goal: str) -> str:
    return "gatherer" if goal in (GATHER_ONE, GATHER_ALL) else "solver"


def _payload(rng: Random, source: Subject) -> str:
    return source.payload if rng.random() < 0.9 else ""


def _shape(rng: Random, n_agents: int, sink: int) -> set[tuple[int, int]]:
    """Pairs of places (source, target): everyone hands on to someone nearer to the sink, so that all leads to it."""
    shape = rng.choice(_SHAPES)
    joins = set()
    for place in set(range(n_agents)) - {sink}:
        nearer = range(place) if sink == 0 else range(place + 1, n_agents)
        match shape:
            case "star":
                targets = [sink]
            case "chain":
                targets = [place - 1 if sink == 0 else place + 1]
            case "tree":
                targets = [rng.choice(nearer)]
            case _:
                targets = [rng.choice(nearer) for _ in range(rng.choice((1, 1, 2)))]
        joins |= {(place, target) for target in targets}
    return joins


def _joined(n_agents: int, reads: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """The flows that the text gives; whoever is read by nobody hands on to the first."""
    read = {source for source, _ in reads}
    return {*reads, *((place, 0) for place in range(1, n_agents) if place not in read)}
