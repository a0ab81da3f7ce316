"""Training rows for the desk rectifier: runs of random staffed systems that have paused, and changes that can be made.

What has gone wrong is what goes wrong on the fault bench, in the same words. What is changed has little to do with it:
any agent, mostly one that has not finished, gets any other model, tool or goal. A rectifier learns the language; which
change helps is left for training on outcomes. It does learn to leave alone what is marked as down, most of the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Literal

from masrepro.agents.agent import Output
from masrepro.bench.item import Item
from masrepro.bench.masbench.graph import MODULUS
from masrepro.models.model import MalformedReply, Price, Unavailable, Usage
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.briefing import told
from masrepro.runtime.budget import Budget
from masrepro.runtime.change import Edit, changed
from masrepro.runtime.edits import write_change
from masrepro.runtime.failure import CheckFailed, Failure
from masrepro.runtime.state import Health, Repair, State
from masrepro.tools.faults import DOWN
from masrepro.tools.python import Python
from masrepro.tools.tool import ToolFailure
from masrepro.train.desk_corpus import Row, draw_item
from masrepro.train.desk_plans import written
from masrepro.train.desk_staffing import draw_backbones, draw_models, draw_team
from masrepro.train.desk_talks import draw_answer, true_answers
from masrepro.train.desk_words import COPY, ELSEWHERE, PAGE

TOOLS = (PAGE, COPY, Python.name)
"""What a run has whose question stands elsewhere."""

_Fault = Literal["back-end", "reply", "tool", "check", "budget"]
_FAULTS: Mapping[_Fault, int] = {"back-end": 35, "reply": 15, "tool": 20, "check": 15, "budget": 15}
_WRONG_TOOL = ToolFailure("bad_arguments", "the argument 'code' is missing")
_DOWN_AFTER = 2
_STAFFED_SHARE = 0.8
_BEFORE_SHARE = 0.3
_DOWN_WEIGHT = 0.1
"""How often what is down is chosen, over anything else."""


@dataclass(frozen=True, slots=True)
class Paused:
    """A run that has paused, and the item that it works on."""

    item: Item
    state: State

    @property
    def prompt(self) -> str:
        """What a rectifier is told."""
        return told(self.state)


def repair_row(rng: Random, *, largest: int = 12, least: int = 1) -> Row:
    """A run that has paused, and a change; arguments as for `masrepro.train.desk_plans.plan_row`."""
    paused = draw_paused(rng, largest=largest, least=least)
    state = paused.state
    kinds = ("edits", "nothing", "system")
    kind = rng.choices(kinds, (85, 5, 10) if state.question != ELSEWHERE else (95, 5, 0))[0]
    if kind == "system":
        plan = draw_team(rng, paused.item, least)
        return Row(paused.prompt, written(_staffed(rng, plan, state.models)), "repair", len(plan.agents))
    edits = _edits(rng, paused) if kind == "edits" else []
    return Row(paused.prompt, write_change(edits or None), "repair", len(edits))


def draw_paused(rng: Random, *, largest: int = 12, least: int = 1) -> Paused:
    """A random system with a part of its agents done, and one or two struck by a fault."""
    item, models = draw_item(rng, largest), draw_models(rng)
    fault = rng.choices(list(_FAULTS), list(_FAULTS.values()))[0]
    plan = _staffed(rng, draw_team(rng, item, least), models)
    done, struck = _progress(rng, plan)
    if fault == "tool":
        plan = _with_tools(rng, plan, struck)
    default = next(iter(models))
    answers = true_answers(item)
    said = {id: draw_answer(rng, plan.agent(id), answers) for id in (*done, *struck)}
    n_before = rng.choice((1, 1, 2)) if fault != "budget" and rng.random() < _BEFORE_SHARE else 0
    *earlier, failures = [
        _failures(rng, fault, plan, struck, said, default, n_calls=len(done) + attempt * len(struck))
        for attempt in range(n_before + 1)
    ]
    paid = done if fault in ("back-end", "tool") else [*done, *struck]
    n_lost = (n_before + 1) * len(struck) if fault == "back-end" else 0
    spent = _spent(rng, plan, paid, models, default, n_lost)
    if fault in ("check", "budget"):
        done += struck
    health = _health([*earlier, failures])
    state = State(
        question=ELSEWHERE if fault == "tool" else item.question,
        plan=plan,
        outputs={id: Output(said[id], "", "stop") for id in done},
        failures=failures,
        spent=spent,
        models=models,
        default=default,
        overspent=_overspent(rng, spent) if fault == "budget" else None,
        tools=TOOLS if fault == "tool" else (),
        down_models=health.down_models,
        down_tools=health.down_tools,
        repairs=tuple(_repair(rng, plan, models, failures) for failures in earlier),
    )
    return Paused(item, state)


def _staffed(rng: Random, plan: Orchestration, models: Mapping[str, Price | None]) -> Orchestration:
    """The system on random models, or without any, so that all run on the default."""
    if rng.random() >= _STAFFED_SHARE:
        return plan
    chosen = draw_backbones(rng, list(models), len(plan.agents))
    edits = [Edit(agent.id, backbone=name) for agent, name in zip(plan.agents, chosen, strict=True)]
    return changed(plan, edits)


def _progress(rng: Random, plan: Orchestration) -> tuple[list[str], list[str]]:
    """Ids of some agents that may have finished, in an order in which they can; and of one or two that come next."""
    done: list[str] = []
    for _ in range(rng.randrange(len(plan.agents))):
        done.append(rng.choice(_ready(plan, done)))
    ready = _ready(plan, done)
    return done, rng.sample(ready, min(len(ready), rng.choice((1, 1, 2))))


def _ready(plan: Orchestration, done: Sequence[str]) -> list[str]:
    """Ids of the agents that have all their inputs and have not finished."""
    return [id for id in plan.order if id not in done and all(flow.source in done for flow in plan.inputs(id))]


def _with_tools(rng: Random, plan: Orchestration, struck: Sequence[str]) -> Orchestration:
    """The system whose agents have to fetch the question; now and then those that fail have the wrong tool for it."""
    wrong = struck if rng.random() < 0.3 else ()
    tools = {agent.id: (Python.name if agent.id in wrong else PAGE,) for agent in plan.agents}
    return replace(plan, agents=tuple(replace(agent, tools=tools[agent.id]) for agent in plan.agents))


def _failures(
    rng: Random,
    fault: _Fault,
    plan: Orchestration,
    struck: Sequence[str],
    said: Mapping[str, str | None],
    default: str,
    n_calls: int,
) -> tuple[Failure, ...]:
    """What the fault does to agents, in the words of `masrepro.models.faults` and `masrepro.tools.faults`."""
    found = []
    for call, id in enumerate(struck, start=n_calls):
        backbone, tools = plan.agent(id).backbone or default, plan.agent(id).tools
        match fault:
            case "back-end":
                error = Unavailable(f"{backbone}: call {call} finds nobody there")
                found.append(Failure(id, backbone, error, is_final=True))
            case "reply":
                malformed = MalformedReply(f"{backbone}: the reply to call {call} is no completion")
                found.append(Failure(id, backbone, malformed, is_final=True))
            case "tool":
                cause = _WRONG_TOOL if tools == (Python.name,) else DOWN
                found.append(Failure(id, backbone, cause, tools[0], is_final=True))
            case "check":
                found.append(Failure(id, backbone, CheckFailed(_doubt(rng, said[id]))))
    return tuple(found)


def _doubt(rng: Random, answer: str | None) -> str:
    """What `masrepro.baselines.recount` says of a reply that does not agree with itself."""
    a, b, c = (rng.randrange(MODULUS) for _ in range(3))
    if answer is not None and rng.random() < 0.5:
        return f"the answer is {answer[:40]}, but the last step gives {a}"
    return f"{a} {rng.choice('+-*')} {b} is not {c}"


def _spent(
    rng: Random, plan: Orchestration, paid: Sequence[str], models: Mapping[str, Price | None], default: str, n_lost: int
) -> Usage:
    """A call for each agent whose call was paid, and those that reached nobody."""
    spent = Usage(calls=n_lost)
    for id in paid:
        price = models[plan.agent(id).backbone or default]
        prompt, completion = rng.randint(40, 400), rng.randint(10, 160)
        spent += Usage(1, prompt, completion, None if price is None else price.of(prompt, completion))
    return spent


def _overspent(rng: Random, spent: Usage) -> str | None:
    """The bound that was passed, in words: of money, or where that is unknown of tokens."""
    percent = rng.randint(30, 90)
    if spent.cost_usd is None:
        return Budget(tokens=spent.tokens * percent // 100).exceeded(spent, 0.0)
    return Budget(usd=spent.cost_usd * Decimal(percent) / 100).exceeded(spent, 0.0)


def _health(attempts: Sequence[Sequence[Failure]]) -> Health:
    """What is known to be down after attempts in which nothing worked that failed."""
    health = Health(_DOWN_AFTER)
    for failures in attempts:
        at_fault = [failure for failure in failures if failure.takes_down]
        health.note(
            [(failure.backbone, False) for failure in at_fault if failure.tool is None],
            [(failure.tool, False) for failure in at_fault if failure.tool is not None],
        )
    return health


def _repair(
    rng: Random, plan: Orchestration, models: Mapping[str, Price | None], failures: Sequence[Failure]
) -> Repair:
    """A repair that led to this system, from one on other models."""
    edits = [Edit(failure.agent, backbone=plan.agent(failure.agent).backbone) for failure in failures]
    before = changed(plan, [Edit(failure.agent, backbone=rng.choice(list(models))) for failure in failures])
    return Repair(before, plan, edits, "; ".join(map(str, failures)), Usage(), 0)


def _edits(rng: Random, paused: Paused) -> list[Edit]:
    """Other models, tools or goals for agents that failed, or have not finished, or now and then any."""
    state, plan = paused.state, paused.state.plan
    failed = [failure.agent for failure in state.failures]
    anyone = [agent.id for agent in plan.agents]
    ids = rng.choices((failed, list(state.unfinished), anyone), (6, 3, 1))[0] or anyone
    chosen = ids if rng.random() < 0.6 else rng.sample(ids, rng.randint(1, len(ids)))
    goals = [agent.goal for agent in (plan if state.tools else draw_team(rng, paused.item, 6)).agents if agent.goal]
    return [_edit(rng, state, id, goals) for id in anyone if id in chosen]


def _edit(rng: Random, state: State, id: str, goals: Sequence[str]) -> Edit:
    agent = state.plan.agent(id)
    others = [name for name in state.models if name != state.backbone(id)]
    change = Edit(id, backbone=_up(rng, others, state.down_models))
    others = [tool for tool in state.tools if tool not in agent.tools]
    if others and rng.random() < 0.6:
        change = replace(change, tools=(_up(rng, others, state.down_tools),))
        return change if rng.random() < 0.2 else replace(change, backbone=None)
    goals = [goal for goal in goals if goal != agent.goal]
    if goals and rng.random() < 0.3:
        change = replace(change, goal=rng.choice(goals))
        return change if rng.random() < 0.4 else replace(change, backbone=None)
    return change


def _up(rng: Random, names: Sequence[str], down: frozenset[str]) -> str:
    """Any of them, seldom one that is down."""
    return rng.choices(names, [_DOWN_WEIGHT if name in down else 1.0 for name in names])[0]
