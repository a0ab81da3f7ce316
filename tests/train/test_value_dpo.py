"""The value-scaled loss is TRL's where every pair weighs 1, and scales with the weights, as does a model's gradient."""

import pytest
import torch
from datasets import Dataset
from peft import LoraConfig
from toy_pairs import SMALL, WORDS, toy_pairs
from trl import DPOConfig, DPOTrainer

from masrepro.models.desk import new_model, new_tokenizer
from masrepro.train.cto import tokens
from masrepro.train.value_dpo import ValueScaledDPOTrainer

TOKENIZER = new_tokenizer(WORDS)
BETA = 0.3


def conversations(deltas):
    """Pairs as TRL takes them: prompts of a user's turn, the desk template dropping any other."""
    return [
        {
            "prompt": [{"role": "user", "content": pair.prompt[1].content}],
            "chosen": [{"role": "assistant", "content": pair.win}],
            "rejected": [{"role": "assistant", "content": pair.lose}],
            "delta": delta,
        }
        for pair, delta in zip(toy_pairs(len(deltas)), deltas, strict=True)
    ]


def trainer_of(kind, rows, folder, **changes):
    """A trainer in double precision whose adapter is already some way from the base."""
    config = DPOConfig(
        output_dir=str(folder),
        seed=1,
        beta=BETA,
        per_device_train_batch_size=4,
        use_cpu=True,
        bf16=False,
        activation_checkpointing=False,
        report_to=[],
        disable_tqdm=True,
        **changes,
    )
    trainer = kind(
        model=new_model(TOKENIZER, SMALL, seed=0).double(),
        args=config,
        train_dataset=Dataset.from_list(rows),
        processing_class=TOKENIZER,
        peft_config=LoraConfig(r=2, lora_alpha=4, target_modules="all-linear", task_type="CAUSAL_LM"),
    )
    torch.manual_seed(2)
    for name, weight in trainer.model.named_parameters():
        if "lora" in name:
            weight.data = torch.randn_like(weight, dtype=torch.float64) / 5
    return trainer


def learned(trainer, places):
    """Loss and gradient of some pairs as one batch."""
    trainer.model.zero_grad()
    batch = trainer.data_collator([trainer.train_dataset[place] for place in places])
    loss = trainer.compute_loss(trainer.model, batch)
    loss.backward()
    return float(loss.detach()), torch.cat([w.grad.flatten() for w in trainer.model.parameters() if w.requires_grad])


def close(one, other):
    """Equal but for the rounding of log-probabilities, which TRL computes in single precision."""
    return torch.allclose(one, other, rtol=0, atol=1e-6 * float(other.abs().max()))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return trainer_of(DPOTrainer, conversations([1.0] * 4), tmp_path_factory.mktemp("plain"))


def test_with_every_delta_one_loss_and_gradient_are_those_of_dpo(plain, tmp_path):
    ours = trainer_of(ValueScaledDPOTrainer, conversations([1.0] * 4), tmp_path)
    loss, gradient = learned(ours, range(4))
    loss_of_dpo, gradient_of_dpo = learned(plain, range(4))
    assert gradient_of_dpo.abs().max() > 1e-3
    assert loss == pytest.approx(loss_of_dpo, rel=1e-12)
    assert close(gradient, gradient_of_dpo)


def test_with_every_delta_the_same_the_gradient_is_so_many_times_that_of_dpo(plain, tmp_path):
    loss, gradient = learned(trainer_of(ValueScaledDPOTrainer, conversations([2.5] * 4), tmp_path), range(4))
    loss_of_dpo, gradient_of_dpo = learned(plain, range(4))
    assert loss == pytest.approx(2.5 * loss_of_dpo, rel=1e-6)
    assert close(gradient, 2.5 * gradient_of_dpo)


def test_with_mixed_deltas_it_is_the_weighted_mean_of_the_pairs(plain, tmp_path):
    deltas = [0.25, 2.0, 1.0, 0.5]
    loss, gradient = learned(trainer_of(ValueScaledDPOTrainer, conversations(deltas), tmp_path), range(4))
    alone = [learned(plain, [place]) for place in range(4)]
    assert loss == pytest.approx(sum(d * one for d, (one, _) in zip(deltas, alone, strict=True)) / 4, rel=1e-6)
    assert close(gradient, sum(d * one for d, (_, one) in zip(deltas, alone, strict=True)) / 4)


def test_the_loss_is_the_papers_formula(tmp_path):
    """Written out from the logits of base and adapter."""
    deltas = [0.25, 2.0, 1.0, 0.5]
    trainer = trainer_of(ValueScaledDPOTrainer, conversations(deltas), tmp_path)
    model = trainer.model

    def log_likelihood(pair, text):
        prompt, action = tokens(TOKENIZER, pair.prompt, text)
        logits = model(input_ids=torch.tensor([prompt + action])).logits[0, len(prompt) - 1 : -1]
        return float(logits.log_softmax(-1).gather(1, torch.tensor(action)[:, None]).sum())

    losses = []
    with torch.no_grad():
        for pair, delta in zip(toy_pairs(4), deltas, strict=True):
            lead = log_likelihood(pair, pair.win) - log_likelihood(pair, pair.lose)
            with model.disable_adapter():
                lead -= log_likelihood(pair, pair.win) - log_likelihood(pair, pair.lose)
            losses.append(-delta * torch.nn.functional.logsigmoid(torch.tensor(BETA * lead, dtype=torch.float64)))
    assert learned(trainer, range(4))[0] == pytest.approx(float(sum(losses)) / 4, rel=1e-6)


def test_a_reference_computed_beforehand_gives_the_same_loss(plain, tmp_path):
    """The reference is the base, which an adapter that starts at nothing equals."""
    ours = trainer_of(ValueScaledDPOTrainer, conversations([1.0] * 4), tmp_path, precompute_ref_log_probs=True)
    assert "ref_chosen_logps" in ours.train_dataset.column_names
    assert learned(ours, range(4))[0] == pytest.approx(learned(plain, range(4))[0], rel=1e-6)


def test_pairs_that_are_in_tokens_are_taken_as_they_are(plain, tmp_path):
    rows = []
    for pair in toy_pairs(4):
        (told, win), (_, lose) = (tokens(TOKENIZER, pair.prompt, text) for text in (pair.win, pair.lose))
        rows.append({"prompt_ids": told, "chosen_ids": win, "rejected_ids": lose, "delta": 1.0})
    ours = trainer_of(ValueScaledDPOTrainer, rows, tmp_path)
    for row, by_trl in zip(ours.train_dataset, plain.train_dataset, strict=True):
        assert all(row[name] == by_trl[name] for name in ("prompt_ids", "chosen_ids", "rejected_ids"))


def test_a_data_set_to_evaluate_on_is_weighed_as_well(plain, tmp_path):
    ours = trainer_of(ValueScaledDPOTrainer, conversations([2.0] * 4), tmp_path)
    told = ours.evaluate(Dataset.from_list(conversations([0.5] * 4)))
    assert told["eval_loss"] == pytest.approx(0.5 * learned(plain, range(4))[0], rel=1e-6)
    assert told["eval_delta"] == 0.5


def test_logits_are_not_to_be_had_with_the_loss(tmp_path):
    trainer = trainer_of(ValueScaledDPOTrainer, conversations([1.0]), tmp_path)
    with pytest.raises(ValueError, match="leave compute_metrics out"):
        trainer.compute_loss(trainer.model, trainer.data_collator([trainer.train_dataset[0]]), return_outputs=True)
