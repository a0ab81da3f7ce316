"""The local engine as its callers see it, on a tiny model."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from tiny import load_tiny, prompts
from transformers import AutoModelForCausalLM, AutoTokenizer

from masrepro.models import (
    Completion,
    ContextOverflow,
    Local,
    Message,
    Model,
    Price,
    RequestRefused,
    Sampling,
    Unavailable,
    Usage,
)
from masrepro.models.rows import Drawn, Row

GREEDY = Sampling(max_tokens=10)
SAMPLED = Sampling(temperature=1.0, max_tokens=10, top_p=0.9, seed=5)


class Recording(Local):
    """Remembers the size of every batch, and fails when told to."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.sizes: list[int] = []
        self.failure: Exception | None = None

    def compute(self, requests: Sequence[Row], wanted: Callable[[int], bool]) -> list[Drawn]:
        self.sizes.append(len(requests))
        if self.failure is not None:
            raise self.failure
        return super().compute(requests, wanted)


@pytest.fixture
def recording(tiny_folder: Path) -> Recording:
    return Recording(tiny_folder, dtype="float64", max_batch=16)


async def complete_all(model: Local, asked: Sequence[Sequence[Message]], sampling: Sampling) -> list[Completion]:
    return await asyncio.gather(*(model.complete(messages, sampling) for messages in asked))


def test_it_is_a_model(tiny: Local, tiny_folder: Path) -> None:
    assert isinstance(tiny, Model)
    assert tiny.name == tiny_folder.name
    assert tiny.context_tokens == 2048


@pytest.mark.parametrize("sampling", [GREEDY, SAMPLED], ids=["greedy", "sampled"])
async def test_in_float64_a_text_is_the_same_in_any_batch(tiny_folder: Path, sampling: Sampling) -> None:
    asked = prompts(40, seed=1)
    together, in_sevens, alone = [
        await complete_all(load_tiny(tiny_folder, max_batch=max_batch), asked[:n], sampling)
        for max_batch, n in ((40, 40), (7, 40), (1, 6))
    ]
    assert together == in_sevens
    assert together[:6] == alone
    assert len({completion.text for completion in together}) > 20


async def test_usage_counts_prompt_and_completion_without_padding(tiny_folder: Path) -> None:
    price = Price(Decimal("0.3"), Decimal("1.2"))
    model = Local(tiny_folder, dtype="float64", price=price)
    asked = prompts(5)
    for messages, completion in zip(asked, await complete_all(model, asked, GREEDY), strict=True):
        n_prompt = len(messages[0].content.split()) + 2  # <user> and <assistant>
        assert completion.usage == Usage(1, n_prompt, 10, price.of(n_prompt, 10))
    unpriced = Local(tiny_folder, dtype="float64", price=None)
    assert (await unpriced.complete(asked[0], GREEDY)).usage.cost_usd is None


async def test_concurrent_requests_share_batches_of_like_length(recording: Recording) -> None:
    await complete_all(recording, prompts(40), GREEDY)
    assert recording.sizes == [16, 16, 8]
    lengths = [Row((0,) * n, GREEDY) for n in (20, 90, 21, 5, 19)]
    assert sorted(recording.choose(lengths)) == [0, 1, 2, 3, 4]
    recording._max_batch = 3
    assert sorted(recording.choose(lengths)) == [0, 2, 4]


async def test_equal_requests_are_computed_once_and_charged_each(recording: Recording) -> None:
    seeded_greedily = [replace(GREEDY, seed=seed, top_p=0.5) for seed in range(3)]
    for samplings in ([GREEDY] * 3, seeded_greedily, [SAMPLED] * 3):
        first, *others = await asyncio.gather(*(recording.complete(prompts(1)[0], one) for one in samplings))
        assert others == [first, first]
        assert first.usage.calls == 1
    assert recording.sizes == [1, 1, 1]


async def test_repeats_without_a_seed_differ(recording: Recording) -> None:
    unseeded = Sampling(temperature=1.0, max_tokens=12)
    texts = {completion.text for completion in await complete_all(recording, prompts(1) * 8, unseeded)}
    assert recording.sizes == [8]
    assert len(texts) == 8


async def test_an_overlong_prompt_is_refused_before_anything_is_computed(recording: Recording) -> None:
    messages = prompts(1, shortest=2024, longest=2024)[0]
    with pytest.raises(ContextOverflow, match=r"2026 tokens and max_tokens=30 .* 2048 tokens; shorten .* by 8 tokens"):
        await recording.complete(messages, Sampling(max_tokens=30))
    assert recording.sizes == []
    just_fits = await recording.complete(messages, Sampling(max_tokens=22))
    assert just_fits.usage.tokens <= 2048


async def test_requests_that_make_no_sense_are_refused(tiny_folder: Path, tiny: Local) -> None:
    with pytest.raises(RequestRefused, match="max_tokens is 0"):
        await tiny.complete(prompts(1)[0], Sampling(max_tokens=0))
    picky = AutoTokenizer.from_pretrained(tiny_folder)
    picky.chat_template = "{{ raise_exception('roles must alternate') }}"
    with pytest.raises(RequestRefused, match="roles must alternate"):
        await Local(tiny_folder, picky).complete(prompts(1)[0], GREEDY)


async def test_a_failed_computation_reaches_its_callers_and_the_next_one_runs(recording: Recording) -> None:
    recording.failure = MemoryError("no room")
    outcomes = await asyncio.gather(*(recording.complete(p, GREEDY) for p in prompts(3)), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {Unavailable}
    assert "MemoryError: no room" in str(outcomes[0]) and "lower max_batch (now 16)" in str(outcomes[0])
    recording.failure = None
    assert (await recording.complete(prompts(1)[0], GREEDY)).text


async def test_the_event_loop_stays_free_and_a_cancelled_request_ends_early(tiny: Local) -> None:
    n_steps = 0

    def count(*_: object) -> None:
        nonlocal n_steps
        n_steps += 1

    with tiny._model.register_forward_hook(count):
        asked = asyncio.ensure_future(tiny.complete(prompts(1)[0], Sampling(max_tokens=900)))
        while n_steps < 5:
            await asyncio.sleep(0.001)
        asked.cancel()
        await tiny.complete(prompts(1)[0], Sampling(max_tokens=1))
    assert asked.cancelled()
    assert n_steps < 800


def test_loops_in_turn_and_at_once_get_the_same_texts(tiny: Local) -> None:
    asked = prompts(4)
    expected = asyncio.run(complete_all(tiny, asked, GREEDY))
    assert asyncio.run(complete_all(tiny, asked, GREEDY)) == expected
    got: list[list[Completion]] = []
    threads = [
        threading.Thread(target=lambda: got.append(asyncio.run(complete_all(tiny, asked, GREEDY)))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [expected] * 3


def test_the_revision_names_the_weights_whatever_the_type_they_are_computed_in(tiny_folder: Path) -> None:
    model, tokenizer = AutoModelForCausalLM.from_pretrained(tiny_folder), AutoTokenizer.from_pretrained(tiny_folder)
    first = Local(model, tokenizer).revision
    assert first == Local(tiny_folder, dtype="float64").revision
    model.model.layers[0].feed_forward.w1.weight.data[0, 0] += 1
    assert Local(model, tokenizer).revision != first
    assert Local(tiny_folder, revision="mine").revision == "mine"


def test_an_unknown_float_type_is_refused(tiny_folder: Path) -> None:
    with pytest.raises(ValueError, match="dtype is 'float23'; it must be one of float64, float32"):
        Local(tiny_folder, dtype="float23")


def test_a_tokenizer_without_a_chat_template_is_refused(tiny_folder: Path) -> None:
    plain = AutoTokenizer.from_pretrained(tiny_folder)
    plain.chat_template = None
    with pytest.raises(ValueError, match="no chat template"):
        Local(tiny_folder, plain)
