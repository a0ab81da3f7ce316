"""The local engine against one hand-built batch, and how much a text depends on the batch it is computed in.

Run as a script. It takes the shipped desk solver, or else an untrained model of its shape. Targets: 64 concurrent
requests at 0.8 or more of the throughput of one hand-built ``generate`` call on the same 64 prompts; no text that
differs between batches in float64.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from random import Random

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from masrepro.models import Completion, Local, Message, Sampling
from masrepro.models.desk import WEIGHTS, Size, new_model, new_tokenizer

N_REQUESTS = 64
MAX_TOKENS = 64
N_ROUNDS = 3


def desk_model() -> tuple[PreTrainedModel, PreTrainedTokenizerBase, list[str]]:
    """Model, tokenizer and the phrases to write prompts with."""
    folder = WEIGHTS / "desk-solver-s"
    if folder.is_dir():
        tokenizer = AutoTokenizer.from_pretrained(folder)
        phrases = [token for token in tokenizer.get_vocab() if token not in tokenizer.all_special_tokens]
        return AutoModelForCausalLM.from_pretrained(folder), tokenizer, sorted(phrases)
    phrases = [f" word{number}" for number in range(240)]
    tokenizer = new_tokenizer(phrases)
    return new_model(tokenizer, Size(), seed=0), tokenizer, phrases


def prompts(phrases: list[str], lengths: list[int]) -> list[list[Message]]:
    rng = Random(0)
    return [[Message("user", "".join(rng.choices(phrases, k=length)))] for length in lengths]


def by_hand(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, asked: list[list[Message]]
) -> Callable[[], list[str]]:
    """One batch, as one would write it without the engine."""

    def run() -> list[str]:
        turns = [[{"role": message.role, "content": message.content} for message in messages] for messages in asked]
        batch = tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, padding=True, return_tensors="pt", return_dict=True
        )
        drawn = model.generate(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            max_new_tokens=MAX_TOKENS,
            do_sample=False,
        )
        return tokenizer.batch_decode(drawn[:, batch["input_ids"].shape[1] :], skip_special_tokens=True)

    return run


def by_engine(engine: Local, asked: list[list[Message]], at_once: int) -> Callable[[], list[str]]:
    """Concurrent requests, ``at_once`` of them at a time."""

    async def complete(some: list[list[Message]]) -> list[Completion]:
        sampling = Sampling(max_tokens=MAX_TOKENS)
        return await asyncio.gather(*(engine.complete(messages, sampling) for messages in some))

    def run() -> list[str]:
        starts = range(0, len(asked), at_once)
        return [reply.text for start in starts for reply in asyncio.run(complete(asked[start : start + at_once]))]

    return run


def best(runs: dict[str, Callable[[], list[str]]]) -> dict[str, tuple[float, float]]:
    """Least wall and processor seconds of each run, taken in turns so that a busy machine strikes both alike."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for _ in range(N_ROUNDS):
        for name, run in runs.items():
            wall, processor = time.perf_counter(), time.process_time()
            run()
            seconds[name].append((time.perf_counter() - wall, time.process_time() - processor))
    return {name: tuple(map(min, zip(*taken, strict=True))) for name, taken in seconds.items()}  # type: ignore[misc]


def throughput(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, phrases: list[str]) -> None:
    rng = Random(1)
    lengths = {"equal": [180] * N_REQUESTS, "mixed": [rng.randint(20, 340) for _ in range(N_REQUESTS)]}
    print(f"\n{N_REQUESTS} requests x {MAX_TOKENS} tokens, seconds, best of {N_ROUNDS}; ratio: by hand / engine")
    print(f"{'dtype':9} {'lengths':8} {'by hand':>8} {'engine':>8} {'ratio':>6}   {'ratio of processor time'}")
    for dtype in ("float32", "float64"):
        engine = Local(model, tokenizer, dtype=dtype, max_batch=N_REQUESTS)
        for name, each in lengths.items():
            asked = prompts(phrases, each)
            hand, ours = best(
                {"hand": by_hand(model, tokenizer, asked), "engine": by_engine(engine, asked, N_REQUESTS)}
            ).values()
            print(
                f"{dtype:9} {name:8} {hand[0]:8.2f} {ours[0]:8.2f} {hand[0] / ours[0]:6.2f}   {hand[1] / ours[1]:.2f}",
                flush=True,
            )


def preparation(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, phrases: list[str]) -> None:
    engine = Local(model, tokenizer)
    asked = prompts(phrases, [180] * N_REQUESTS)
    started = time.process_time()
    for messages in asked:
        engine._row(messages, Sampling())
    took_s = time.process_time() - started
    print(f"\nchat template and tokens: {1000 * took_s / N_REQUESTS:.2f} ms a request of 180 tokens")


def invariance(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, phrases: list[str]) -> None:
    rng = Random(2)
    asked = prompts(phrases, [rng.randint(20, 340) for _ in range(2 * N_REQUESTS)])
    print(f"\ngreedy texts of {len(asked)} that differ from those computed one by one, {MAX_TOKENS} tokens each")
    print(f"{'dtype':9} {'batches of 7':>13} {'of 64':>6}")
    for dtype in ("float32", "float64"):
        engine = Local(model, tokenizer, dtype=dtype)
        alone, *batched = (by_engine(engine, asked, at_once)() for at_once in (1, 7, 64))
        sevens, sixty_fours = (sum(a != b for a, b in zip(alone, texts, strict=True)) for texts in batched)
        print(f"{dtype:9} {sevens:13} {sixty_fours:6}", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    subject = desk_model()
    print(f"{subject[0].num_parameters() / 1e6:.2f}M parameters, one thread, torch {torch.__version__}")
    preparation(*subject)
    throughput(*subject)
    invariance(*subject)
