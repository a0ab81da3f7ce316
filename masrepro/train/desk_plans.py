"""Training rows for the desk orchestrator: valid systems of random shape, size and goals, in the ``calls`` notation.

What is drawn depends on the question's words alone, never on which design would be good for it: how many agents there
are has nothing to do with the axis or its value. Most systems are therefore poor, and some work by luck. Which do is
left for reinforcement learning to find out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from masrepro.bench.item import Item
from masrepro.bench.masbench.graph import MODULUS, Problem
from masrepro.bench.masbench.needle import Needle
from masrepro.orchestration.briefing import request
from masrepro.orchestration.calls import agent_call, flow_call
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.plan import Agent, Flow, Orchestration
from masrepro.train.desk_corpus import Row, draw_item
from masrepro.train.desk_replies import whole_reply
from masrepro.train.desk_words import GATHER_ALL, GATHER_ONE

T = TypeVar("T")

PLAIN = Catalogue(tuple(workflow for workflow in STANDARD.workflows if workflow.name == "cot"))
"""What the desk orchestrator may draw on."""

LARGEST = 10
"""Agents of a system, at most."""

_ASKED_SHARE = 0.5
_JOINED_SHARE = 0.3
_BY_NUMBER_SHARE = 0.6
_MOST_NAMED = 32
_SHAPES = ("star", "chain", "tree", "net")


@dataclass(frozen=True, slots=True)
class Subject:
    """What an agent is asked to find, and in which words its answer is handed on; ``what`` comes before a name."""

    goal: str
    payload: str
    what: str = ""


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
    item, dom = draw_item(rng, largest), draw_degree(rng)
    plan, thought = draw_plan(rng, item, dom, least), ""
    if solves_first:
        worked = whole_reply(item.problems).text
        thought = f"<think>\n{worked}\n</think>\n"
        if rng.random() < 0.3:
            plan = Orchestration(answer=worked.rpartition("Answer:")[2].strip())
    return Row(request(item.question, dom, PLAIN), thought + written(plan), "system", len(plan.agents))


def written(plan: Orchestration) -> str:
    """A system in calls: after each agent its flows from and to those that are there already."""
    if plan.answer is not None:
        return plan.to("calls")
    lines: list[str] = []
    there: set[str] = set()
    for agent in plan.agents:
        there.add(agent.id)
        joined = [
            flow
            for flow in plan.flows
            if agent.id in (flow.source, flow.target) and there >= {flow.source, flow.target}
        ]
        lines += [agent_call(agent), *map(flow_call, joined)]
    return "\n".join(lines)


def naming(rng: Random, item: Item) -> tuple[str, list[tuple[str, str]]]:
    """The question, and agents that are each to find what the last one reads, cut in halves.

    In each pair the first half is what is written up to the name, the second the name. To find the question's names
    while it writes calls is what an orchestrator learns last.
    """
    named: list[Subject] = []
    while len(named) < _MOST_NAMED:
        task = _outermost(rng, item.problems)
        named += [_code_of(task)] if isinstance(task, Needle) else _down_from(rng, item, task)
    pairs = []
    for place, subject in enumerate(named[:_MOST_NAMED]):
        number = place % LARGEST + 1
        match place:
            case 0:
                before = ""
            case 1:
                before = '.", workflow="cot")\n'
            case _:
                last = (place - 1) % LARGEST + 1
                flow = Flow(f"a{last}", f"a{rng.randint(1, max(1, last - 1))}", named[place - 1].payload)
                before = f'.", workflow="cot")\n{flow_call(flow)}\n'
        name = subject.payload.removeprefix(subject.what)
        pairs.append((f'{before}create_agent(id="a{number}", role="solver", goal="Find {subject.what}', name))
    return item.question, pairs


def _down_from(rng: Random, item: Item, problem: Problem) -> list[Subject]:
    """From where a walk starts to what that reads first, and so on."""
    at = _start(rng, item, problem)
    named = [_number_of(problem, at)]
    while problem.quantities[at].parents:
        at = problem.quantities[at].parents[0]
        named.append(_number_of(problem, at))
    return named


def draw_plan(rng: Random, item: Item, dom: DoM, least: int = 1) -> Orchestration:
    """A random valid system for a question, from its sink down: each agent is read by one that was there before.

    Where no agent is allowed it is a guess.
    """
    if not dom.allows(1):
        return Orchestration(answer=str(rng.randrange(MODULUS)))
    n_agents = _size(rng, dom, least)
    reads: list[tuple[int, int]] = []
    if len(item.problems) > 1 and rng.random() < _BY_NUMBER_SHARE:
        subjects = _numbers(rng, item, n_agents)
        subjects[0] = Subject(_final_goal(rng, item, subjects[0]), "")
    else:
        subjects, reads = _walk(rng, item, n_agents)
        sink = Subject(_final_goal(rng, item, subjects[0]), "")
        if sink.goal == subjects[0].goal:
            subjects[0] = sink
        else:  # what the walk starts from comes first, so that each name follows from one that is written already
            subjects = [sink, *subjects[:-1]]
            reads = [(i + 1, j + 1) for i, j in reads if max(i, j) < n_agents - 1]
    agents = tuple(Agent(f"a{number}", _role(own.goal), own.goal) for number, own in enumerate(subjects, start=1))
    joins = _joined(n_agents, reads) if reads and rng.random() < _JOINED_SHARE else _shape(rng, n_agents)
    as_written = sorted(joins, key=lambda pair: (max(pair), pair))
    flows = tuple(Flow(f"a{i + 1}", f"a{j + 1}", _payload(rng, subjects[i])) for i, j in as_written)
    return Orchestration(agents, flows)


def draw_degree(rng: Random) -> DoM:
    """A degree of MAS, mostly the highest."""
    return rng.choices((DoM.LOW, DoM.HIGH, DoM.at_most(rng.choice((0, 2, 3, 4, 5, 6, 7, 8)))), (1, 6, 3))[0]


def _size(rng: Random, dom: DoM, least: int) -> int:
    sizes = [size for size in range(1, LARGEST + 1) if dom.allows(size)]
    return rng.choice([size for size in sizes if size >= least] or sizes[-1:])


def _numbers(rng: Random, item: Item, count: int) -> list[Subject]:
    """One problem for the sink, then mostly all by their numbers; if too few, some once more, or quantities."""
    numbers = list(range(1, len(item.problems) + 1))
    if rng.random() < 0.3:
        numbers = sorted(rng.sample(numbers, rng.randint(1, len(numbers))))
    chosen = [rng.choice(numbers), *numbers][:count]
    if rng.random() < 0.5:
        chosen += rng.choices(numbers, k=count - len(chosen))
    found = [Subject(f"Solve Problem {k}.", f"Problem {k}") for k in chosen]
    return found + (_walk(rng, item, count - len(found))[0] if len(found) < count else [])


def _walk(rng: Random, item: Item, count: int) -> tuple[list[Subject], list[tuple[int, int]]]:
    """Quantities down the sentences of a problem, mostly from what it asks for, and then of another, or once more.

    With them the pairs of places of which the second reads the first.
    """
    found: list[Subject] = []
    reads: list[tuple[int, int]] = []
    while len(found) < count:
        task, start = _outermost(rng, item.problems), len(found)
        if isinstance(task, Needle):
            found.append(_code_of(task))
            continue
        order = _downwards(rng, item, task, count - start)
        found += [_number_of(task, index) for index in order]
        reads += [
            (start + order.index(parent), start + place)
            for place, index in enumerate(order)
            for parent in dict.fromkeys(task.quantities[index].parents)
            if parent in order
        ]
    return found, reads


def _downwards(rng: Random, item: Item, problem: Problem, most: int) -> list[int]:
    """Quantities of a problem, each read by one before it, until there are no more."""
    order = [_start(rng, item, problem)]
    while len(order) < most:
        ahead = [p for i in reversed(order) for p in problem.quantities[i].parents if p not in order]
        if not ahead:
            break
        order.append(ahead[0] if rng.random() < 0.7 else ahead[-1])
    return order


def _start(rng: Random, item: Item, problem: Problem) -> int:
    """What is asked for, mostly, or what the first or the last sentence is about.

    A model of this size points at few places well. Any of many it mixes up with what the question does not name.
    """
    if rng.random() < _ASKED_SHARE:
        return problem.query
    stated = {
        place: index
        for index, quantity in enumerate(problem.quantities)
        if (place := item.question.find(f"number of each {quantity.name} equals")) >= 0
    }
    return stated[rng.choice((min(stated), max(stated)))] if stated else problem.query


def _outermost(rng: Random, tasks: Sequence[T]) -> T:
    return rng.choice((tasks[0], tasks[-1]))


def _number_of(problem: Problem, index: int) -> Subject:
    what = "the number of each "
    return Subject(f"Find {what}{problem.quantities[index].name}.", f"{what}{problem.quantities[index].name}", what)


def _code_of(needle: Needle) -> Subject:
    what = "the code of the "
    return Subject(f"Find {what}{needle.key}.", f"{what}{needle.key}", what)


def _final_goal(rng: Random, item: Item, drawn: Subject) -> str:
    gather = GATHER_ALL if len(item.problems) > 1 else GATHER_ONE
    return rng.choices((gather, "", drawn.goal), (55, 20, 25))[0]


def _role(goal: str) -> str:
    return "gatherer" if goal in (GATHER_ONE, GATHER_ALL) else "solver"


def _payload(rng: Random, source: Subject) -> str:
    return source.payload if rng.random() < 0.9 else ""


def _shape(rng: Random, n_agents: int) -> set[tuple[int, int]]:
    """Pairs of places (source, target): everyone hands on to someone before it, so that all leads to the first.

    In a net some hand on to the first as well. Any second target would have to be remembered to be another one: of the
    rules that a small model breaks, that was the commonest by far.
    """
    shape = rng.choice(_SHAPES)
    joins = set()
    for place in range(1, n_agents):
        match shape:
            case "star":
                targets = [0]
            case "chain":
                targets = [place - 1]
            case "tree":
                targets = [rng.randrange(place)]
            case _:
                targets = [rng.randrange(place), *rng.choice(((), (), (0,)))]
        joins |= {(place, target) for target in targets}
    return joins


def _joined(n_agents: int, reads: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
    """A flow to the first that reads it, as the text gives it; whoever is read by nobody hands on to the first."""
    reader = {source: min(target for at, target in reads if at == source) for source, _ in reads}
    return {(place, reader.get(place, 0)) for place in range(1, n_agents)}
