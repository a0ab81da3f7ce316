"""The fault bench: equal faults for all policies, real solvers, and what each policy makes of a fault."""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from masrepro.agents import Task, cot_messages
from masrepro.baselines import Oracle
from masrepro.baselines.recount import recount
from masrepro.bench import benchmark
from masrepro.lab.fault_bench import RESTART, RESUME, policies, run_fault_bench, tell
from masrepro.lab.fault_setting import FAULTS, under
from masrepro.lab.remembered import Remembered, computed, remembered
from masrepro.models import Pool, Price, Sampling
from masrepro.models.desk import load_desk_model

NAMES = ("desk-solver-m", "desk-solver-l", "desk-solver-s")
PRICES = {name: Price(Decimal(usd), Decimal(usd)) for name, usd in zip(NAMES, (2, 4, 1), strict=True)}
GREEDY = Sampling(max_tokens=128)


@pytest.fixture(scope="module")
def pool():
    return remembered(Pool({name: load_desk_model(name) for name in NAMES}), PRICES)


@pytest.fixture(scope="module")
def items():
    return benchmark("masbench/depth/3", n=1)


@pytest.fixture(scope="module")
def runs(pool, items):
    ran = bench(pool, items)
    return {(run.fault, run.policy, run.item_id): run for run in ran}


def bench(pool, items, **options):
    return asyncio.run(
        run_fault_bench(
            {"depth": items}, Oracle(), models=pool, policies=policies(), check=recount, sampling=GREEDY, **options
        )
    )


def outcomes(runs, fault, policy):
    return [run for (kind, who, _), run in runs.items() if (kind, who) == (fault, policy)]


def test_every_item_meets_every_fault_under_every_policy(runs, items):
    assert len(runs) == len(items) * len(FAULTS) * len(policies())


def test_without_a_fault_and_a_repair_a_run_costs_what_it_costs(runs):
    for run in outcomes(runs, "none", "no repair"):
        assert (run.cost_ratio, run.n_repairs, run.status) == (1.0, 0, "done")


def test_a_failure_that_passes_is_overcome_by_trying_again(runs):
    for fault in ("back-end fails once", "back-end fails 3 times", "tool fails once", "tool fails 3 times"):
        for run in outcomes(runs, fault, "retry the call"):
            assert (run.status, run.cost_ratio) == ("done", 1.0)
        assert all(run.status == "error" for run in outcomes(runs, fault, "no repair"))


def test_what_stays_down_is_overcome_by_a_change_alone(runs):
    for fault in ("back-end down", "tool down", "wrong tool"):
        for policy in ("no repair", "retry the call", "rerun from scratch"):
            assert all(run.status == "error" for run in outcomes(runs, fault, policy))
        for policy in (RESUME, RESTART, "retry, then swap"):
            assert all(run.status == "done" for run in outcomes(runs, fault, policy))


def test_resuming_never_costs_more_than_starting_over(runs):
    for (fault, policy, item), run in runs.items():
        if policy == RESUME and fault != "budget overrun":
            assert run.cost_ratio <= runs[fault, RESTART, item].cost_ratio


def test_an_overrun_is_paused_in_time(runs):
    for run in outcomes(runs, "budget overrun", RESUME):
        assert (run.status, run.n_repairs) == ("done", 1)
        assert run.cost_ratio < 1


def test_a_silent_corruption_of_worked_steps_is_found(runs):
    assert all(run.n_repairs == 1 for run in outcomes(runs, "silent corruption", RESUME))
    assert all(run.ended == "most repairs" for run in outcomes(runs, "silent corruption", "no repair"))


def test_the_same_seed_gives_the_same_runs_and_another_strikes_elsewhere(pool, items):
    faults = ["back-end down", "silent corruption"]
    first, second = [bench(pool, items, faults=faults, concurrency=n) for n in (1, 64)]
    assert first == second
    plan = Oracle().design(items[0])
    struck = set()
    for seed in range(12):
        setting = under("wrong tool", plan, items[0], pool, seed=seed, usual_usd=Decimal(1))
        struck.add(next(agent.id for agent in setting.plan.agents if agent.tools == ("python",)))
    assert len(struck) > 1


async def test_a_run_can_be_told(pool, items):
    run = await tell("back-end down", Oracle().design(items[0]), items[0], pool, policies()[RESUME], sampling=GREEDY)
    assert (len(run.repairs), run.ended) == (1, "done")


def test_costs_need_prices(pool, items):
    unpriced = Remembered(pool["desk-solver-s"])
    unpriced.price = None
    with pytest.raises(ValueError, match="price of desk-solver-s is unknown"):
        bench(Pool.of(unpriced), items)


async def test_what_is_remembered_is_computed_once_and_charged_each_time(items):
    solver = load_desk_model("desk-solver-s")
    model = Remembered(solver, Price(Decimal(1), Decimal(1)))
    asked = cot_messages(Task(items[0].question, Oracle().design(items[0]).agents[0]))
    first, second = await model.complete(asked, GREEDY), await model.complete(asked, GREEDY)
    assert first == second
    assert first.usage.cost_usd == Decimal(first.usage.tokens) / 1_000_000
    assert computed(Pool.of(model)).calls == 1
    assert computed(Pool.of(model)).cost_usd == 0  # a local model is free, whatever it is charged with here
