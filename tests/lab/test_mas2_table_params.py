"""Params of the notebooks with MAS²'s tables: what may be set, what is refused, and the bound on a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixture_home import REPOSITORY

from masrepro.lab.home import Home
from masrepro.lab.mas2_table_params import AblationParams, Adapters, CrossBackboneParams, MainTableParams
from masrepro.lab.orchestrator import Orchestrator
from masrepro.lab.params import SCHEMAS, describe
from masrepro.lab.problem import BadInput
from masrepro.lab.resolve import resolve
from masrepro.models.servers import Server

HOME = Home(REPOSITORY, REPOSITORY / "outputs")
NAMES = ("12_mas2_main_table", "13_mas2_ablations", "14_cross_backbone")
SERVER = Server(base_url="http://127.0.0.1:9/v1", context_tokens=4096)


@pytest.mark.parametrize("name", NAMES)
def test_desk_params_run_here_for_nothing(name: str) -> None:
    for profile in ("smoke", "desk"):
        params = resolve(name, home=HOME, profile=profile)
        assert params.bound().cost_usd == 0 and params.bound().samples > 0
        assert params.trained == (profile == "desk") and params.served == ()


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_described_with_its_default(name: str) -> None:
    for field, default, description in describe(SCHEMAS[name]):
        assert description and default, field


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_name_the_files_that_they_promise(name: str) -> None:
    source = Path(REPOSITORY / "notebooks" / f"{name}.ipynb").read_text()
    for file in SCHEMAS[name].files:
        assert file.split(".")[0] in source


@pytest.mark.parametrize(
    ("name", "option", "said"),
    [
        (NAMES[0], ("cache", "true"), "cache is true, but a reply from there costs nothing"),
        (NAMES[0], ("executor", "ray"), "set executor to local"),
        (NAMES[0], ("solvers", "[desk-solver-s, other]"), "give other a price in prices"),
        (NAMES[0], ("faults", "[back-end down]"), "faults must begin with none"),
        (NAMES[0], ("faults", "[none, tool down]"), "leave faults of tools to notebook 10"),
        (NAMES[0], ("benchmarks", "[masbench/deep/4]"), "deep"),
        (NAMES[0], ("doms", "[LOW, HIGH]"), "doms"),
        (NAMES[0], ("adapters.generatr", "x"), "unknown key adapters.generatr, did you mean generator?"),
        (NAMES[1], ("trainings", "{beta: {high: {generator: x}}}"), "trainings.beta has the value 'high'"),
        (NAMES[1], ("trainings", '{gamma: {"1": {generator: x}}}'), "gamma"),
        (NAMES[1], ("theta_cs", "[0]"), "theta_cs.0 is 0"),
        (NAMES[2], ("added", "[[desk-solver-s]]"), "added has desk-solver-s, which the pool has already"),
    ],
)
def test_a_mistake_is_explained(name: str, option: tuple[str, str], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        resolve(name, home=HOME, profile="smoke", options=[option])
    assert said in str(caught.value)


def test_faults_of_tools_are_for_plain_thinkers() -> None:
    AblationParams(faults=("none", "tool down"))
    with pytest.raises(ValueError, match=r"faults has tool down, for which workflows must be \[cot\]"):
        AblationParams(faults=("none", "tool down"), workflows=("cot", "debate"))


def test_the_bound_of_the_main_table_counts_every_system() -> None:
    params = MainTableParams(
        benchmarks=("masbench/depth/2",),
        n_samples=3,
        faults=("none", "back-end down"),
        solvers=("desk-solver-s", "desk-solver-m"),
        alone=("cot_sc",),
        shapes=("star",),
        system_calls=10,
        max_repairs=1,
        max_tokens=100,
        plan_tokens=10,
    )
    bound, n_runs = params.bound(), 3 * 2
    assert bound.samples == n_runs * (2 + 2 + 1 + 2 + 1)
    calls, written = 2 * 10 + 1 + 1 + 5 + 2 + 2 + 10, 2 * 3
    assert bound.calls == n_runs * (calls + written)
    assert bound.completion_tokens == n_runs * (calls * 100 + written * 10)


def test_adapters_lie_over_the_untrained_model_or_go_by_their_name_at_its_server() -> None:
    here = MainTableParams(adapters=Adapters(generator="a/g", rectifier="a/r"))
    assert not here.trained and here.writer("implementer") == here.meta
    assert (here.writer("generator").model, here.writer("generator").adapter) == ("desk-orchestrator", "a/g")
    away = MainTableParams(
        adapters=Adapters(generator="g", implementer="i", rectifier="r"),
        meta=Orchestrator(model="Qwen/Qwen3-8B", server=SERVER),
        server=SERVER,
        solvers=("gpt-4o",),
        prices={},
    )
    assert away.trained and away.writer("generator").model == "g"
    assert [(one.field, one.model) for one in away.served] == [
        ("server", "gpt-4o"),
        ("meta.server", "Qwen/Qwen3-8B"),
        ("adapters.generator.server", "g"),
        ("adapters.implementer.server", "i"),
        ("adapters.rectifier.server", "r"),
    ]
    assert away.bound().cost_usd is None


def test_new_members_join_the_pool_and_are_asked_for_at_its_server() -> None:
    params = CrossBackboneParams(
        solvers=("a",), added=(("b", "c"), ("c", "d")), server=SERVER, prices={"desk-orchestrator": (1.0, 1.0)}
    )
    assert params.pool == ("a", "b", "c", "d")
    assert [one.model for one in params.served] == ["a", "b", "c", "d"]


def test_other_trainings_go_by_setting_and_value() -> None:
    params = AblationParams(trainings={"K": {"2": Adapters(generator="k2")}, "beta": {"0.1": Adapters()}})
    assert list(params.other_trainings) == [("K", 2.0), ("beta", 0.1)]
    assert params.bound().samples - AblationParams().bound().samples == 2 * params.n_runs
