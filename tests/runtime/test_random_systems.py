"""Properties of any run: order of acts, sums of costs, bounds of budgets."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from masrepro.models.model import Completion, ModelError, Sampling, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Budget, Trace, run

COSTS = st.none() | st.decimals(0, 5, places=9)
USAGES = st.builds(Usage, st.integers(0, 5), st.integers(0, 10**6), st.integers(0, 10**6), COSTS)
REPLIES = st.fixed_dictionaries(
    {"usage": USAGES, "seconds": st.sampled_from([0, 0.001])},
    optional={"error": st.builds(lambda usage: ModelError("down", usage=usage), USAGES)},
)


@st.composite
def systems(draw: st.DrawFn) -> Orchestration:
    """A valid system of up to eight agents; every agent's goal is its id."""
    n = draw(st.integers(1, 8))
    flows = {(i, draw(st.integers(i + 1, n - 1))) for i in range(n - 1)}
    more = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] < pair[1])
    flows |= draw(st.sets(more, max_size=8)) if n > 1 else set()
    agents = tuple(Agent(f"a{i}", "", f"a{i}") for i in range(n))
    return Orchestration(agents, tuple(Flow(f"a{i}", f"a{j}") for i, j in flows))


def replies_for(plan: Orchestration, data: st.DataObject) -> Mapping[str, Mapping[str, Any]]:
    return {agent.id: data.draw(REPLIES, label=agent.id) for agent in plan.agents}


@given(systems(), st.data())
@settings(max_examples=50, deadline=None)
def test_no_agent_starts_before_its_inputs_and_each_acts_once(backend, plan, data):
    model = backend({a.id: {"seconds": data.draw(st.sampled_from([0, 0.001]))} for a in plan.agents})
    result = asyncio.run(run(plan, "Q", models=model))
    assert sorted(model.goals("start")) == sorted(result.outputs) == sorted(agent.id for agent in plan.agents)
    for flow in plan.flows:
        assert model.log.index(("end", flow.source)) < model.log.index(("start", flow.target))


@given(systems(), st.data())
@settings(max_examples=50, deadline=None)
def test_costs_sum_exactly_with_failed_attempts_and_unknown_prices(backend, plan, data):
    replies = replies_for(plan, data)
    model = backend(replies)
    result = asyncio.run(run(plan, "Q", models=model))
    ended = [replies[goal]["usage"] for goal in model.goals("end")]
    failed = [replies[goal]["error"].usage for goal in model.goals("ModelError")]
    cancelled = [Usage(calls=1) for _ in model.goals("CancelledError")]  # the back-end is free
    assert result.usage == sum([*ended, *failed, *cancelled], Usage())
    assert result.usage == sum((span.usage for span in result.trace), Usage())
    assert result.usage == sum((result.trace.usage_of(agent.id) for agent in plan.agents), Usage())
    assert (result.usage.cost_usd is None) == any(u.cost_usd is None for u in [*ended, *failed])
    assert Trace.from_json(result.trace.to_json()) == result.trace


@given(systems(), st.data(), st.integers(0, 400), st.integers(1, 100))
@settings(max_examples=100, deadline=None)
def test_tokens_exceed_the_budget_by_no_more_than_the_prompts_in_flight_last(backend, plan, data, limit, max_tokens):
    class Counting(backend):
        """Spends up to ``max_tokens`` and keeps the prompts in flight at the last start."""

        prompts_in_flight, prompts_at_last_start = 0, 0

        async def complete(self, messages, sampling: Sampling) -> Completion:
            goal = messages[-1].content.rpartition("Goal: ")[2]
            prompt = prompts[goal]
            self.prompts_in_flight += prompt
            self.prompts_at_last_start = self.prompts_in_flight
            reply = await super().complete(messages, sampling)
            self.prompts_in_flight -= prompt
            spent = Usage(1, prompt, min(completions[goal], sampling.max_tokens), Decimal(0))
            return Completion(reply.text, reply.finish, spent)

    prompts = {agent.id: data.draw(st.integers(0, 50)) for agent in plan.agents}
    completions = {agent.id: data.draw(st.integers(0, 100)) for agent in plan.agents}
    model = Counting({a.id: {"seconds": data.draw(st.sampled_from([0, 0.001]))} for a in plan.agents})
    running = run(plan, "Q", models=model, budget=Budget(tokens=limit), sampling=Sampling(max_tokens=max_tokens))
    result = asyncio.run(running)
    assert result.usage.tokens <= limit + model.prompts_at_last_start
    assert result.status == "limit" or len(result.outputs) == len(plan.agents)
    granted = [sampling.max_tokens for _, sampling in model.calls]
    assert all(1 <= tokens <= max_tokens for tokens in granted)


@given(systems(), st.integers(0, 10))
@settings(max_examples=50, deadline=None)
def test_calls_never_exceed_the_budget(backend, plan, limit):
    model = backend()
    result = asyncio.run(run(plan, "Q", models=model, budget=Budget(calls=limit)))
    assert result.usage.calls == len(model.calls) == min(limit, len(plan.agents))
    assert (result.status == "limit") == (limit < len(plan.agents))
