"""Multi-turn GRPO: the reward rises, a stop changes nothing, and what an orchestrator is told bears no gradient."""

import json
import re

import pytest
from toy_writer import toy_assignments, train_sequencer

from masrepro.baselines import Sequential
from masrepro.baselines.sequential import turn_messages
from masrepro.lab.evaluate import evaluate
from masrepro.models import Pool, Sampling, Unavailable
from masrepro.models.desk import load_desk_model, new_tokenizer
from masrepro.train.desk_plans import PLAIN
from masrepro.train.desk_words import writing_phrases
from masrepro.train.grpo import prompt, train
from masrepro.train.grpo_settings import GrpoSettings
from masrepro.train.reward import SubAgentsDown
from masrepro.train.rollout import Team
from masrepro.train.sequential import heard_ids
from masrepro.train.trained import load_orchestrator
from masrepro.train.training_folder import SETTINGS, claim

DESK = dict(device="cpu", autocast=False, activation_checkpointing=False, beta=0.0, plan_tokens=64)


@pytest.fixture(scope="module")
def writer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sequencer")
    train_sequencer(folder)
    return folder


@pytest.fixture(scope="module")
def team():
    solver = load_desk_model("desk-solver-s")
    return Team(Pool.of(solver), sampling=Sampling(max_tokens=1), rationale_chars=0)


def two_agents(rollout):
    return float(rollout.plan is not None and len(rollout.plan.agents) == 2)


def short(writer, **changes):
    base = dict(DESK, method="sequential", turns=5, orchestrator=str(writer), prompts_per_step=2, group_size=4)
    base |= dict(micro_batch=4, learning_rate=2e-3, steps=4, checkpoint_every=2)
    return GrpoSettings(**{**base, **changes})


def run(settings, folder, team, reward_of=two_agents):
    lines = []
    given = toy_assignments(settings.steps * settings.prompts_per_step)
    return train(settings, folder, team=team, given=given, reward_of=reward_of, report=lines.append), lines


def weights(folder):
    from safetensors.torch import load_file

    (path,) = folder.glob("*.safetensors")
    return load_file(path)


def without_times(steps):
    return [{name: getattr(step, name) for name in step.__slots__ if name != "seconds"} for step in steps]


@pytest.fixture(scope="module")
def whole(writer, team, tmp_path_factory):
    """Four steps on an adapter, without a stop."""
    return run(short(writer, lora_rank=4), tmp_path_factory.mktemp("whole"), team)


def test_the_reward_of_a_toy_task_rises(writer, team, tmp_path):
    settings = short(writer, prompts_per_step=4, group_size=8, micro_batch=32, steps=8, learning_rate=3e-3)
    steps = run(settings, tmp_path, team)[0].steps
    first, last = (sum(step.reward for step in part) / len(part) for part in (steps[:2], steps[-3:]))
    assert last > first + 0.2
    assert all(1 < step.turns <= 5 for step in steps)


def test_a_stopped_training_ends_as_if_it_had_not_been_and_with_the_same_curve(whole, writer, team, tmp_path):
    import torch

    run(short(writer, lora_rank=4, steps=2), tmp_path, team)
    trained, lines = run(short(writer, lora_rank=4), tmp_path, team)
    assert lines[0] == "goes on after step 2"
    assert without_times(trained.steps) == without_times(whole[0].steps)
    for name, weight in weights(whole[0].folder).items():
        assert torch.equal(weight, weights(trained.folder)[name]), name


def test_what_an_orchestrator_is_told_bears_no_gradient(writer, team, tmp_path, monkeypatch):
    """Neither the chance of a token that it was told nor the entropy there counts; those of its own tokens do."""
    from transformers import AutoTokenizer
    from trl import GRPOTrainer

    seen = []
    compute_loss, measure = GRPOTrainer._compute_loss, GRPOTrainer._get_per_token_logps_and_entropies

    def computed(self, model, inputs):
        seen.append(inputs)
        return compute_loss(self, model, inputs)

    def measured(self, *given, **named):
        logps, entropies, more = measure(self, *given, **named)
        seen.extend((logps, entropies))
        logps.retain_grad()
        entropies.retain_grad()
        return logps, entropies, more

    monkeypatch.setattr(GRPOTrainer, "_compute_loss", computed)
    monkeypatch.setattr(GRPOTrainer, "_get_per_token_logps_and_entropies", measured)
    settings = short(writer, steps=1, micro_batch=8, entropy_coefficient=0.1)
    run(settings, tmp_path, team, reward_of=lambda rollout: rollout.attempt.n_tokens)
    inputs, logps, entropies = seen
    ids, own, there = (inputs[name] for name in ("completion_ids", "tool_mask", "completion_mask"))
    told, own = there.bool() & ~own.bool(), there.bool() & own.bool()
    assert told.any() and not logps.grad[told].any() and not entropies.grad[told].any()
    assert logps.grad[own & (inputs["advantages"][:, None] != 0)].all() and entropies.grad[own].all()
    tokenizer = AutoTokenizer.from_pretrained(writer)
    heard = "".join(tokenizer.decode(row[of_row]) for row, of_row in zip(ids, told, strict=True))
    assert re.fullmatch(r"(<user>From a\d: no answer<assistant>)+", heard)


def test_every_step_is_on_record_as_a_holistic_one_is(whole):
    trained, lines = whole
    assert [step.step for step in trained.steps] == [1, 2, 3, 4] and len(lines) == 4
    step = trained.steps[0]
    assert sum(step.outcomes.values()) == 8
    assert sum(step.agents.values()) == round(8 * step.valid)
    assert step.calls >= step.drawn_calls > 0
    assert {"loss", "entropy", "learning_rate", "grad_norm"} <= step.learning.keys()
    assert all(step.seconds[part] >= 0 for part in ("sampling", "execution", "waiting", "update"))
    assert json.loads((trained.folder / SETTINGS).read_text())["method"] == "sequential"


async def test_a_trained_adapter_is_evaluated_through_the_door_of_all_systems(whole, writer, team):
    model = load_orchestrator(str(writer), whole[0].folder)
    system = Sequential("trained", model, Sampling(1.0, 64, seed=1), catalogue=PLAIN, turns=5)
    items = [one.item for one in toy_assignments(4)]
    done = await evaluate(system, items, models=team.models, benchmark="toy", sampling=Sampling(max_tokens=48))
    assert any(sample.orchestration is not None for sample in done.samples)
    assert not done.outcomes["error"]


def test_a_back_end_that_is_down_ends_the_training(writer, tmp_path):
    class Down:
        name, revision, context_tokens, price = "down", "1", 4096, None

        async def complete(self, messages, sampling):
            raise Unavailable("connection refused")

    with pytest.raises(SubAgentsDown, match="connection refused"):
        run(short(writer, steps=1), tmp_path, Team(Pool.of(Down()), sampling=Sampling(max_tokens=1)))


def test_the_prompt_is_what_a_sequential_orchestrator_is_told_in_an_evaluation():
    (one,) = toy_assignments(1)
    told = turn_messages(one.item.question, one.dom, PLAIN)
    assert prompt(one, PLAIN, "sequential") == [{"role": turn.role, "content": turn.content} for turn in told]


def test_tokens_of_what_is_told_join_two_turns_as_the_template_does():
    tokenizer = new_tokenizer(writing_phrases())
    turns = [
        {"role": "user", "content": "From a1: 3"},
        {"role": "assistant", "content": 'answer(text="${a1}")'},
        {"role": "user", "content": "From a2: 7"},
    ]
    whole = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False)
    before = tokenizer.apply_chat_template(turns[:2], return_dict=False)
    assert before + heard_ids(tokenizer, "From a2: 7") == whole


@pytest.mark.parametrize(
    ("template", "why"),
    [
        (
            "{% for message in messages %}<user>{{ messages | length }}{{ message['content'] }}<end>{% endfor %}",
            "changes earlier turns",
        ),
        ("{% for message in messages %}<user>{{ message['content'] }}{% endfor %}", "ends no turn with '<end>'"),
    ],
)
def test_a_template_by_which_no_conversation_goes_on_is_refused(template, why):
    tokenizer = new_tokenizer(writing_phrases())
    tokenizer.chat_template = template
    with pytest.raises(ValueError, match=why):
        heard_ids(tokenizer, "From a2: 7")


def test_a_folder_that_was_begun_before_there_were_methods_is_a_holistic_one(tmp_path):
    settings = GrpoSettings()
    old = {name: value for name, value in settings.grpo_values().items() if name not in ("method", "turns")}
    (tmp_path / SETTINGS).write_text(json.dumps(old))
    usual = GrpoSettings().grpo_values()
    claim(tmp_path, settings.grpo_values(), usual)
    with pytest.raises(ValueError, match="another method"):
        claim(tmp_path, GrpoSettings(method="sequential").grpo_values(), usual)
