"""Training a desk solver: it learns, it resumes, and what it leaves is an ordinary checkpoint."""

from dataclasses import replace
from random import Random

import pytest

from masrepro.models.desk import Size, new_model, new_tokenizer
from masrepro.train.desk_corpus import Row, draw_item, draw_rows, phrases
from masrepro.train.desk_solver import Recipe, accuracy_by_kind, train

SMALL = Recipe(minutes=0.15, size=Size(width=32, layers=2, heads=2, feed_forward=64), batch_tokens=512)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("solver")
    lines = []
    return train(SMALL, folder, n_checked=1, report=lines.append), lines


def test_finished_model_is_an_ordinary_checkpoint(trained):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, lines = trained
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    assert model.config.model_type == "lfm2"
    text = tokenizer.apply_chat_template(
        [{"role": "system", "content": "left out"}, {"role": "user", "content": "Goal: Solve Problem 2."}],
        tokenize=False,
        add_generation_prompt=True,
    )
    assert text == "<user>Goal: Solve Problem 2.<assistant>"
    assert tokenizer.decode(tokenizer(text, add_special_tokens=False)["input_ids"]) == text
    assert any(line.startswith("done") for line in lines)


def test_training_lowers_the_loss_on_unseen_rows(trained):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(trained[0])
    rng = Random("unseen")
    rows = [row for _ in range(20) for row in draw_rows(rng, draw_item(rng, 4))]

    def loss(model):
        total = 0.0
        for row in rows:
            ids = torch.tensor([tokenizer(f"{row.reply}<end>", add_special_tokens=False)["input_ids"]])
            total += float(model(input_ids=ids, labels=ids).loss)
        return total / len(rows)

    with torch.inference_mode():
        before = loss(new_model(new_tokenizer(phrases()), SMALL.size, SMALL.seed))
        after = loss(AutoModelForCausalLM.from_pretrained(trained[0], dtype=torch.float32))
    assert after < 0.8 * before


def test_a_longer_training_goes_on_from_the_checkpoint_of_its_own_recipe(tmp_path):
    first = replace(SMALL, minutes=0.03)
    train(first, tmp_path, n_checked=1, report=lambda _: None)
    lines = []
    train(first, tmp_path, n_checked=1, report=lines.append)
    assert lines[0].startswith("goes on at 0.0 of 0.03 minutes")
    with pytest.raises(ValueError, match="another recipe"):
        train(replace(first, seed=1), tmp_path, n_checked=1, report=lambda _: None)


def test_accuracy_counts_whole_answers(trained):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(trained[0]).float()
    row = Row(prompt="Goal: Solve Problem 1.", reply="Answer: \\boxed{99}", kind="whole", operations=0)
    assert accuracy_by_kind(model, AutoTokenizer.from_pretrained(trained[0]), [row]) == {"whole 0": "0/1"}
