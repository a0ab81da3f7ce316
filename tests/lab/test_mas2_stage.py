"""Measuring for MAS²'s tables: nothing twice, terms as the params say, and what is not here is said."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace

import pytest
from meta_script import ITEMS, pool

from masrepro.baselines import SingleAgent
from masrepro.baselines.recount import recount
from masrepro.lab.mas2 import Mas2Run, On, Variant
from masrepro.lab.mas2_record import from_line, keep, kept, to_line
from masrepro.lab.mas2_stage import RECORD, Stage, items_of, set_up
from masrepro.lab.mas2_table_params import AblationParams, Adapters, CrossBackboneParams, MainTableParams
from masrepro.lab.problem import BadInput
from masrepro.models import Usage
from masrepro.models.servers import Server

WEAK, STRONG = Variant("weak", SingleAgent(), On("weak")), Variant("strong", SingleAgent(), On("strong"))
SUMS = {"sums": ITEMS[:2], "more sums": ITEMS[2:]}


SERVER = Server(base_url="http://127.0.0.1:9/v1", context_tokens=4096)
HERE = MainTableParams(faults=("none",))
SERVED = HERE.model_copy(update={"server": SERVER})


def stage(folder, params=HERE, models=None):
    return Stage(SimpleNamespace(path=folder), params, models or pool(), {}, {})


def n_asked(models):
    return sum(len(model.asked) for model in models.values())


async def test_runs_come_by_variant_and_benchmark_and_are_kept(tmp_path):
    models = pool()
    runs = await stage(tmp_path, models=models).measure(SUMS, [WEAK, STRONG], models)
    assert [(run.variant, run.benchmark) for run in runs[::2]] == [
        ("weak", "sums"),
        ("weak", "more sums"),
        ("strong", "sums"),
        ("strong", "more sums"),
    ]
    assert [run.outcome for run in runs] == ["wrong"] * 4 + ["correct"] * 4
    assert (tmp_path / RECORD).read_text().count("\n") == 8


async def test_what_is_on_record_is_not_run_again(tmp_path):
    first = await stage(tmp_path).measure(SUMS, [WEAK], pool())
    models = pool()
    both = await stage(tmp_path, models=models).measure(SUMS, [WEAK, STRONG], models)
    assert both[:4] == first and n_asked(models) == 4


@pytest.mark.parametrize(("params", "n_calls"), [(HERE, 4), (SERVED, 2)], ids=["here", "served"])
async def test_a_system_that_is_unfinished_is_run_again_and_of_a_served_one_what_is_missing(tmp_path, params, n_calls):
    runs = await stage(tmp_path, params).measure(SUMS, [WEAK], pool())
    keep(tmp_path / RECORD, [runs[:2]])
    models = pool()
    again = await stage(tmp_path, params, models).measure(SUMS, [WEAK, STRONG], models)
    assert n_asked(models) == n_calls + 4
    assert [(run.variant, run.item_id, run.outcome) for run in again[:4]] == [
        (run.variant, run.item_id, run.outcome) for run in runs
    ]


def run_with(**changes):
    values = dict(
        variant="a",
        benchmark="b",
        item_id="i",
        repeat=0,
        fault="none",
        outcome="correct",
        usage=Usage(3, 20, 10, Decimal("0.0000001")),
        meta_usage=Usage(1, 2, 3, None),
        seconds=0.25,
        n_agents=2,
        n_repairs=1,
        backbones={"weak": 2},
        error="",
    )
    return Mas2Run(**values | changes)


def test_a_run_is_its_line():
    for run in (run_with(), run_with(outcome="invalid", error='line 1:\n\u2028 "x"', backbones={})):
        line = to_line(run)
        assert "\n" not in line and line.isascii() and from_line(line) == run


def test_units_with_an_unexplained_error_are_not_kept(tmp_path):
    file = tmp_path / "runs.jsonl"
    fine, failed = run_with(), run_with(variant="c", outcome="error")
    explained = run_with(variant="d", outcome="error", fault="back-end down")
    keep(file, [[fine], [failed], [explained]])
    assert kept(file) == {("a", "b"): [fine], ("d", "b"): [explained]}
    assert kept(tmp_path / "none.jsonl") == {}


def test_a_line_that_is_no_run_is_named(tmp_path):
    file = tmp_path / "runs.jsonl"
    file.write_text(to_line(run_with()) + '\n{"variant": "a"}\n')
    with pytest.raises(ValueError, match=r"runs\.jsonl, line 2: not the JSON of a run"):
        kept(file)


def test_terms_are_those_of_the_params(tmp_path):
    params = AblationParams(theta_c=300, max_repairs=2, system_calls=9, failing="desk-solver-m", seed=4)
    terms = stage(tmp_path, params).terms()
    assert (terms.repair_at.tokens, terms.max_repairs, terms.budget.calls, terms.failing, terms.seed) == (
        300,
        2,
        9,
        "desk-solver-m",
        4,
    )
    assert terms.check is recount and stage(tmp_path, params).terms(700).repair_at.tokens == 700
    assert stage(tmp_path, MainTableParams(check="")).terms().check is None


def test_items_that_are_not_here_are_said(tmp_path):
    params = MainTableParams(benchmarks=("masbench/depth/2", "bamboogle"), n_samples=2, data_dir=str(tmp_path))
    items, missing = items_of(params)
    assert [len(own) for own in items.values()] == [2] and list(missing) == ["bamboogle"]
    with pytest.raises(BadInput, match="bamboogle"):
        items_of(params.model_copy(update={"benchmarks": ("bamboogle",)}))


def opened(params):
    return SimpleNamespace(params=params, path=None)


def test_a_new_member_that_is_not_here_is_left_out_and_said():
    prices = {"desk-solver-s": (1.0, 4.0), "desk-solver-none": (1.0, 1.0), "desk-orchestrator": (2.0, 8.0)}
    params = CrossBackboneParams(solvers=("desk-solver-s",), added=(("desk-solver-none",),), prices=prices)
    found = set_up(opened(params))
    assert list(found.pool) == ["desk-solver-s"] and list(found.missing) == ["desk-solver-none"]
    assert "no desk model 'desk-solver-none' comes with masrepro" in found.missing["desk-solver-none"]
    assert found.pool["desk-solver-s"].price.completion_usd == 4
    trio = found.trio(Adapters(), found.pool)
    assert trio.generator.model is trio.implementer.model is trio.rectifier.model is found.writers[params.meta]
    assert trio.generator.model.price.completion_usd == 8


def test_a_member_of_the_old_pool_must_be_here():
    params = MainTableParams(
        solvers=("desk-solver-none",), prices={"desk-solver-none": (1.0, 1.0), "desk-orchestrator": (1.0, 1.0)}
    )
    with pytest.raises(FileNotFoundError, match="desk-solver-none"):
        set_up(opened(params))
