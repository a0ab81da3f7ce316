"""Params that name a server: validated like all others, and refused before a run where the server is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixture_home import REPOSITORY

from masrepro.lab.backbone import load_backbone, require_server
from masrepro.lab.home import Home
from masrepro.lab.params import PublicParams
from masrepro.lab.problem import BadInput
from masrepro.lab.resolve import resolve
from masrepro.models import FREE, OpenAICompatible

HOME = Home(REPOSITORY, REPOSITORY / "outputs")
API = sorted(path.stem for path in (REPOSITORY / "params" / "api").glob("*.yaml"))
NOWHERE = ("server.base_url", "http://127.0.0.1:9/v1")


@pytest.mark.parametrize("name", API)
def test_api_params_are_valid_and_bounded_and_their_cost_is_known_where_they_give_prices(name: str) -> None:
    file = REPOSITORY / "params" / "api" / f"{name}.yaml"
    params = resolve(name, home=HOME, profile="api")
    assert params.server is not None
    assert params.bound().calls > 0 and (params.bound().cost_usd is not None) == ("\nprices:" in file.read_text())


@pytest.mark.parametrize("name", API)
def test_a_run_is_refused_where_its_server_is_not(name: str) -> None:
    params = resolve(name, home=HOME, profile="api", options=[NOWHERE])
    with pytest.raises(BadInput, match=r"^server: http://127\.0\.0\.1:9/v1: nothing answers .*Start the server"):
        require_server(params)


def test_mistakes_below_server_are_named_with_their_place(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("server:\n  base_ur: x\n  context_tokens: many\n  api_key: sk-0123456789abcdef\n")
    with pytest.raises(BadInput) as caught:
        resolve("00_start_here", home=HOME, profile="api", file=file)
    text = str(caught.value)
    assert "line 4: server holds a secret" in text


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("server.base_ur", "x", "unknown key server.base_ur, did you mean base_url?"),
        ("server.context_tokens", "many", "server.context_tokens is 'many': should be a valid integer"),
        ("server.reasoning_effort", "lo", "server.reasoning_effort is 'lo': should be 'low', 'medium' or 'high'"),
    ],
)
def test_a_mistake_in_one_field_of_the_server_is_explained(key: str, value: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        resolve("00_start_here", home=HOME, profile="api", options=[(key, value)])
    assert said in str(caught.value)


def test_prices_of_the_params_hold_for_the_served_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masrepro.lab.backbone.why_not", lambda server, model: None)
    given = [NOWHERE, ("prices", "{Qwen/Qwen2.5-7B-Instruct: [0, 0]}")]
    model = load_backbone(resolve("00_start_here", home=HOME, profile="api", options=given))
    assert isinstance(model, OpenAICompatible) and model.price == FREE
    unpriced = load_backbone(resolve("00_start_here", home=HOME, profile="api", options=[NOWHERE]))
    assert unpriced.price is None


def test_another_model_than_the_one_that_runs_here_needs_a_server() -> None:
    assert PublicParams().bound().cost_usd == 0
    with pytest.raises(BadInput, match="set server, or take smollm2-135m-instruct"):
        resolve("04_public_benchmarks", home=HOME, profile="smoke", options=[("model", "gpt-4o")])
