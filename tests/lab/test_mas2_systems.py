"""The systems that MAS²'s tables compare: who is in them, and what each changed form changes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from meta_script import ITEMS, TWO, Scripted, pool

from masrepro.lab.growth import Trio
from masrepro.lab.mas2 import run_mas2
from masrepro.lab.mas2_pools import pool_systems
from masrepro.lab.mas2_stage import Stage
from masrepro.lab.mas2_systems import FULL, UNTRAINED, changed_systems, dearest, full_system, main_systems
from masrepro.lab.mas2_table_params import CrossBackboneParams
from masrepro.meta.generator import Generator
from masrepro.meta.implementer import Implementer
from masrepro.meta.rectifier import ModelRectifier
from masrepro.models import Pool


def trio(models, assignment="a1: weak\na2: strong"):
    def says(text):
        return Scripted("meta", lambda messages, sampling: text)

    return Trio(Generator(says(TWO)), Implementer(says(assignment), models), ModelRectifier(says("nothing to change")))


def test_the_main_table_has_models_alone_workflows_rules_meta_agents_and_bounds():
    models = pool()
    systems = main_systems(
        models, trio(models), trio(models), workflows=("cot_sc", "debate"), roles=("a", "b"), shapes=("star",)
    )
    assert [(one.variant.name, one.kind) for one in systems] == [
        ("weak alone", "model alone"),
        ("strong alone", "model alone"),
        ("cot_sc (strong)", "workflow alone"),
        ("debate (strong)", "workflow alone"),
        ("cheapest, swapped on failure", "made by rules"),
        ("random, swapped on failure", "made by rules"),
        (UNTRAINED, "MAS², untrained"),
        (FULL, "MAS²"),
        ("star", "knows the item"),
    ]
    assert FULL not in [one.variant.name for one in main_systems(models, trio(models), None)]


async def test_models_and_rules_run_where_they_say():
    models = pool()
    systems = main_systems(models, trio(models), None)
    runs = await run_mas2({"sums": ITEMS[:1]}, [one.variant for one in systems], models=models)
    where = {run.variant: (dict(run.backbones), run.outcome) for run in runs}
    assert where["weak alone"] == ({"weak": 1}, "wrong") and where["strong alone"] == ({"strong": 1}, "correct")
    assert where["cheapest, swapped on failure"] == ({"weak": 1}, "wrong")
    assert where[UNTRAINED] == ({"weak": 1, "strong": 1}, "correct")


def test_the_dearest_needs_every_price():
    assert dearest(pool()) == "strong"
    with pytest.raises(ValueError, match="the price of 'free' is unknown"):
        dearest(Pool({"free": Scripted("free", str, price=None)}))


def test_each_changed_form_changes_one_part():
    models = pool()
    full, untrained = trio(models), trio(models)
    forms = changed_systems(full, untrained, models)
    assert list(forms) == [
        "generator untrained",
        "generator left out (one agent)",
        "implementer untrained",
        "implementer at random",
        "implementer the cheapest for all",
        "implementer all on weak",
        "implementer all on strong",
        "rectifier untrained",
        "rectifier left out",
        "rectifier a rule (swap what failed)",
        "all three untrained",
    ]
    own = full_system(full)
    for name, (variant, change) in forms.items():
        parts = ("generator", "implementer", "rectifier")
        changed = [part for part in parts if getattr(variant, part) is not getattr(own, part)]
        assert variant.name == name and changed == (list(parts) if change.part == "all three" else [change.part])
    assert forms["all three untrained"][0].generator is untrained.generator


def test_a_part_that_was_not_trained_has_no_untrained_form():
    models = pool()
    full = trio(models)
    forms = changed_systems(full, full, models)
    assert not any("untrained" in name for name in forms) and len(forms) == 7


async def test_changed_forms_run():
    models = pool()
    forms = changed_systems(trio(models), trio(models), models)
    runs = await run_mas2({"sums": ITEMS[:1]}, [variant for variant, _ in forms.values()], models=models)
    where = {run.variant: dict(run.backbones) for run in runs}
    assert where["implementer all on strong"] == {"strong": 2}
    assert where["implementer the cheapest for all"] == {"weak": 2}
    assert where["generator left out (one agent)"] != where["rectifier left out"] == {"weak": 1, "strong": 1}


def stage(models, params, missing=()):
    writer = Scripted("meta", lambda messages, sampling: TWO)
    return Stage(SimpleNamespace(path=None), params, models, dict.fromkeys(missing, "not here"), {params.meta: writer})


PRICES = {"weak": (1.0, 1.0), "strong": (9.0, 9.0), "desk-orchestrator": (1.0, 1.0)}


def test_the_same_meta_agents_are_set_on_the_old_pool_and_on_a_larger_one():
    params = CrossBackboneParams(solvers=("weak",), added=(("strong",),), prices=PRICES)
    pools = pool_systems(stage(pool(), params))
    assert [(list(models), [one.variant.name for one in systems]) for models, systems in pools.by_pool] == [
        (["weak", "strong"], ["weak alone", "strong alone"]),
        (["weak"], [UNTRAINED, f"{UNTRAINED}, staffed at random"]),
        (["weak", "strong"], [f"{UNTRAINED} + strong", f"{UNTRAINED} + strong, staffed at random"]),
    ]
    assert pools.kinds["strong alone"] == "model alone"
    (added,) = pools.added
    assert (added.system, added.base, added.alone) == (f"{UNTRAINED} + strong", UNTRAINED, ("strong alone",))
    *_, (larger, systems) = pools.by_pool
    assert list(systems[0].variant.implementer.pool) == ["weak", "strong"] == list(larger)


def test_a_larger_pool_whose_member_is_not_here_is_left_out():
    params = CrossBackboneParams(solvers=("weak",), added=(("strong",),), prices=PRICES)
    pools = pool_systems(stage(Pool({"weak": pool()["weak"]}), params, missing=("strong",)))
    assert pools.added == () and [list(models) for models, _ in pools.by_pool] == [["weak"], ["weak"]]
