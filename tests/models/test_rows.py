"""What happens in one batch, on the tiny model itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tiny import prompts
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from masrepro.models import Message, Sampling
from masrepro.models.rows import Drawn, Row, draw


@pytest.fixture(scope="module")
def tokenizer(tiny_folder: Path) -> PreTrainedTokenizerBase:
    return AutoTokenizer.from_pretrained(tiny_folder)


@pytest.fixture(scope="module")
def model(tiny_folder: Path) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(tiny_folder, dtype=torch.float64).eval()


def ids_of(tokenizer: PreTrainedTokenizerBase, messages: list[Message]) -> tuple[int, ...]:
    turns = [{"role": message.role, "content": message.content} for message in messages]
    return tuple(tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False))


def complete(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, rows: list[Row]) -> list[Drawn]:
    return draw(model, tokenizer, frozenset([tokenizer.eos_token_id]), rows, lambda index: True)


def test_left_padding_leaves_convolutions_and_attention_alone(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> None:
    ids = ids_of(tokenizer, prompts(1)[0])
    padded = torch.tensor([[tokenizer.pad_token_id] * 9 + list(ids)])
    mask = (padded != tokenizer.pad_token_id).long()
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    with torch.no_grad():
        alone = model(input_ids=torch.tensor([ids])).logits[0]
        beside = model(input_ids=padded, attention_mask=mask, position_ids=positions).logits[0, 9:]
        unmasked = model(input_ids=padded, position_ids=positions).logits[0, 9:]
    assert torch.allclose(alone, beside, rtol=0, atol=1e-5)
    assert not torch.allclose(alone, unmasked, rtol=0, atol=1e-2)


def test_greedy_rows_are_what_generate_gives_each_prompt_by_itself(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> None:
    rows = [Row(ids_of(tokenizer, prompt), Sampling(max_tokens=20)) for prompt in prompts(4)]
    for row, drawn in zip(rows, complete(model, tokenizer, rows), strict=True):
        stock = model.generate(torch.tensor([row.prompt]), max_new_tokens=20, do_sample=False)[0, len(row.prompt) :]
        assert drawn.text == tokenizer.decode(stock, skip_special_tokens=True)
        assert drawn.n_tokens == len(stock)


def test_every_row_keeps_its_own_limit(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    prompt = ids_of(tokenizer, prompts(1)[0])
    long, *short = complete(model, tokenizer, [Row(prompt, Sampling(max_tokens=n)) for n in (16, 1, 5, 9)])
    assert [row.n_tokens for row in (long, *short)] == [16, 1, 5, 9]
    assert {row.finish for row in (long, *short)} == {"length"}
    assert all(long.text.startswith(row.text) for row in short)


def test_a_row_that_ends_its_turn_stops_there(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    prompt = ids_of(tokenizer, prompts(1)[0])
    rows = [Row(prompt, Sampling(temperature=1.0, max_tokens=40, seed=seed)) for seed in range(12)]
    drawn = complete(model, tokenizer, rows)
    ended = [(row, out) for row, out in zip(rows, drawn, strict=True) if out.finish == "stop"]
    assert 0 < len(ended) < len(rows)
    assert {out.n_tokens for out in drawn if out.finish == "length"} == {40}
    for row, out in ended[:1]:
        just_enough, one_short = (
            Row(prompt, replace(row.sampling, max_tokens=n)) for n in (out.n_tokens, out.n_tokens - 1)
        )
        assert complete(model, tokenizer, [just_enough]) == [out]
        assert complete(model, tokenizer, [one_short]) == [Drawn(out.text, out.n_tokens - 1, "length")]


def test_stop_strings_cut_the_text_and_the_work_of_their_row_alone(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> None:
    prompt = ids_of(tokenizer, prompts(1)[0])
    free = Sampling(temperature=1.0, max_tokens=24, seed=2)
    (whole,) = complete(model, tokenizer, [Row(prompt, free)])
    words = whole.text.split()
    across_tokens = f"{words[7][-2:]} {words[8][:2]}"
    at = whole.text.index(across_tokens)
    stopped = Sampling(temperature=1.0, max_tokens=24, seed=2, stop=("never said", across_tokens))
    n_steps = 0

    def count(*_: object) -> None:
        nonlocal n_steps
        n_steps += 1

    with model.register_forward_hook(count):
        (alone,) = complete(model, tokenizer, [Row(prompt, stopped)])
    cut, beside = complete(model, tokenizer, [Row(prompt, stopped), Row(prompt, free)])
    assert n_steps == alone.n_tokens < whole.n_tokens
    assert alone == cut == Drawn(whole.text[:at], len(whole.text[: at + len(across_tokens)].split()), "stop")
    assert beside == whole


def test_an_unwanted_batch_ends_at_once(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    rows = [Row(ids_of(tokenizer, prompt), Sampling(max_tokens=500)) for prompt in prompts(3)]
    ends = frozenset([tokenizer.eos_token_id])
    assert {row.n_tokens for row in draw(model, tokenizer, ends, rows, lambda index: False)} == {1}
    one_left = draw(model, tokenizer, ends, [*rows[:2], Row(rows[2].prompt, Sampling(max_tokens=6))], lambda i: i == 2)
    assert one_left[2].n_tokens == 6


@pytest.mark.parametrize("top_p", [1.0, 0.6])
def test_draws_follow_the_models_probabilities(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, top_p: float
) -> None:
    prompt = ids_of(tokenizer, prompts(1, shortest=4, longest=4)[0])
    with torch.no_grad():
        chances = torch.softmax(model(torch.tensor([prompt])).logits[0, -1].double() / 1.5, dim=-1)
    ordered, order = chances.sort(descending=True)
    nucleus = order[: int((ordered.cumsum(0) < top_p).sum()) + 1]
    words = nucleus[~torch.isin(nucleus, torch.tensor(tokenizer.all_special_ids))]
    rows = [Row(prompt, Sampling(1.5, 1, top_p, seed=seed)) for seed in range(1500)]
    drawn = tokenizer.convert_tokens_to_ids([out.text for out in complete(model, tokenizer, rows) if out.text])
    counts = torch.bincount(torch.tensor(drawn), minlength=len(chances))
    assert counts[words].sum() == len(drawn) > 500
    expected = len(drawn) * chances[words] / chances[words].sum()
    often = expected >= 10
    z = (counts[words] - expected)[often] / expected[often].sqrt()
    assert len(z) >= 5
    assert z.abs().max() < 4.5
    assert z.square().mean() < 2


def test_one_seed_does_not_give_all_prompts_the_same_luck(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase
) -> None:
    flat = Sampling(temperature=1e6, max_tokens=12, seed=1)
    drawn = complete(model, tokenizer, [Row(ids_of(tokenizer, prompt), flat) for prompt in prompts(4)])
    assert len({row.text for row in drawn}) == 4


def test_a_checkpoints_own_generation_config_does_not_join_in(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = ids_of(tokenizer, prompts(1)[0])
    rows = [Row(prompt, Sampling(max_tokens=30, temperature=1.0, seed=seed)) for seed in range(12)]
    plain = complete(model, tokenizer, rows)
    assert any(out.finish == "stop" for out in plain)
    for field, value in {"repetition_penalty": 5.0, "no_repeat_ngram_size": 1, "min_new_tokens": 30}.items():
        with monkeypatch.context() as patch:
            patch.setattr(model.generation_config, field, value)
            assert complete(model, tokenizer, rows) == plain, field
