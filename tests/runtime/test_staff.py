from __future__ import annotations

import pytest

from masrepro.agents import CoT, registry
from masrepro.models.model import Pool
from masrepro.orchestration import Agent, Flow, Orchestration, OrchestrationError
from masrepro.runtime import PlanNotRunnable, calls_bound, run

WORKER = Agent("w", "", "w")


async def refused(agent: Agent, model) -> PlanNotRunnable:
    plan = Orchestration((WORKER, agent), (Flow("w", agent.id),))
    with pytest.raises(PlanNotRunnable) as raised:
        await run(plan, "Q", models=Pool({"small": model, "large": model}))
    assert model.calls == []
    return raised.value


async def test_a_backbone_outside_the_pool_is_refused_before_the_first_call(backend):
    error = await refused(Agent("a", "", "a", backbone="medium"), backend())
    assert (error.rule, error.where) == ("unknown-backbone", "agent a")
    assert str(error) == (
        "agent a: the backbone 'medium' is not in the pool [unknown-backbone]. Use one of: small, large."
    )


async def test_a_workflow_without_implementation_is_refused_before_the_first_call(backend, monkeypatch):
    monkeypatch.setattr(registry, "_REGISTERED", {"cot": CoT()})
    error = await refused(Agent("a", "", "a", workflow="debate", roles=("for", "against")), backend())
    assert (error.rule, error.where) == ("no-implementation", "agent a")
    assert "'debate' is known but has no implementation registered" in str(error)


async def test_a_tool_that_is_not_available_is_refused_before_the_first_call(backend):
    error = await refused(Agent("a", "", "a", tools=("search",)), backend())
    assert (error.rule, error.where) == ("no-such-tool", "agent a")
    assert "'search'" in str(error)


async def test_a_debate_without_two_roles_is_refused_before_the_first_call(backend):
    error = await refused(Agent("a", "", "a", workflow="debate", roles=("alone",)), backend())
    assert (error.rule, error.where) == ("too-few-roles", "agent a")


async def test_a_workflow_that_needs_a_tool_is_refused_without_it(backend):
    error = await refused(Agent("a", "", "a", workflow="deep_research"), backend())
    assert (error.rule, error.where) == ("no-such-tool", "agent a")
    assert str(error) == (
        "agent a: the tool 'search' is not available in this run [no-such-tool]. "
        "Give it to the run (`tools`), or do without it; the run has no tools."
    )


async def test_a_refusal_can_be_caught_like_any_rejection(backend):
    assert isinstance(await refused(Agent("a", "", "a", backbone="medium"), backend()), OrchestrationError)


async def test_each_agent_runs_on_its_backbone(backend):
    small, large = backend(name="small"), backend(name="large")
    plan = Orchestration((WORKER, Agent("a", "", "a", backbone="large")), (Flow("w", "a"),))
    result = await run(plan, "Q", models={"small": small, "large": large})
    assert (small.goals("start"), large.goals("start")) == (["w"], ["a"])
    models = {span.agent: span.model for span in result.trace if span.kind == "call"}
    assert models == {"w": "small", "a": "large"}


def test_calls_are_bounded_before_a_run():
    assert calls_bound(Orchestration((WORKER, Agent("a", "", "a")), (Flow("w", "a"),))) == 2
    assert calls_bound(Orchestration(answer="7")) == 0
