"""What is on record is found, and what is named must be there."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from masrepro.explore.at_hand import samples_at_hand, team_of, training_at_hand, trees_at_hand
from masrepro.lab.explorer_params import ExplorerParams
from masrepro.lab.problem import BadInput
from masrepro.train.grpo_settings import GrpoSettings


@pytest.fixture
def outputs(tmp_path):
    """Two runs with samples and one training, beside the run that asks."""
    for name in ("01_five_axes/20260101T000000Z-a", "07_dom_sweep/20260201T000000Z-b"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "run.json").write_text("{}")
        (folder / "samples.jsonl").write_text("{}\n")
    return tmp_path


def asking(outputs):
    return SimpleNamespace(path=outputs / "15_explorer" / "20260301T000000Z-c")


async def test_the_newest_run_is_looked_at_or_the_one_that_is_named(outputs):
    newest = await samples_at_hand(asking(outputs), ExplorerParams())
    assert newest == outputs / "07_dom_sweep" / "20260201T000000Z-b"
    older = ExplorerParams(samples_from="01_five_axes/20260101T000000Z-a")
    assert (await samples_at_hand(asking(outputs), older)).name == "20260101T000000Z-a"


async def test_a_run_that_is_not_there_is_named(outputs):
    with pytest.raises(BadInput, match="samples_from: 01_five_axes/yesterday holds no samples"):
        await samples_at_hand(asking(outputs), ExplorerParams(samples_from="01_five_axes/yesterday"))


def test_a_training_that_is_not_there_is_named_and_the_newest_is_found(outputs):
    with pytest.raises(BadInput, match="training: no/where holds no training"):
        training_at_hand(asking(outputs), ExplorerParams(training="no/where"), None)
    with pytest.raises(ValidationError, match="or one that comes with masrepro: desk-orchestrator-high"):
        ExplorerParams(training="desk-orchestrator-hihg")
    model = outputs / "05_train_orchestrator" / "20260101T000000Z-t" / "training" / "model"
    model.mkdir(parents=True)
    for folder in (model, model.parent):
        (folder / "settings.json").write_text(GrpoSettings.model_validate({}).model_dump_json())
    assert training_at_hand(asking(outputs), ExplorerParams(), None) == model.parent


def test_there_may_be_no_tree(outputs):
    (outputs / "11_train_meta_agents" / "20260101T000000Z-a" / "trees").mkdir(parents=True)
    assert trees_at_hand(outputs) == []


def test_the_team_follows_the_params():
    team = team_of(ExplorerParams(max_tokens=9, system_calls=3, seed=4))
    assert (team.sampling.max_tokens, team.sampling.seed, team.budget.calls) == (9, 4, 3)
    assert list(team.models) == ["desk-solver-s"]
