"""Training a desk solver: it learns, it resumes, and what it leaves is an ordinary checkpoint."""

from dataclasses import replace
from random import Random

import pytest

from masrepro.models.desk import Size, folder_of, new_model, new_tokenizer
from masrepro.train.desk_check import accuracy_by_kind
from masrepro.train.desk_corpus import Row, draw_item, draw_rows
from masrepro.train.desk_recipe import RECIPES, Recipe
from masrepro.train.desk_training import Training, train
from masrepro.train.desk_words import phrases

# Lengths are in tokens, so that a slow machine trains the same model.
SMALL = Recipe(
    tokens=60_000,
    decay_tokens=20_000,
    size=Size(width=32, layers=2, heads=2, feed_forward=64),
    batch_tokens=1024,
    pool_rows=32,
    drill_facts=((1e6, 16),),
    warmup_steps=10,
)


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


def weights(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def test_a_training_that_was_stopped_ends_as_if_it_had_not_been(tmp_path, monkeypatch):
    import torch

    short = replace(SMALL, tokens=16_000, decay_tokens=4_000)
    lines = []
    whole = train(short, tmp_path / "whole", n_checked=1, report=lambda _: None)

    class Stopped(Exception):
        pass

    def stop(line):
        lines.append(line)
        if "done" in line:
            raise Stopped

    shorter = replace(short, tokens=8_000, decay_tokens=1)
    with pytest.raises(Stopped):
        train(shorter, tmp_path / "part", n_checked=1, report=stop)
    finished = train(short, tmp_path / "rest", start=tmp_path / "part", n_checked=1, report=lines.append)
    assert any(line.startswith("goes on at") for line in lines)
    for name, weight in weights(whole).items():
        assert torch.equal(weight, weights(finished)[name]), name


def test_what_another_recipe_left_is_refused(tmp_path):
    short = replace(SMALL, tokens=4_000, decay_tokens=2_000)
    train(short, tmp_path, n_checked=1, report=lambda _: None)
    with pytest.raises(ValueError, match="another recipe"):
        train(replace(short, seed=1), tmp_path, n_checked=1, report=lambda _: None)
    with pytest.raises(ValueError, match="another recipe"):
        train(replace(short, seed=1), tmp_path / "new", start=tmp_path, n_checked=1, report=lambda _: None)
    with pytest.raises(ValueError, match="slows down"):
        train(replace(short, decay_tokens=3_999), tmp_path / "new", start=tmp_path, n_checked=1, report=lambda _: None)


def test_a_start_that_holds_nothing_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="name the folder of a shorter training"):
        train(SMALL, tmp_path / "new", start=tmp_path, report=lambda _: None)


def test_minutes_bound_the_training_time(tmp_path):
    lines = []
    train(replace(SMALL, minutes=0.02), tmp_path, n_checked=1, report=lines.append)
    train(replace(SMALL, minutes=0.02), tmp_path, n_checked=1, report=lines.append)
    assert lines[-2].startswith("goes on at [####################] 100%")


def test_accuracy_counts_whole_answers(trained):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(trained[0]).float()
    row = Row(prompt="Goal: Solve Problem 1.", reply="Answer: \\boxed{99}", kind="whole", operations=0)
    assert accuracy_by_kind(model, AutoTokenizer.from_pretrained(trained[0]), [row]) == {"whole 0": "0/1"}


def test_one_of_wider_reach_begins_as_what_it_begins_with():
    import torch
    from transformers import AutoModelForCausalLM

    theirs = AutoModelForCausalLM.from_pretrained(folder_of("desk-solver-s"), dtype=torch.float32)
    wider = Training.of(Recipe(tokens=1, decay_tokens=1, begins_with="desk-solver-s", size=Size(reach=7)))
    ids = torch.arange(40).reshape(2, 20)
    with torch.no_grad():
        torch.testing.assert_close(wider.model(ids).logits, theirs(ids).logits, atol=1e-4, rtol=1e-4)


def test_a_writer_begins_with_what_its_solver_computes():
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    run = Training.of(RECIPES["orchestrator"])
    solver = AutoModelForCausalLM.from_pretrained(folder_of("desk-solver-l"), dtype=torch.float32)
    known, own = AutoTokenizer.from_pretrained(folder_of("desk-solver-l")).get_vocab(), run.tokenizer.get_vocab()
    shared = sorted(set(known) & set(own))
    assert len(shared) < min(len(known), len(own))
    draw = torch.Generator().manual_seed(0)
    places = torch.randint(len(shared), (2, 40), generator=draw)
    with torch.inference_mode():
        theirs, ours = (
            model(input_ids=torch.tensor([vocabulary[token] for token in shared])[places]).logits[
                ..., [vocabulary[token] for token in shared]
            ]
            for model, vocabulary in ((solver, known), (run.model, own))
        )
    assert torch.allclose(theirs, ours, atol=1e-4)


def test_a_sharper_model_differs_in_the_scale_of_its_logits_alone(tmp_path):
    import torch
    from transformers import AutoModelForCausalLM

    short = replace(SMALL, tokens=4_000, decay_tokens=2_000)
    folders = [train(replace(short, sharpness=s), tmp_path / f"{s}", n_checked=1, report=str) for s in (1.0, 2.0)]
    plain, sharp = (AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32) for folder in folders)
    ids = torch.arange(40).reshape(2, 20)
    with torch.inference_mode():
        torch.testing.assert_close(sharp(ids).logits, 2 * plain(ids).logits)
