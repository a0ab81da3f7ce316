"""GRPO on systems: the reward rises, a seed gives one curve, and a training that was stopped goes on exactly."""

import json

import pytest
from toy_writer import toy_assignments, train_writer

from masrepro.meta.orchestrator import orchestrator_messages
from masrepro.models import Pool, Sampling
from masrepro.models.desk import load_desk_model
from masrepro.train.desk_plans import PLAIN
from masrepro.train.grpo import catalogue_of, grpo_config, prompt, train
from masrepro.train.grpo_settings import GrpoSettings
from masrepro.train.history import read_history
from masrepro.train.rollout import Team
from masrepro.train.trained import load_orchestrator
from masrepro.train.training_folder import SETTINGS, earlier_adapters

DESK = dict(device="cpu", autocast=False, activation_checkpointing=False, beta=0.0, plan_tokens=48)


@pytest.fixture(scope="module")
def writer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("writer")
    train_writer(folder)
    return folder


@pytest.fixture(scope="module")
def team():
    return Team(Pool.of(load_desk_model("desk-solver-s")), sampling=Sampling(max_tokens=1))


def two_agents(rollout):
    return float(rollout.plan is not None and len(rollout.plan.agents) == 2)


def short(writer, **changes):
    base = dict(DESK, orchestrator=str(writer), prompts_per_step=2, group_size=4, micro_batch=4, learning_rate=2e-3)
    return GrpoSettings(**{**base, "steps": 4, "checkpoint_every": 2, **changes})


def run(settings, folder, team):
    lines = []
    trained = train(settings, folder, team=team, given=toy_assignments(16), reward_of=two_agents, report=lines.append)
    return trained, lines


def weights(folder):
    from safetensors.torch import load_file

    (path,) = folder.glob("*.safetensors")
    return load_file(path)


def without_times(steps):
    return [{name: getattr(step, name) for name in step.__slots__ if name != "seconds"} for step in steps]


@pytest.fixture(scope="module")
def whole(writer, team, tmp_path_factory):
    """Four steps on an adapter, without a stop."""
    folder = tmp_path_factory.mktemp("whole")
    return run(short(writer, lora_rank=4, beta=0.01), folder, team)


def test_the_reward_of_a_toy_task_rises(writer, team, tmp_path):
    settings = short(writer, prompts_per_step=4, group_size=8, micro_batch=32, steps=9)
    steps = train(
        settings, tmp_path, team=team, given=toy_assignments(36), reward_of=two_agents, report=lambda _: None
    ).steps
    first, last = (sum(step.reward for step in part) / len(part) for part in (steps[:2], steps[-3:]))
    assert last > first + 0.2
    assert all(step.plan_tokens < 48 for step in steps)


def test_a_stopped_training_ends_as_if_it_had_not_been_and_with_the_same_curve(whole, writer, team, tmp_path):
    import torch

    run(short(writer, lora_rank=4, beta=0.01, steps=2), tmp_path, team)
    trained, lines = run(short(writer, lora_rank=4, beta=0.01), tmp_path, team)
    assert lines[0] == "goes on after step 2"
    assert without_times(trained.steps) == without_times(whole[0].steps)
    for name, weight in weights(whole[0].folder).items():
        assert torch.equal(weight, weights(trained.folder)[name]), name


def test_another_seed_gives_another_curve(whole, writer, team, tmp_path):
    other, _ = run(short(writer, lora_rank=4, beta=0.01, steps=1, seed=2), tmp_path, team)
    assert without_times(other.steps) != without_times(whole[0].steps[:1])


def test_every_step_is_on_record_and_reported(whole):
    trained, lines = whole
    assert [step.step for step in trained.steps] == [1, 2, 3, 4]
    assert len(lines) == 4 and lines[0].startswith("step 1/4  reward ")
    step = trained.steps[0]
    assert sum(step.outcomes.values()) == 8
    assert sum(step.agents.values()) == round(8 * step.valid)
    assert {"loss", "entropy", "kl", "learning_rate", "grad_norm"} <= step.learning.keys()
    assert step.seconds.keys() == {"sampling", "execution", "waiting", "update"}
    assert all(seconds >= 0 for seconds in step.seconds.values())


def test_the_adapter_names_its_base_as_the_settings_do_and_no_path_of_this_machine(whole, writer):
    folder = whole[0].folder
    assert json.loads((folder / "adapter_config.json").read_text())["base_model_name_or_path"] == str(writer)
    assert not (folder / "training_args.bin").exists() and not (folder / "README.md").exists()
    assert read_history(folder / "history.jsonl") == list(whole[0].steps)
    assert earlier_adapters(folder).keys() == {2, 4}, "of every checkpoint"


async def test_a_trained_adapter_writes_other_systems_than_its_base(whole, writer):
    messages = orchestrator_messages(toy_assignments(1)[0].item.question, catalogue=PLAIN)
    sampling = Sampling(temperature=1.0, max_tokens=48, seed=1)
    base, adapted = load_orchestrator(str(writer)), load_orchestrator(str(writer), whole[0].folder)
    assert base.revision != adapted.revision
    assert (await adapted.complete(messages, sampling)).text.startswith("create_agent(")


def test_other_settings_are_refused_in_a_folder_that_was_begun(whole, writer, team):
    folder = whole[0].folder.parent
    with pytest.raises(ValueError, match="another learning_rate"):
        run(short(writer, lora_rank=4, beta=0.01, learning_rate=1e-4), folder, team)
    with pytest.raises(ValueError, match="has gone for 4 steps"):
        run(short(writer, lora_rank=4, beta=0.01, steps=3), folder, team)
    assert json.loads((folder / SETTINGS).read_text())["steps"] == 4
    assert len(read_history(folder / "history.jsonl")) == 4


def test_the_prompt_is_what_an_orchestrator_is_told_in_an_evaluation():
    (one,) = toy_assignments(1)
    told = orchestrator_messages(one.item.question, one.dom, PLAIN)
    assert prompt(one, PLAIN) == [{"role": turn.role, "content": turn.content} for turn in told]
    assert catalogue_of(GrpoSettings()) == PLAIN


def test_the_papers_settings_are_those_of_its_trainer(tmp_path):
    config = grpo_config(GrpoSettings(device="cpu", autocast=False, micro_batch=8), tmp_path)
    assert (config.num_generations, config.generation_batch_size) == (32, 2048)
    assert config.steps_per_generation == config.gradient_accumulation_steps  # one update a batch: on policy
    assert (config.learning_rate, config.beta, config.epsilon, config.temperature) == (1e-6, 0.001, 0.2, 1.0)
    assert (config.weight_decay, config.max_grad_norm, config.loss_type) == (0.01, 1.0, "dapo")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"micro_batch": 3}, "not a multiple of micro_batch 3"),
        ({"cells": ("masbench/dept/4",)}, "no axis 'dept'"),
        ({"doms": ("MEDIUM",)}, "no degree of MAS 'MEDIUM'"),
        ({"vllm": "server"}, "needs vllm_url"),
        ({"learning_rat": 1e-3}, "learning_rat"),
    ],
)
def test_settings_that_cannot_be_are_refused(changes, told):
    with pytest.raises(ValueError, match=told):
        GrpoSettings(**changes)


def test_an_unknown_workflow_is_named():
    with pytest.raises(ValueError, match=r"no workflow 'cott'; there are: cot, "):
        catalogue_of(GrpoSettings(workflows=("cott",)))
