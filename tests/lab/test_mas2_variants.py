"""MAS² as a whole: parts by rule and by model, unreadable texts, faults, and costs that add up."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from meta_script import CHEAP, DEAR, ITEMS, ONE, TWO, Scripted, cycling, pool, solver

from masrepro.baselines import SingleAgent
from masrepro.baselines.implementers import at_random
from masrepro.baselines.rectifiers import SwapFailed
from masrepro.lab.cost import CostLimit, CostReached
from masrepro.lab.mas2 import On, Variant, cheapest, run_mas2
from masrepro.lab.remembered import Remembered, computed, remembered
from masrepro.lab.staffed_run import Terms
from masrepro.meta.generator import Generator
from masrepro.meta.implementer import Implementer
from masrepro.meta.rectifier import ModelRectifier
from masrepro.models import ContextOverflow, Pool, Sampling, Unavailable, Usage

WEAK, STRONG = CHEAP.of(10, 10), DEAR.of(10, 10)


def says(name, text):
    return Scripted(name, lambda messages, sampling: text)


def by_models(models, template=TWO, assignment="a1: weak\na2: strong", rectifier=None):
    return Variant(
        "trio", Generator(says("generator", template)), Implementer(says("implementer", assignment), models), rectifier
    )


async def one(variant, models=None, **options):
    (run,) = await run_mas2({"sums": ITEMS[:1]}, [variant], models=models or pool(), **options)
    return run


async def test_rules_cost_nothing_and_staff_as_they_say():
    runs = {
        name: await one(Variant(name, SingleAgent(), staffing))
        for name, staffing in (("weak", On("weak")), ("strong", On("strong")), ("cheapest", cheapest))
    }
    assert {name: run.outcome for name, run in runs.items()} == {
        "weak": "wrong",
        "strong": "correct",
        "cheapest": "wrong",
    }
    assert {run.meta_usage for run in runs.values()} == {Usage()}
    assert runs["strong"].usage == Usage(1, 10, 10, STRONG)
    assert (runs["strong"].n_agents, dict(runs["strong"].backbones)) == (1, {"strong": 1})


async def test_what_meta_agents_cost_is_kept_apart_from_what_their_system_costs():
    models = pool()
    run = await one(by_models(models), models)
    assert run.outcome == "correct"
    assert run.usage.cost_usd == WEAK + STRONG
    assert run.meta_usage == Usage(2, 20, 20, 2 * WEAK)
    assert dict(run.backbones) == {"weak": 1, "strong": 1}


@pytest.mark.parametrize(
    ("template", "assignment", "rule", "n_meta"),
    [
        ("I would rather not.", "a1: weak", "syntax", 1),
        (ONE, "a1: nobody", "unknown-backbone", 2),
        (TWO, "a1: weak", "missing-agent", 2),
    ],
)
async def test_a_text_that_cannot_be_read_is_invalid_and_says_why(template, assignment, rule, n_meta):
    models = pool()
    run = await one(by_models(models, template, assignment), models)
    assert (run.outcome, run.usage, run.meta_usage.calls) == ("invalid", Usage(), n_meta)
    assert f"[{rule}]" in run.error


async def test_a_system_that_cannot_be_run_is_invalid():
    run = await one(Variant("lost", SingleAgent(), On("nobody")))
    assert (run.outcome, run.usage) == ("invalid", Usage())
    assert "[unknown-backbone]" in run.error


async def test_a_direct_answer_needs_no_staff():
    models = pool()
    run = await one(by_models(models, 'answer(text="2")', "never read"), models)
    assert (run.outcome, run.n_agents, run.meta_usage.calls) == ("correct", 0, 1)


async def test_a_meta_agent_that_cannot_be_asked_is_an_error_and_one_that_is_told_too_much_invalid():
    models = pool()
    lost = replace(by_models(models), generator=Generator(says("generator", Unavailable("HTTP 503"))))
    run = await one(lost, models)
    assert (run.outcome, run.error) == ("error", "Unavailable: HTTP 503")
    flooded = replace(by_models(models), implementer=Implementer(says("implementer", ContextOverflow("long")), models))
    run = await one(flooded, models)
    assert (run.outcome, run.meta_usage.calls) == ("invalid", 1)
    assert "[context]" in run.error


async def test_a_fault_strikes_the_model_that_is_said_and_a_repair_is_charged_to_the_meta_agents():
    models = pool()
    swap = 'change_agent(id="a2", backbone="strong")'
    repairing = by_models(models, assignment="a1: strong\na2: weak", rectifier=ModelRectifier(says("rectifier", swap)))
    options = {"models": models, "faults": ["back-end down"]}
    bare = await one(replace(repairing, rectifier=None), terms=Terms(failing="weak"), **options)
    mended = await one(repairing, terms=Terms(failing="weak"), **options)
    spared = await one(by_models(models, ONE, "a1: strong"), terms=Terms(failing="weak"), **options)
    assert (bare.outcome, bare.n_repairs) == ("error", 0)
    assert (mended.outcome, mended.n_repairs, mended.meta_usage.calls) == ("correct", 1, 3)
    assert mended.usage.cost_usd == 2 * STRONG  # what the failed call cost is nothing
    assert spared.outcome == "correct"


async def test_a_model_that_is_not_there_cannot_be_the_one_that_fails():
    with pytest.raises(ValueError, match="'other', is not in the pool: weak, strong"):
        await one(Variant("v", SingleAgent(), On("weak")), faults=["back-end down"], terms=Terms(failing="other"))


async def test_which_model_fails_is_drawn_for_each_item_when_none_is_named():
    models, staffings = pool(), [Variant(name, SingleAgent(), On(name)) for name in ("weak", "strong")]
    runs = await run_mas2({"sums": ITEMS}, staffings, models=models, faults=["back-end down"])
    lost = {run.item_id: run.variant for run in runs if run.outcome == "error"}
    assert len(lost) == len(ITEMS)  # of the two models exactly one fails, for each item
    assert set(lost.values()) == {"weak", "strong"}


async def test_an_overrun_is_measured_against_the_same_system_without_faults():
    models = pool()
    run = await one(Variant("swap", SingleAgent(), On("strong"), SwapFailed()), models, faults=["budget overrun"])
    assert (run.outcome, run.usage.cost_usd) == ("correct", STRONG)  # a single call is done before it overruns
    chain = await one(by_models(models, TWO, "a1: strong\na2: weak"), models, faults=["budget overrun"])
    assert chain.outcome == "limit"
    assert "budget of 0.000176 US dollars" in chain.error


async def test_runs_come_in_order_and_repeats_draw_anew_alike_for_all_variants():
    models = pool()
    drawing = Generator(cycling("generator", ONE, TWO))
    variants = [Variant(name, drawing, On(name)) for name in ("weak", "strong")]
    runs = await run_mas2({"sums": ITEMS}, variants, models=models, n_repeats=3, meta_sampling=Sampling(1.0))
    keys = [(run.variant, run.item_id, run.repeat) for run in runs]
    assert keys == [(v, item.id, k) for v in ("weak", "strong") for item in ITEMS for k in range(3)]
    sizes = [run.n_agents for run in runs]
    assert sizes[: len(sizes) // 2] == sizes[len(sizes) // 2 :]
    assert set(sizes) == {1, 2}


async def test_equal_requests_are_computed_once_and_charged_to_each_run():
    models = pool()
    asked = remembered(models, {})
    runs = await run_mas2({"sums": ITEMS[:1]}, [Variant("s", SingleAgent(), On("strong"))], models=asked, n_repeats=3)
    assert [run.usage.cost_usd for run in runs] == [STRONG] * 3
    assert computed(asked).calls == len(models["strong"].asked) == 1


async def test_draws_are_remembered_by_their_seed_and_never_without_one():
    model = cycling("generator", ONE, TWO)
    kept = Remembered(model)
    for seed in (1, 1, 2, None, None):
        await kept.complete((), Sampling(1.0, seed=seed))
    assert len(model.asked) == 4


async def test_random_staffing_depends_on_item_and_repeat_alone():
    rule = Variant("random", SingleAgent(), at_random)
    first, again = [await run_mas2({"sums": ITEMS}, [rule], models=pool(), n_repeats=4) for _ in range(2)]
    assert [run.backbones for run in first] == [run.backbones for run in again]
    assert {name for run in first for name in run.backbones} == {"weak", "strong"}


async def test_prices_must_be_known_names_differ_and_a_cost_limit_ends_the_bench():
    models = pool()
    with pytest.raises(ValueError, match="price of generator is unknown"):
        await one(Variant("v", Generator(Scripted("generator", lambda *_: ONE, None)), On("weak")), models)
    with pytest.raises(ValueError, match="names of their own"):
        await run_mas2({}, [Variant("v", SingleAgent(), cheapest)] * 2, models=models)
    poor = CostLimit(Decimal("0.000001")).pool(Pool({"strong": solver("strong", DEAR, right=True)}))
    with pytest.raises(CostReached):
        await one(Variant("v", SingleAgent(), On("strong")), poor)
