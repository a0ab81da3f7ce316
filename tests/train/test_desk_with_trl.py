"""To TRL and PEFT the shipped desk models are ordinary checkpoints: a GRPO step on an adapter, and on all weights."""

import pytest

from masrepro.models.desk import folder_of, shipped


def grpo_step(name, folder, **adapter):
    """One GRPO update on four prompts, with a reward that differs within every group; returns the trainer."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    from masrepro.bench import benchmark

    async def reward(completions, **_):
        return [float(place % 4) for place, _ in enumerate(completions)]

    items = benchmark("masbench/parallel/2", split="train", n=4)
    prompts = Dataset.from_list([{"prompt": [{"role": "user", "content": item.question}]} for item in items])
    config = GRPOConfig(
        output_dir=str(folder),
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=12,
        max_steps=1,
        learning_rate=1e-2,
        report_to=[],
        save_strategy="no",
        use_cpu=True,
        bf16=False,
        disable_tqdm=True,
        seed=1,
        model_init_kwargs={"dtype": "float32"},
    )
    trainer = GRPOTrainer(
        model=str(folder_of(name)), reward_funcs=reward, args=config, train_dataset=prompts, **adapter
    )
    trainer.train()
    return trainer


@pytest.mark.parametrize("name", shipped())
def test_a_grpo_step_moves_a_lora_adapter(name, tmp_path):
    import torch
    from peft import LoraConfig, PeftModel
    from transformers import AutoModelForCausalLM

    lora = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type="CAUSAL_LM")
    trainer = grpo_step(name, tmp_path, peft_config=lora)
    trainer.save_model(tmp_path / "adapter")
    base = AutoModelForCausalLM.from_pretrained(folder_of(name), dtype=torch.float32)
    untouched = base.state_dict()["model.layers.0.conv.in_proj.weight"].clone()
    loaded = PeftModel.from_pretrained(base, tmp_path / "adapter")
    moved = [weight for key, weight in loaded.state_dict().items() if "lora_B" in key]
    assert moved
    assert sum(float(weight.abs().sum()) for weight in moved) > 0
    assert torch.equal(untouched, loaded.state_dict()["base_model.model.model.layers.0.conv.in_proj.base_layer.weight"])


def test_a_grpo_step_moves_all_weights(tmp_path):
    import torch
    from transformers import AutoModelForCausalLM

    name = shipped()[0]
    trainer = grpo_step(name, tmp_path)
    before = AutoModelForCausalLM.from_pretrained(folder_of(name), dtype=torch.float32).state_dict()
    after = trainer.model.state_dict()
    assert all(not torch.equal(weight, after[key]) for key, weight in before.items() if "proj" in key)
