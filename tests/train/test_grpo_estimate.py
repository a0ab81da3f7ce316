"""What a training will take: sizes from the configuration alone, sharded memory, and what is assumed said."""

from dataclasses import replace

import pytest

from masrepro.models.desk import Size, new_model, new_tokenizer
from masrepro.train.desk_words import writing_phrases
from masrepro.train.grpo_estimate import DESK, H200, estimate_training
from masrepro.train.grpo_settings import GrpoSettings


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """Settings for a small desk model, and how many weights it has."""
    folder = tmp_path_factory.mktemp("desk")
    tokenizer = new_tokenizer(writing_phrases())
    model = new_model(tokenizer, Size(width=32, layers=2, heads=2, feed_forward=64), seed=0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    settings = GrpoSettings(
        orchestrator=str(folder),
        steps=10,
        prompts_per_step=4,
        group_size=8,
        plan_tokens=100,
        beta=0.0,
        device="cpu",
        autocast=False,
        activation_checkpointing=False,
    )
    return settings, sum(weight.numel() for weight in model.parameters())


def test_the_papers_training_is_sized_without_a_weight():
    found = estimate_training(GrpoSettings(prompts_per_step=64, steps=150, vllm="colocate"), 512, H200)
    assert found.n_parameters == found.n_trained == 7_615_616_512
    assert found.n_completions == 150 * 64 * 32
    assert found.memory_gib["vLLM"] == pytest.approx(0.3 * 141)
    assert found.memory_gib["reference"] == pytest.approx(found.memory_gib["weights"])
    assert found.fits and found.most_calls is None
    assert any(line.startswith("assumed: ") for line in found.lines())


def test_sizes_of_a_desk_model_are_those_of_its_weights(desk):
    settings, n_weights = desk
    whole = estimate_training(settings, 64, DESK)
    assert whole.n_parameters == whole.n_trained == n_weights
    adapted = estimate_training(settings.model_copy(update={"lora_rank": 4}), 64, DESK)
    assert adapted.n_parameters == n_weights and 0 < adapted.n_trained < n_weights / 2
    assert "reference" not in whole.memory_gib and "vLLM" not in whole.memory_gib


def test_devices_share_the_weights_and_bounds_hold(desk):
    settings, _ = desk
    one = estimate_training(settings, 64, DESK)
    two = estimate_training(settings.model_copy(update={"system_calls": 3}), 64, replace(DESK, n_devices=2))
    assert two.memory_gib["weights"] == pytest.approx(one.memory_gib["weights"] / 2)
    assert two.most_calls == 320 * 3
    assert two.calls < one.calls
    assert one.most_plan_tokens == 320 * 100 >= one.plan_tokens
    assert not estimate_training(settings, 64, replace(DESK, memory_gib=1e-6)).fits


def test_a_model_that_is_not_here_is_named_with_what_is_known():
    with pytest.raises(ValueError, match=r"of nobody/nothing is not on this machine.*Qwen2.5-7B-Instruct"):
        estimate_training(GrpoSettings(orchestrator="nobody/nothing"), 64, H200)


def test_conversations_are_read_again_at_every_turn(desk):
    settings, _ = desk
    at_once = estimate_training(settings, 64, DESK)
    in_turns = estimate_training(settings.model_copy(update={"method": "sequential"}), 64, DESK)
    assert in_turns.hours["reading again"] > 0 and "reading again" not in at_once.hours
    assert any("reading again" in line for line in in_turns.lines())
