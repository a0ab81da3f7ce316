"""What the notebook on orchestrators, their training and effort may be told, and the most that it can spend."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from masrepro.lab.effort_params import Effort, OrchestratorEffortParams, Training
from masrepro.lab.orchestrator import Orchestrator
from masrepro.models.servers import Server, served

DESK = Orchestrator(model="desk-orchestrator")
TRAINED = Training(model="desk-orchestrator", adapter="a/x", trained_on=("masbench/depth/3", "masbench/depth/2"))
SERVER = Server(base_url="http://127.0.0.1:9/v1", context_tokens=4096, api_key_env=None, reasoning_effort="low")


def test_a_training_knows_the_values_that_it_was_trained_on() -> None:
    assert TRAINED.values == {"depth": (2, 3)}
    both = TRAINED.model_copy(update={"trained_on": ("masbench/depth/2", "masbench/robustness/4/clean")})
    assert both.values == {"depth": (2,), "robustness": (4,)}


def test_orchestrators_are_shown_by_their_role_or_the_name_of_their_training() -> None:
    assert list(OrchestratorEffortParams().orchestrators) == ["instructed"]
    params = OrchestratorEffortParams(reasoning=DESK, trainings={"depth": TRAINED})
    assert list(params.orchestrators) == ["instructed", "reasoning", "depth"]
    assert list(params.orchestrators_by_field) == ["instructed", "reasoning", "trainings.depth"]
    assert params.tokens_of("reasoning") == params.reasoning_tokens > params.tokens_of("depth") == params.plan_tokens


def test_an_effort_is_told_to_the_server_alone_and_named_by_what_it_allows() -> None:
    efforts = (Effort(max_tokens=512), Effort(max_tokens=512, reasoning_effort="high"))
    assert [f"{effort}" for effort in efforts] == ["512 tokens", "high, 512 tokens"]
    params = OrchestratorEffortParams(server=SERVER, efforts=efforts)
    told = [params.at(effort).server for effort in efforts]
    assert [server and server.reasoning_effort for server in told] == ["low", "high"]
    revisions = {served(server, "m").revision for server in told if server}
    assert revisions == {'as served; reasoning_effort="low"', 'as served; reasoning_effort="high"'}
    here = OrchestratorEffortParams()
    assert here.at(Effort(max_tokens=64)) is here


def test_the_bound_counts_every_orchestrator_and_one_at_every_effort() -> None:
    own = OrchestratorEffortParams(
        axes={"depth": (2, 4)},
        effort_cells=("masbench/depth/4",),
        efforts=(Effort(max_tokens=10), Effort(max_tokens=20)),
        reasoning=DESK,
        reasoning_tokens=500,
        plan_tokens=100,
        max_tokens=50,
        n_samples=3,
        n_draws=2,
        system_calls=5,
    )
    bound = own.bound()
    compared, swept = 6 * (1 + 4 * 5), 3 * (1 + 2 * 5)
    assert bound.samples == 6 * (1 + 4) + 3 * 2 * (1 + 2)
    assert bound.calls == compared + 2 * swept + 6 * 4 + 3 * 2
    written = 6 * 2 * (100 + 500) + 3 * 2 * 100
    assert bound.completion_tokens == compared * 50 + swept * (10 + 20) + written
    assert bound.cost_usd == 0


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"trainings": {"reasoning": TRAINED}}, "trainings has reasoning, which is another's name here"),
        ({"swept": "depth"}, "swept is depth, but there are only instructed"),
        ({"efforts": (Effort(max_tokens=1), Effort(max_tokens=1))}, "holds 1 tokens more than once"),
        (
            {"efforts": (Effort(max_tokens=1), Effort(max_tokens=1, reasoning_effort="low"))},
            "only a server understands",
        ),
        ({"doms": ("LOW", "HIGH")}, "at most 1 item"),
    ],
)
def test_what_cannot_be_compared_is_refused(values: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        OrchestratorEffortParams.model_validate(values)


def test_a_training_without_its_cells_is_refused() -> None:
    with pytest.raises(ValidationError, match="trained_on"):
        Training.model_validate({"model": "desk-orchestrator", "adapter": "a/x"})
