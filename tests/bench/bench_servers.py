"""Tokens a second of 64 concurrent requests: one hand-built batch, the local engine, and the servers that are there.

All draw greedy replies to the same prompts with the same weights, on the same cores, one after another; best of two
rounds. `transformers serve` batches by ``--continuous-batching``, which the desk models' short convolutions do not
support, so that it answers them one by one; it needs the extra `serve`. vLLM needs
``.venv-vllm`` (`make test-servers`) and SmolLM2 (`make smollm`), as its CPU kernels do not compute the desk models
right. What is missing is named.

    python tests/bench/bench_servers.py
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

sys.path.insert(0, str(Path(__file__).parent.parent / "servers"))
from serving import NO_TRANSFORMERS_SERVE, NO_VLLM, ROOT, transformers_serve, vllm_serve

from masrepro.bench import benchmark
from masrepro.models import Local, Message, Model, Sampling
from masrepro.models.desk import folder_of
from masrepro.models.servers import Server, served
from masrepro.models.smollm import is_converted, smollm_folder

N_REQUESTS, N_ROUNDS = 64, 2
MAX_TOKENS = 32
Run = Callable[[], int]
"""Answers all requests and returns how many tokens that took."""


def main() -> None:
    smollm = smollm_folder(ROOT / "outputs" / "models")
    asked = questions()
    print(f"{N_REQUESTS} requests at once, at most {MAX_TOKENS} tokens each, best of {N_ROUNDS}")
    with tempfile.TemporaryDirectory() as logs:
        log = Path(logs, "log.txt")
        measure(folder_of("desk-solver-s"), asked, log, "float32", vllm="vLLM does not compute it right", serving=[])
        if is_converted(smollm):
            measure(smollm, asked, log, "bfloat16", vllm=NO_VLLM, serving=["--continuous-batching"])
        else:
            print(f"SmolLM2 is not in {smollm}: make smollm")


def questions() -> list[list[Message]]:
    """All of them different."""
    items = [benchmark(f"masbench/depth/{depth}", split="test", n=N_REQUESTS // 4) for depth in (2, 4, 6, 8)]
    return [[Message("user", item.question)] for each in items for item in each]


def measure(folder: Path, asked: list[list[Message]], log: Path, dtype: str, vllm: str, serving: list[str]) -> None:
    """Every way to serve one model; ``vllm`` says why it is left out, or nothing."""
    print(f"\n{folder.name}, {dtype}\n{'':28} {'tokens':>7} {'seconds':>8} {'tokens/s':>9}  {'load average':>12}")
    by_hand, engine = hand_built(folder, asked, dtype), Local(folder, dtype=dtype, max_batch=N_REQUESTS)
    report("one hand-built batch", by_hand)
    report("Local", by_model(engine, asked))
    if NO_TRANSFORMERS_SERVE:
        print(f"left out: {NO_TRANSFORMERS_SERVE}")
    else:
        with transformers_serve(folder, log, dtype=dtype, options=serving) as server:
            report("transformers serve", by_server(server, folder, asked))
    if vllm:
        print(f"left out: {vllm}")
    else:
        with vllm_serve(folder, log, dtype=dtype) as server:
            report("vLLM", by_server(server, folder, asked))


def report(name: str, run: Run) -> None:
    taken = []
    for _ in range(N_ROUNDS):
        began = time.perf_counter()
        n_tokens = run()
        taken.append((time.perf_counter() - began, n_tokens))
    seconds, n_tokens = min(taken)
    load = os.getloadavg()[0]
    print(f"{name:28} {n_tokens:7} {seconds:8.1f} {n_tokens / seconds:9.0f}  {load:12.1f}", flush=True)


def hand_built(folder: Path, asked: list[list[Message]], dtype: str) -> Run:
    """One `generate` call, as one would write it; the padding after an end of turn does not count."""
    tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype)).eval()
    turns = [[{"role": message.role, "content": message.content} for message in messages] for messages in asked]

    def run() -> int:
        batch = tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, padding=True, return_tensors="pt", return_dict=True
        )
        kept = {key: batch[key] for key in ("input_ids", "attention_mask")}
        drawn = model.generate(**kept, max_new_tokens=MAX_TOKENS, do_sample=False)[:, kept["input_ids"].shape[1] :]
        ended = (drawn == tokenizer.eos_token_id).cumsum(1) > 0
        return int((~ended).sum() + ended.any(1).sum())

    return run


def by_server(server: Server, folder: Path, asked: list[list[Message]]) -> Run:
    return by_model(served(server.model_copy(update={"timeout_s": 1800.0}), folder.name), asked)


def by_model(model: Model, asked: list[list[Message]]) -> Run:
    async def all_at_once() -> int:
        sampling = Sampling(max_tokens=MAX_TOKENS)
        replies = await asyncio.gather(*(model.complete(messages, sampling) for messages in asked))
        return sum(reply.usage.completion_tokens for reply in replies)

    return lambda: asyncio.run(all_at_once())


if __name__ == "__main__":
    main()
