"""Params of notebooks in which an orchestrator writes: what may be set, what is refused, and the bound on a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixture_home import REPOSITORY

from masrepro.lab.home import Home
from masrepro.lab.orchestrator import Orchestrator
from masrepro.lab.params import SCHEMAS, CostParetoParams, DomSweepParams, Params, describe
from masrepro.lab.problem import BadInput
from masrepro.lab.resolve import resolve
from masrepro.models.servers import Server

HOME = Home(REPOSITORY, REPOSITORY / "outputs")
NAMES = ("01_five_axes", "07_dom_sweep", "08_orchestrator_and_effort", "09_cost_pareto")
SERVER = Server(base_url="http://127.0.0.1:9/v1", context_tokens=4096)
WRITER = Orchestrator(model="gpt-5", server=SERVER)


def params_of(name: str, profile: str, *options: tuple[str, str]) -> Params:
    return resolve(name, home=HOME, profile=profile, options=options)


def refused(name: str, *options: tuple[str, str]) -> str:
    with pytest.raises(BadInput) as caught:
        params_of(name, "smoke", *options)
    return str(caught.value)


@pytest.mark.parametrize("name", NAMES)
def test_desk_params_run_here_for_nothing(name: str) -> None:
    for profile in ("smoke", "desk"):
        bound = params_of(name, profile).bound()
        assert bound.cost_usd == 0 and bound.samples > 0 and bound.calls > bound.samples


def test_degrees_are_swept_from_the_smallest_cap_on() -> None:
    params = DomSweepParams(caps=(4, 0, 8))
    assert [str(dom) for dom in params.degrees(params.caps)] == ["0", "4", "8", "LOW", "HIGH"]


def test_the_bound_of_a_sweep_counts_every_degree_and_solver() -> None:
    params = DomSweepParams(
        axes={"depth": (2, 4)}, n_samples=10, caps=(0, 3), doms=("LOW",), solvers=("a", "b"), max_tokens=100, n_draws=2
    )
    bound = params.bound()
    assert bound.samples == 20 * 2 * (1 + 2 * 3)
    written, answered = 20 * 2 * 3, 20 * 2 * (1 + 2 * (0 + 3 + 1))
    assert bound.calls == written + answered
    assert bound.completion_tokens == answered * 100 + written * params.plan_tokens


def test_systems_of_other_workflows_are_bounded_by_their_calls() -> None:
    one = DomSweepParams(axes={"depth": (2,)}, n_samples=1, caps=(1, 2), doms=(), solvers=("a",), system_calls=9)
    many = one.model_copy(update={"workflows": ("cot", "debate")})
    assert one.bound().calls == 2 + 1 + (1 + 2)
    assert many.bound().calls == 2 + 1 + (9 + 9)


def test_the_bound_of_a_comparison_counts_every_system() -> None:
    params = CostParetoParams(
        cells=("masbench/depth/2",),
        n_samples=1,
        solvers=("a", "b"),
        shapes=("star",),
        alone=("cot_sc", "debate"),
        doms=("LOW",),
    )
    bound = params.bound()
    assert bound.samples == 2 + 2 + 1 + 1
    assert bound.calls == 2 + (5 + 11) + 40 + params.system_calls + 1


def test_every_server_is_named_by_its_field() -> None:
    sweep = DomSweepParams(server=SERVER, solvers=("x", "y"), orchestrator=WRITER)
    assert [(one.field, one.model) for one in sweep.served] == [
        ("server", "x"),
        ("server", "y"),
        ("orchestrator.server", "gpt-5"),
    ]
    assert sweep.bound().cost_usd is None
    front = CostParetoParams(orchestrators={"untrained": Orchestrator(model="desk-orchestrator"), "api": WRITER})
    assert [(one.field, one.model) for one in front.served] == [("orchestrators.api.server", "gpt-5")]
    assert front.bound().cost_usd is None and CostParetoParams().served == ()


def test_models_that_run_here_have_only_the_price_that_params_give() -> None:
    params = CostParetoParams(prices={"desk-solver-s": (1.0, 2.0)})
    given = params.price_at("desk-solver-s", params)
    assert given is not None and given.of(1_000_000, 1_000_000) == 3
    assert params.price_at("desk-solver-m", params) is None
    assert params.price_at("gpt-5", Orchestrator(model="gpt-5")) is None
    hosted = WRITER.model_copy(update={"server": SERVER.model_copy(update={"base_url": "https://api.openai.com/v1"})})
    listed = params.price_at("gpt-5", hosted)
    assert listed is not None and listed.completion_usd > 0


@pytest.mark.parametrize(
    ("name", "option", "said"),
    [
        ("07_dom_sweep", ("caps", "[1]"), "caps needs at least two numbers of agents"),
        ("07_dom_sweep", ("caps", "[1, 1, 2]"), "caps is [1, 1, 2]: holds 1 more than once"),
        ("07_dom_sweep", ("caps", "[-1, 2]"), "caps.0 is -1"),
        ("07_dom_sweep", ("doms", "[MEDIUM]"), "should be 'LOW' or 'HIGH'"),
        ("07_dom_sweep", ("orchestrator.modl", "x"), "unknown key orchestrator.modl, did you mean model?"),
        ("07_dom_sweep", ("orchestrator.model", "desk-orchestra"), "one of the desk models here"),
        ("07_dom_sweep", ("orchestrator.server", "{base_ur: x, context_tokens: 1}"), "did you mean base_url?"),
        ("09_cost_pareto", ("cache", "true"), "cache is true, but a reply from there costs nothing"),
        ("09_cost_pareto", ("cells", "[masbench/deep/4]"), "deep"),
        (
            "09_cost_pareto",
            ("orchestrators.untrained.adaptr", "x"),
            "unknown key orchestrators.untrained.adaptr, did you",
        ),
    ],
)
def test_a_mistake_is_explained(name: str, option: tuple[str, str], said: str) -> None:
    assert said in refused(name, option)


def test_another_orchestrator_is_laid_beside_the_given_one() -> None:
    params = params_of("09_cost_pareto", "smoke", ("orchestrators.trained", "{model: desk-orchestrator, adapter: a/x}"))
    assert isinstance(params, CostParetoParams)
    assert list(params.orchestrators) == ["untrained", "trained"]
    assert params.orchestrators["trained"].adapter == "a/x"


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_described_with_its_default(name: str) -> None:
    for field, default, description in describe(SCHEMAS[name]):
        assert description and default, field


def test_notebooks_name_the_files_that_they_promise() -> None:
    for name in NAMES:
        source = Path(REPOSITORY / "notebooks" / f"{name}.ipynb").read_text()
        for file in SCHEMAS[name].files:
            assert file.split(".")[0] in source
