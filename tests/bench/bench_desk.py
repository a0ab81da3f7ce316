"""Tokens per second of a desk model: one training step after another, and batched generation.

Run as a script. Training is timed by one process and by two that share each step; on a machine with one core to spare
the second does not help.

Generation is given three times on the same prompts: by the local engine, by a plain ``generate`` call, and by a loop
written by hand for this one architecture with a cache of fixed size, as a reference for what the engine may cost. All
three write the same text.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM, AutoTokenizer, Lfm2ForCausalLM

from masrepro.bench import benchmark
from masrepro.models import Local, Message, Sampling
from masrepro.models.desk import folder_of
from masrepro.train.crew import Crew, crew_of
from masrepro.train.desk_recipe import RECIPES
from masrepro.train.desk_training import Training

MODEL = "desk-solver-s"
RECIPE = RECIPES["solver-s"]
N_PROMPTS = 128
N_NEW = 64
N_STEPS = 20


def training_speed(processes: int) -> float:
    """Tokens per second of wall time of a recipe's first steps, drill included, one thread a process."""
    torch.set_num_threads(1)
    run = Training.of(RECIPE)
    with crew_of(processes, train_along) as crew:
        run.step(crew)
        began, seen = time.perf_counter(), run.clock.tokens
        for _ in range(N_STEPS):
            run.step(crew)
        return (run.clock.tokens - seen) / (time.perf_counter() - began)


def train_along(crew: Crew) -> None:
    torch.set_num_threads(1)
    run = Training.of(RECIPE)
    for _ in range(N_STEPS + 1):
        run.step(crew)


class StaticLoop:
    """Greedy decoding of LFM2 with room for all tokens taken once; prompts are left-padded."""

    def __init__(self, model: Lfm2ForCausalLM) -> None:
        self.model = model
        self.layers = model.model.layers[: model.config.num_hidden_layers]

    @torch.inference_mode()
    def __call__(self, ids: torch.Tensor, mask: torch.Tensor, n_new: int) -> torch.Tensor:
        model, (rows, width) = self.model.model, ids.shape
        config = self.model.config
        head = config.hidden_size // config.num_attention_heads
        total = width + n_new
        shape = (rows, config.num_key_value_heads, total, head)
        keys = [torch.zeros(shape) if layer.is_attention_layer else None for layer in self.layers]
        values = [torch.zeros(shape) if layer.is_attention_layer else None for layer in self.layers]
        tails = [
            None if layer.is_attention_layer else torch.zeros(rows, config.hidden_size, config.conv_L_cache - 1)
            for layer in self.layers
        ]
        cos, sin = model.rotary_emb(torch.zeros(1), position_ids=torch.arange(total)[None])
        seen = torch.cat([mask, torch.ones(rows, n_new)], dim=1).bool()
        causal = torch.ones(total, total).tril().bool()
        out, start = [], 0
        while len(out) < n_new:
            end = start + ids.shape[1]
            hidden = model.embed_tokens(ids)
            allowed = (causal[start:end, :end] & seen[:, None, :end])[:, None]
            for index, layer in enumerate(self.layers):
                normed = layer.operator_norm(hidden)
                if layer.is_attention_layer:
                    mixed = self._attend(
                        layer.self_attn,
                        normed,
                        cos[:, start:end],
                        sin[:, start:end],
                        keys[index],
                        values[index],
                        start,
                        end,
                        allowed,
                        head,
                    )
                else:
                    mixed, tails[index] = self._convolve(layer.conv, normed * seen[:, start:end, None], tails[index])
                hidden = hidden + mixed
                hidden = hidden + layer.feed_forward(layer.ffn_norm(hidden))
            logits = self.model.lm_head(model.embedding_norm(hidden[:, -1:]))
            ids, start = logits.argmax(-1), end
            out.append(ids)
        return torch.cat(out, dim=1)

    def _attend(self, attention, x, cos, sin, keys, values, start, end, allowed, head):
        from transformers.models.lfm2.modeling_lfm2 import apply_rotary_pos_emb

        shape = (*x.shape[:2], -1, head)
        q = attention.q_layernorm(attention.q_proj(x).view(shape)).transpose(1, 2)
        k = attention.k_layernorm(attention.k_proj(x).view(shape)).transpose(1, 2)
        q, k = apply_rotary_pos_emb(q, k, cos, sin)
        keys[:, :, start:end] = k
        values[:, :, start:end] = attention.v_proj(x).view(shape).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(q, keys[:, :, :end], values[:, :, :end], attn_mask=allowed)
        return attention.out_proj(mixed.transpose(1, 2).reshape(x.shape))

    def _convolve(self, conv, x, tail):
        b, c, value = conv.in_proj(x).transpose(-1, -2).chunk(3, dim=-2)
        series = torch.cat([tail, b * value], dim=-1)
        mixed = F.conv1d(series, conv.conv.weight, groups=series.shape[1])
        return conv.out_proj((c * mixed).transpose(-1, -2)), series[:, :, -tail.shape[-1] :]


def timed(run: Callable[[], list[str]]) -> tuple[float, list[str]]:
    """Processor seconds of the better of two runs, and the texts."""
    seconds = []
    for _ in range(2):
        began = time.process_time()
        texts = run()
        seconds.append(time.process_time() - began)
    return min(seconds), texts


def generation_speed() -> dict[str, float]:
    """Tokens per second of each way, float32, one thread; every row is drawn to the same length."""
    torch.set_num_threads(1)
    tokenizer = AutoTokenizer.from_pretrained(folder_of(MODEL))
    model = AutoModelForCausalLM.from_pretrained(folder_of(MODEL), dtype=torch.float32)
    model.generation_config.eos_token_id = None
    asked = [[Message("user", item.question)] for item in benchmark("masbench/depth/8", split="test", n=N_PROMPTS)]
    prompts = [f"<user>{messages[0].content}<assistant>" for messages in asked]
    batch = tokenizer(prompts, return_tensors="pt", padding=True, add_special_tokens=False)
    ids, mask = batch["input_ids"], batch["attention_mask"]

    def texts_of(drawn: torch.Tensor) -> list[str]:
        return [text.partition("<end>")[0] for text in tokenizer.batch_decode(drawn)]

    def by_engine() -> list[str]:
        engine = Local(folder_of(MODEL), dtype="float32", max_batch=N_PROMPTS)

        async def complete() -> list[str]:
            sampling = Sampling(max_tokens=N_NEW)
            return [reply.text for reply in await asyncio.gather(*(engine.complete(m, sampling) for m in asked))]

        return asyncio.run(complete())

    def by_generate() -> list[str]:
        drawn = model.generate(input_ids=ids, attention_mask=mask, max_new_tokens=N_NEW, do_sample=False)
        return texts_of(drawn[:, ids.shape[1] :])

    ways = {
        "engine": by_engine,
        "generate": by_generate,
        "by hand": lambda: texts_of(StaticLoop(model)(ids, mask, N_NEW)),
    }
    found = {name: timed(run) for name, run in ways.items()}
    same = {tuple(texts) for _, texts in found.values()}
    print(f"texts {'are the same' if len(same) == 1 else 'DIFFER'} in all ways")
    return {name: N_PROMPTS * N_NEW / seconds for name, (seconds, _) in found.items()}


def main() -> None:
    alone, shared = training_speed(1), training_speed(2)
    print(f"training, {MODEL}'s recipe: {alone:,.0f} tokens/s by one process")
    print(f"  by two: {shared:,.0f} tokens/s ({shared / alone:.2f} x one)")
    speeds = generation_speed()
    print(f"generation, {N_PROMPTS} rows of {N_NEW} tokens:")
    for name, speed in speeds.items():
        print(f"  {name}: {speed:,.0f} tokens/s ({speed / speeds['by hand']:.2f} x by hand)")


if __name__ == "__main__":
    main()
