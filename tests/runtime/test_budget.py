from __future__ import annotations

import asyncio
import time
from decimal import Decimal

import pytest

from masrepro.agents import Output, standard_workflow
from masrepro.models.model import Message, Price, Sampling, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Budget, PlanNotRunnable, run

pytestmark = pytest.mark.usefixtures("no_task_is_left")

STAR = Orchestration(
    tuple(Agent(id, "", id) for id in ("w0", "w1", "w2", "sink")),
    tuple(Flow(id, "sink") for id in ("w0", "w1", "w2")),
)
ALONE = Orchestration((Agent("a", "", "a"),))
PRICE = Price(Decimal(1), Decimal(2))


def spent(completion_tokens: int, prompt_tokens: int = 0) -> dict[str, Usage]:
    usage = Usage(1, prompt_tokens, completion_tokens, PRICE.of(prompt_tokens, completion_tokens))
    return {"usage": usage}


async def test_calls_stop_at_the_limit_and_finished_outputs_are_kept(backend):
    model = backend()
    result = await run(STAR, "Q", models=model, budget=Budget(calls=2))
    assert (result.status, result.answer, result.usage.calls) == ("limit", None, 2)
    assert set(result.outputs) == {"w0", "w1"}
    assert result.error == "the budget of 2 calls is spent (2 made), before agent w2 had finished"


async def test_the_first_agent_without_room_is_named(backend):
    result = await run(STAR, "Q", models=backend(), budget=Budget(calls=1))
    assert result.error.endswith("before agent w1 had finished")


async def test_calls_in_flight_end_and_count_when_the_limit_is_reached_beside_them(backend):
    gate = asyncio.Event()
    model = backend({"w0": {"until": gate}})
    running = asyncio.create_task(run(STAR, "Q", models=model, budget=Budget(calls=2)))
    while "w1" not in model.goals("end"):
        await asyncio.sleep(0)
    gate.set()
    assert set((await running).outputs) == {"w0", "w1"}


class Continuing:
    """A sub-agent that never comes to an end."""

    workflow = standard_workflow("cot")

    def n_calls(self, agent: Agent) -> int:
        return 10**9

    async def act(self, task, call) -> Output:
        while True:
            await call((Message("user", "Goal: continue"),))


@pytest.mark.parametrize(
    ("budget", "n_calls"),
    [
        (Budget(calls=7), 7),
        (Budget(tokens=100), 7),
        (Budget(usd=0.0001), 5),
        (Budget(usd=Decimal("0.0002")), 10),
    ],
)
async def test_an_agent_that_always_continues_stops_at_the_budget_with_its_transcript(backend, budget, n_calls):
    model = backend({"continue": {"text": "continue", **spent(5, 10)}}, price=PRICE)
    result = await run(ALONE, "Q", models=model, budget=budget, sub_agents={"cot": Continuing()})
    assert (result.status, result.answer, result.usage.calls) == ("limit", None, n_calls)
    assert [span.text for span in result.trace if span.kind == "call"] == ["continue"] * n_calls


async def test_seconds_cancel_what_is_in_flight_and_keep_what_is_finished(backend):
    model = backend({"w1": {"until": asyncio.Event()}})
    began = time.monotonic()
    result = await run(STAR, "Q", models=model, budget=Budget(seconds=0.05))
    assert (result.status, result.error) == ("limit", "the budget of 0.05 seconds is spent")
    assert set(result.outputs) == {"w0", "w2"}
    assert model.goals("CancelledError") == ["w1"]
    assert 0.05 <= time.monotonic() - began < 2


async def test_a_time_limit_of_the_caller_is_not_taken_for_the_budgets(backend):
    model = backend({"a": {"until": asyncio.Event()}})
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await run(ALONE, "Q", models=model, budget=Budget(seconds=60))


async def test_the_next_call_gets_the_tokens_that_are_left(backend):
    model = backend({"w0": spent(60, 10)})
    chain = Orchestration((Agent("w0", "", "w0"), Agent("a", "", "a")), (Flow("w0", "a"),))
    await run(chain, "Q", models=model, budget=Budget(tokens=100), sampling=Sampling(max_tokens=90))
    assert [sampling.max_tokens for _, sampling in model.calls] == [90, 30]


async def test_a_neighbours_reservation_makes_a_call_wait_and_never_cuts_it(backend):
    model = backend({id: spent(10) for id in ("w0", "w1", "w2", "sink")})
    result = await run(STAR, "Q", models=model, budget=Budget(tokens=250), sampling=Sampling(max_tokens=100))
    assert result.status == "done"
    assert [sampling.max_tokens for _, sampling in model.calls] == [100] * 4
    assert model.peak == 2


async def test_a_reply_that_the_budget_cut_off_is_at_the_limit_not_truncated(backend):
    model = backend({"a": {"text": "so far", "finish": "length", **spent(50, 10)}})
    result = await run(ALONE, "Q", models=model, budget=Budget(tokens=50), sampling=Sampling(max_tokens=90))
    assert (result.status, result.answer) == ("limit", None)
    assert result.error == "the budget of 50 tokens cut off the last reply"


async def test_money_of_unknown_price_is_refused_before_the_first_call(backend):
    model = backend(price=None, name="dear")
    with pytest.raises(PlanNotRunnable, match="price of the model 'dear' is unknown") as refused:
        await run(STAR, "Q", models=model, budget=Budget(usd=1))
    assert (refused.value.rule, refused.value.where) == ("unknown-price", "agent w0")
    assert model.calls == []


async def test_money_stops_when_a_cost_turns_out_unknown(backend):
    model = backend({id: {"usage": Usage(1, 10, 5, None)} for id in ("w0", "w1", "w2")}, price=PRICE)
    result = await run(STAR, "Q", models=model, budget=Budget(usd=1))
    assert (result.status, set(result.outputs)) == ("limit", {"w0", "w1", "w2"})
    assert "unknown" in result.error


async def test_a_call_that_was_cut_off_has_unknown_cost_unless_the_model_is_free(backend):
    for price, cost in ((PRICE, None), (Price(Decimal(0), Decimal(0)), Decimal(0))):
        model = backend({"a": {"until": asyncio.Event()}}, price=price)
        result = await run(ALONE, "Q", models=model, budget=Budget(seconds=0.01))
        assert result.usage == Usage(1, 0, 0, cost)


def test_money_is_exact():
    assert Budget(usd=0.1).usd == Decimal("0.1")


@pytest.mark.parametrize("bound", [{"tokens": -1}, {"calls": -1}, {"seconds": float("nan")}, {"usd": -0.01}])
def test_a_bound_below_zero_or_not_a_number_is_refused(bound):
    with pytest.raises(ValueError, match=f"a budget's {next(iter(bound))} must be 0 or more"):
        Budget(**bound)


async def test_samples_in_flight_end_when_the_budget_is_reached_so_that_the_cost_stays_known(backend):
    plan = Orchestration((Agent("a", "", "a", workflow="cot_sc"),))
    result = await run(plan, "Q", models=backend({"a": spent(5, 10)}, price=PRICE), budget=Budget(calls=3))
    assert (result.status, result.answer) == ("limit", None)
    assert result.usage == Usage(3, 30, 15, 3 * PRICE.of(10, 5))
