"""Training rows for the desk sequencer: conversations in which a valid system of random shape is built turn by turn.

The systems are those of `desk_plans`, so that what is asked next, and when it ends, has nothing to do with what would
be good. What comes back is true, wrong or missing, at random: the sequencer learns the language of turns, and nothing
of whom to believe. What it makes of the answers is left for reinforcement learning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from masrepro.agents.agent import Input
from masrepro.agents.cot import entry
from masrepro.bench.item import Item
from masrepro.bench.masbench.graph import Problem
from masrepro.bench.masbench.needle import Needle
from masrepro.orchestration.briefing import request
from masrepro.orchestration.calls import agent_call, flow_call
from masrepro.orchestration.plan import Agent, Flow, Orchestration
from masrepro.orchestration.turns import turns_of
from masrepro.train.desk_corpus import draw_item, passed_on
from masrepro.train.desk_plans import LARGEST, PLAIN, draw_degree, draw_plan

_SILENT_SHARE = 0.03
_ASKED_SHARE = 0.7
_MOST_NAMED = 32


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation: what it begins with, the sequencer's turns, and what it hears after each of them but the last."""

    prompt: str
    turns: tuple[str, ...]
    heard: tuple[str, ...]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """What stands before each turn, and the turn."""
        before = ["<assistant>", *(f"<user>{told}<assistant>" for told in self.heard)]
        return [(told, f"{turn}<end>") for told, turn in zip(before, self.turns, strict=True)]

    def until(self, n_turns: int) -> str:
        """All up to a turn, as a model's prompt; see `masrepro.train.desk_corpus.Row`."""
        begun = "".join(told + turn for told, turn in self.pairs[:n_turns])
        return f"{self.prompt}{begun}{self.pairs[n_turns][0].removesuffix('<assistant>')}"


def draw_talk(rng: Random, *, largest: int = 12, least: int = 1) -> Talk:
    """A question, and a conversation about it; arguments as for `masrepro.train.desk_plans.plan_row`."""
    item, dom = draw_item(rng, largest), draw_degree(rng)
    plan = _in_order(rng, draw_plan(rng, item, dom, least))
    answers = true_answers(item)
    heard = tuple(_heard(rng, agent, answers) for agent in plan.agents)
    return Talk(request(item.question, dom, PLAIN), tuple(turns_of(plan, [agent.id for agent in plan.agents])), heard)


def naming_talk(rng: Random, item: Item) -> tuple[str, list[tuple[str, str]]]:
    """The question, and turns that ask for a quantity, then for one that reads it, and so on, cut in halves.

    In each pair the first half is what stands before the name, the answers heard included, and the second the name. To
    find the question's names while it writes is what a sequencer learns last.
    """
    answers = true_answers(item)
    goals: list[str] = []
    while len(goals) < _MOST_NAMED:
        task = rng.choice(item.problems)
        goals += [f"Find {task.asked}."] if isinstance(task, Needle) else _upwards(rng, task)
    pairs, before = [], ""
    for place, goal in enumerate(goals[:_MOST_NAMED]):
        number = place % LARGEST + 1
        agent = Agent(f"a{number}", "solver", goal)
        start, name, end = _halved(agent)
        pairs.append((f"{before}<assistant>{start}", name))
        if number > 1 and rng.random() < 0.5:
            read = goals[place - 1].removeprefix("Find ").removesuffix(".")
            end += f"\n{flow_call(Flow(f'a{number - 1}', agent.id, read))}"
        before = f"{end}<end><user>{_heard(rng, agent, answers)}"
    return item.question, pairs


def _halved(agent: Agent) -> tuple[str, str, str]:
    """The call that creates it: what comes before the name in its goal, the name, and the rest."""
    name = agent.goal.removesuffix(".")
    for what in ("Find the number of each ", "Find the code of the "):
        name = name.removeprefix(what)
    start, _, end = agent_call(agent).partition(name)
    return start, name, end


def _upwards(rng: Random, problem: Problem) -> list[str]:
    """Goals from a quantity that is stated up to what is asked, or to any other."""
    at = problem.query if rng.random() < _ASKED_SHARE else rng.randrange(len(problem.quantities))
    path = [at]
    while problem.quantities[at].parents:
        at = rng.choice(problem.quantities[at].parents)
        path.append(at)
    return [f"Find the number of each {problem.quantities[index].name}." for index in reversed(path)]


def _in_order(rng: Random, plan: Orchestration) -> Orchestration:
    """The system with its agents in an order in which they can act, and numbered in that order.

    Of those that could act next it is always the one that was written first, or always the last.
    """
    takes = rng.choice((0, -1))
    order: list[Agent] = []
    left = list(plan.agents)
    while left:
        there = {agent.id for agent in order}
        ready = [agent for agent in left if {flow.source for flow in plan.inputs(agent.id)} <= there]
        order.append(ready[takes])
        left.remove(ready[takes])
    ids = {agent.id: f"a{number}" for number, agent in enumerate(order, start=1)}
    flows = sorted((Flow(ids[f.source], ids[f.target], f.payload) for f in plan.flows), key=lambda f: int(f.source[1:]))
    return Orchestration(tuple(replace(agent, id=ids[agent.id]) for agent in order), tuple(flows), plan.answer)


def draw_answer(rng: Random, agent: Agent, answers: Mapping[str, tuple[int, ...]]) -> str | None:
    """What an agent answers, true or not; None for nothing. ``answers`` are the true ones, see `true_answers`."""
    if rng.random() < _SILENT_SHARE:
        return None
    values = [passed_on(rng, value) for value in answers.get(agent.goal, answers[""])]
    if len(values) == 1:
        return f"{values[0]}"
    return "\n".join(f"Problem {number}: \\boxed{{{value}}}" for number, value in enumerate(values, start=1))


def _heard(rng: Random, agent: Agent, answers: Mapping[str, tuple[int, ...]]) -> str:
    """Its answer in the words in which it comes back."""
    return entry(Input(agent.id, "", draw_answer(rng, agent, answers)))


def true_answers(item: Item) -> dict[str, tuple[int, ...]]:
    """The true answers by goal; those of the whole question under no goal."""
    found: dict[str, tuple[int, ...]] = {"": tuple(task.answer for task in item.problems)}
    for number, task in enumerate(item.problems, start=1):
        found[f"Solve Problem {number}."] = (task.answer,)
        if isinstance(task, Problem):
            for quantity, value in zip(task.quantities, task.values, strict=True):
                found[f"Find the number of each {quantity.name}."] = (value,)
        else:
            found[f"Find {task.asked}."] = (task.answer,)
    return found
