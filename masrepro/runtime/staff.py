"""Who does the work: for every agent of an orchestration, the sub-agent that acts, the model it calls, the tools it
uses.

Everything that would keep an agent from acting is found here, before the first call is paid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from masrepro.agents.agent import NeedsTools, SubAgent
from masrepro.agents.registry import NoImplementation, sub_agent
from masrepro.models.model import Model, Pool
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Agent, Orchestration
from masrepro.runtime.budget import Budget
from masrepro.tools.tool import Tool


class PlanNotRunnable(OrchestrationError):
    """A valid orchestration that this pool, these sub-agents or this budget cannot run. No call was made."""


@dataclass(frozen=True, slots=True)
class Post:
    """One agent's place in a run; ``backbone`` is the pool's name of its model."""

    agent: Agent
    sub_agent: SubAgent
    model: Model
    tools: Mapping[str, Tool] = field(default_factory=dict)
    backbone: str = ""


def staff(
    plan: Orchestration,
    pool: Pool,
    budget: Budget,
    sub_agents: Mapping[str, SubAgent] | None = None,
    tools: Mapping[str, Tool] | None = None,
) -> dict[str, Post]:
    """Post by agent id.

    Raises
    ------
    PlanNotRunnable
        An agent's workflow has no implementation or too few roles, its backbone is not in the pool, it needs a tool
        that the run does not have, or the budget is in dollars and its model has no price.
    """
    return {agent.id: _post(agent, pool, budget, sub_agents, tools or {}) for agent in plan.agents}


def calls_bound(plan: Orchestration, sub_agents: Mapping[str, SubAgent] | None = None) -> int:
    """Upper bound on the calls of one run, retries not counted, for the estimate before it.

    Raises
    ------
    NoImplementation
        An agent's workflow has no implementation.
    """
    return sum(sub_agent(agent.workflow, sub_agents).n_calls(agent) for agent in plan.agents)


def _post(
    agent: Agent,
    pool: Pool,
    budget: Budget,
    sub_agents: Mapping[str, SubAgent] | None,
    tools: Mapping[str, Tool],
) -> Post:
    try:
        worker = sub_agent(agent.workflow, sub_agents)
    except NoImplementation as error:
        hint = "Use a registered workflow, or register one."
        raise _refused(agent, "no-implementation", str(error), hint) from None
    if worker.workflow.needs_roles and len(agent.roles) < 2:
        what = f"{agent.workflow} needs two or more roles, not {list(agent.roles)}"
        raise _refused(agent, "too-few-roles", what, "Name who argues, e.g. a proponent and a critic.")
    needed = worker.needs_tools(agent) if isinstance(worker, NeedsTools) else agent.tools
    for name in needed:
        if name not in tools:
            what = f"the tool {name!r} is not available in this run"
            hint = f"Give it to the run (`tools`), or do without it; the run has {', '.join(tools) or 'no tools'}."
            raise _refused(agent, "no-such-tool", what, hint)
    if agent.backbone is not None and agent.backbone not in pool:
        raise _refused(
            agent,
            "unknown-backbone",
            f"the backbone {agent.backbone!r} is not in the pool",
            f"Use one of: {', '.join(pool)}.",
        )
    model = pool.backbone(agent.backbone)
    if budget.usd is not None and model.price is None:
        raise _refused(
            agent,
            "unknown-price",
            f"the budget is {budget.usd} US dollars but the price of the model {model.name!r} is unknown",
            "Give the model a price, or bound the run in tokens, calls or seconds.",
        )
    return Post(agent, worker, model, {name: tools[name] for name in needed}, agent.backbone or pool.default)


def _refused(agent: Agent, rule: str, what: str, hint: str) -> PlanNotRunnable:
    return PlanNotRunnable(rule, what, f"agent {agent.id}", hint)
