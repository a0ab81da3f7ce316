"""Training from params: every profile's file is valid, and says who the sub-agents are."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from masrepro.cli import main
from masrepro.lab.home import Home
from masrepro.lab.problem import BadInput
from masrepro.lab.resolve import resolve
from masrepro.lab.train_command import repeats_of, team_of, trained_orchestrator
from masrepro.lab.training_params import TrainOrchestratorParams
from masrepro.models.desk import WEIGHTS

ROOT = Path(__file__).parents[2]
NAME = "05_train_orchestrator"


@pytest.mark.parametrize("profile", ["smoke", "desk", "gpu"])
def test_every_profile_has_params_that_are_valid(profile, tmp_path):
    params = resolve(NAME, home=Home(ROOT, tmp_path), profile=profile)
    assert isinstance(params, TrainOrchestratorParams)
    assert params.completions_per_step % params.micro_batch == 0
    assert params.bound().calls > params.steps * params.completions_per_step


def test_the_gpu_profile_holds_the_papers_values(tmp_path):
    params = resolve(NAME, home=Home(ROOT, tmp_path), profile="gpu")
    assert isinstance(params, TrainOrchestratorParams)
    defaults = TrainOrchestratorParams()
    for name in ("learning_rate", "beta", "epsilon", "group_size", "prompts_per_step", "plan_tokens", "temperature"):
        assert getattr(params, name) == getattr(defaults, name), name


def test_the_team_is_asked_as_the_params_say():
    params = TrainOrchestratorParams(model="desk-solver-s", temperature=0.0, max_tokens=64, system_calls=9)
    team = team_of(params)
    assert list(team.models) == ["desk-solver-s"]
    assert (team.sampling.max_tokens, team.budget.calls) == (64, 9)
    assert [workflow.name for workflow in team.catalogue.workflows] == ["cot"]


def test_an_adapter_that_is_not_there_is_named(tmp_path):
    params = TrainOrchestratorParams(adapter=str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"no adapter .*name the model/ of a training"):
        trained_orchestrator(params, tmp_path / "training", team_of(params))


def trained_again(folder, **changes):
    """The shipped adapter as another training of other settings would have left it."""
    shutil.copytree(WEIGHTS / "desk-orchestrator-low", folder)
    settings = json.loads((folder / "settings.json").read_text())
    (folder / "settings.json").write_text(json.dumps(settings | changes))
    return str(folder)


def test_repeats_go_by_their_seeds_and_have_their_own_steps(tmp_path):
    again = trained_again(tmp_path / "again", seed=2)
    params = TrainOrchestratorParams(adapter="desk-orchestrator-low", repeats=(again,))
    repeats = repeats_of(params, trained_orchestrator(params, tmp_path, team_of(params)))
    assert list(repeats) == ["seed-2"] and len(repeats["seed-2"].steps) == 30


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 2, "steps": 9}, r"again in repeats differs in steps, not in its seed alone"),
        ({}, r"again in repeats has seed 1, as another one here"),
    ],
)
def test_what_is_no_repeat_is_refused(changes, said, tmp_path):
    params = TrainOrchestratorParams(
        adapter="desk-orchestrator-low", repeats=(trained_again(tmp_path / "again", **changes),)
    )
    with pytest.raises(BadInput, match=said):
        repeats_of(params, trained_orchestrator(params, tmp_path, team_of(params)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([("repeats", "[desk-orchestrator-low]")], "desk-orchestrator-low in repeats differs in cells, doms"),
        (
            [("repeats", "[desk-orchestrator-high]")],
            "desk-orchestrator-high in repeats has seed 1, as another one here",
        ),
        (
            [("adapter", '""'), ("steps", "60")],
            "desk-orchestrator-high-2 in repeats differs in steps, not in its seed alone",
        ),
    ],
)
def test_what_is_no_repeat_is_told_before_a_notebook_starts(options, said, tmp_path):
    with pytest.raises(BadInput, match=said):
        resolve(NAME, home=Home(ROOT, tmp_path), profile="desk", options=options)
    assert resolve(NAME, home=Home(ROOT, tmp_path), profile="desk", options=[("adapter", '""')]).repeats


def test_a_dry_run_says_what_training_would_take_and_loads_nothing(capsys):
    before = set(sys.modules)
    assert main(["train", "--profile", "gpu", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert all(word in told for word in ("parameters: 7,615,616,512", "memory on each of 8", "calls", "hours"))
    assert not {"trl", "vllm"} & (set(sys.modules) - before)


def test_only_a_notebook_that_trains_an_orchestrator_can_be_trained(capsys):
    assert main(["train", "01_five_axes", "--dry-run"]) == 2
    assert "01_five_axes trains no orchestrator" in capsys.readouterr().err


def test_fields_that_do_not_go_together_are_told_where_one_was_set(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("seed: 3\nmicro_batch: 60\n")
    with pytest.raises(BadInput, match=r"mine\.yaml, line 2: a batch of .* not a multiple of micro_batch 60"):
        resolve(NAME, home=Home(ROOT, tmp_path), profile="desk", file=mine)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("orchestrator", "desk-orchestrater", "or one of the desk models here: desk-orchestrator"),
        ("orchestrator", "someone/else", "the configuration of someone/else is not on this machine"),
        ("adapter", "nowhere", "or one that comes with masrepro: desk-generator"),
        ("adapter", "none/of/these", "no adapter 'none/of/these'"),
    ],
)
def test_a_model_that_is_not_there_is_one_message_and_exit_code_2(key, value, told, capsys):
    assert main(["train", "--profile", "smoke", "-p", key, value]) == 2
    assert told in capsys.readouterr().err
