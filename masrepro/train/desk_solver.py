"""Trains a desk solver from nothing: one loop, one thread, a fixed number of minutes, checkpoints that resume.

The exact command of the shipped solver stands in its card (``card.json`` beside the weights). Rows come from
`masrepro.train.desk_corpus` on the fly; nothing is stored. The order of what is learned matters at this size: first
single steps in questions of any length, then longer and longer replies, with drill in arithmetic in every batch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from masrepro.models.desk import Size, new_model, new_tokenizer
from masrepro.train.desk_corpus import Row, draw_item, draw_rows, drill, phrases, recall

if TYPE_CHECKING:
    import torch
    from transformers import Lfm2ForCausalLM, PreTrainedTokenizerFast

Encoded = tuple[list[int], list[int]]
Batch = list[tuple["torch.Tensor", "torch.Tensor"]]
T = TypeVar("T")

_POOL_ROWS = 512
_FACTS_PER_ROW = 16
_IGNORED = -100


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what a desk solver becomes.

    Parameters
    ----------
    minutes : float
        Training clock; pauses, evaluations and restarts do not count.
    batch_tokens : int
        Tokens of a step, padding included, without the drill.
    operation_caps : tuple of (float, int)
        Until that share of the minutes, rows with more arithmetic steps than the cap are left out.
    largest_values : tuple of (float, int)
        Until that share of the minutes, the largest axis value of the items.
    drill_facts : tuple of (float, int)
        Until that share of the minutes, that many arithmetic facts join every step.
    recall_share : tuple of (float, float)
        Until that share of the minutes, the share of rows that only say again what the question states.
    """

    minutes: float
    seed: int = 0
    size: Size = field(default_factory=Size)
    batch_tokens: int = 3072
    learning_rate: float = 3e-3
    final_learning_rate: float = 5e-5
    decay_from: float = 0.6
    warmup_steps: int = 100
    weight_decay: float = 0.05
    clip_norm: float = 1.0
    operation_caps: tuple[tuple[float, int], ...] = ((0.41, 1), (0.57, 2), (0.68, 4), (1.0, 99))
    largest_values: tuple[tuple[float, int], ...] = ((0.49, 4), (1.0, 12))
    drill_facts: tuple[tuple[float, int], ...] = ((0.34, 128), (0.6, 384), (1.0, 128))
    recall_share: tuple[tuple[float, float], ...] = ((0.34, 0.6), (1.0, 0.15))

    def rate(self, progress: float) -> float:
        """Learning rate after that share of the minutes: constant, then linear decay."""
        left = min(1.0, max(0.0, 1.0 - progress) / (1.0 - self.decay_from))
        return self.final_learning_rate + (self.learning_rate - self.final_learning_rate) * left


@dataclass(slots=True)
class Clock:
    """How far training has come."""

    total_seconds: float
    seconds: float = 0.0
    steps: int = 0
    tokens: int = 0

    @property
    def progress(self) -> float:
        """Share of the minutes that has passed, in [0, 1]."""
        return min(1.0, self.seconds / self.total_seconds)


def train(recipe: Recipe, folder: Path, *, n_checked: int = 100, report: Callable[[str], None] = print) -> Path:
    """Train, or go on from the checkpoint in ``folder``; returns the folder of the finished model.

    Parameters
    ----------
    recipe : Recipe
        A checkpoint made by another recipe is refused.
    folder : Path
        Holds ``checkpoint.pt`` while training and ``model/`` at the end.
    n_checked : int
        Items of which the accuracy is reported every four minutes and at the end.
    report : callable
        Gets one line of text about every half a minute.

    Raises
    ------
    ValueError
        The folder's checkpoint belongs to another recipe.
    """
    import torch

    torch.set_num_threads(1)
    tokenizer = new_tokenizer(phrases())
    model = new_model(tokenizer, recipe.size, recipe.seed)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.98), weight_decay=recipe.weight_decay
    )
    clock, rng = Clock(recipe.minutes * 60), Random(f"desk/{recipe.seed}")
    folder.mkdir(parents=True, exist_ok=True)
    checkpoint = folder / "checkpoint.pt"
    if checkpoint.exists():
        clock = _restore(checkpoint, recipe, model, optimizer, rng)
        report(f"goes on at {clock.seconds / 60:.1f} of {recipe.minutes:g} minutes")

    batches = _batches(recipe, clock, rng, tokenizer)
    said = saved = checked = time.monotonic()
    losses: list[float] = []
    while clock.progress < 1:
        start = time.monotonic()
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate(clock.progress) * min(1.0, (clock.steps + 1) / recipe.warmup_steps)
        losses.append(_step(model, optimizer, next(batches), recipe.clip_norm, clock))
        clock.seconds += time.monotonic() - start
        clock.steps += 1
        now = time.monotonic()
        if now - said > 30:
            report(
                f"{clock.seconds / 60:5.1f}/{recipe.minutes:g} min  step {clock.steps}  "
                f"{clock.tokens / 1e6:.2f} M tokens  loss {sum(losses) / len(losses):.4f}"
            )
            said, losses = now, []
        if now - checked > 240:
            report(f"       {_checked(model, tokenizer, recipe.seed, n_checked)}")
            checked = time.monotonic()
        if now - saved > 60:
            _save(checkpoint, recipe, model, optimizer, rng, clock)
            saved = time.monotonic()
    _save(checkpoint, recipe, model, optimizer, rng, clock)
    report(f"done: {_checked(model, tokenizer, recipe.seed, n_checked)}")
    return _publish(folder / "model", recipe, model, tokenizer, clock)


def accuracy_by_kind(model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, rows: Sequence[Row]) -> dict[str, str]:
    """Share of rows whose answer part comes out right, greedily, by kind and number of operations."""
    import torch

    right: dict[str, list[bool]] = {}
    by_length = sorted(rows, key=lambda row: len(row.reply))
    for start in range(0, len(rows), 64):
        chunk = by_length[start : start + 64]
        prompts = [f"<user>{row.prompt}<assistant>" for row in chunk]
        inputs = tokenizer(
            prompts, return_tensors="pt", padding=True, add_special_tokens=False, return_token_type_ids=False
        )
        longest = max(map(len, tokenizer([row.reply for row in chunk], add_special_tokens=False)["input_ids"]))
        with torch.inference_mode():
            out = model.generate(**inputs, max_new_tokens=longest + 8, do_sample=False)
        texts = tokenizer.batch_decode(out[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        for row, text in zip(chunk, texts, strict=True):
            ok = text.rpartition("Answer:")[2] == row.reply.rpartition("Answer:")[2]
            right.setdefault(f"{row.kind} {min(row.operations, 6)}", []).append(ok)
    return {kind: f"{sum(oks)}/{len(oks)}" for kind, oks in sorted(right.items())}


def _checked(model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, seed: int, n_items: int) -> str:
    rng = Random(f"desk-check/{seed}")
    rows = [row for _ in range(n_items) for row in draw_rows(rng, draw_item(rng))]
    model.eval()
    found = accuracy_by_kind(model, tokenizer, rows)
    model.train()
    return "  ".join(f"{kind}: {share}" for kind, share in found.items())


def _batches(recipe: Recipe, clock: Clock, rng: Random, tokenizer: PreTrainedTokenizerFast) -> Iterator[Batch]:
    """One step's rows and drill after another; rows of similar length share a batch."""
    while True:
        cap, largest = _now(recipe.operation_caps, clock), _now(recipe.largest_values, clock)
        pool: list[Encoded] = []
        rows: list[Row] = []
        while len(pool) + len(rows) < _POOL_ROWS:
            item = draw_item(rng, largest)
            if rng.random() < _now(recipe.recall_share, clock):
                pool.append(_encode_recall(tokenizer, *recall(item, rng)))
            else:
                rows.extend(row for row in draw_rows(rng, item) if row.operations <= cap)
        pool.extend(_encode(tokenizer, rows))
        groups: list[list[Encoded]] = [[]]
        for pair in sorted(pool, key=lambda pair: len(pair[0])):
            if groups[-1] and (len(groups[-1]) + 1) * len(pair[0]) > recipe.batch_tokens:
                groups.append([])
            groups[-1].append(pair)
        rng.shuffle(groups)
        for group in groups:
            facts = _encode_drill(tokenizer, rng, _now(recipe.drill_facts, clock))
            yield [_padded(part, tokenizer.pad_token_id) for part in (group, facts)]


def _now(schedule: Sequence[tuple[float, T]], clock: Clock) -> T:
    return next(value for until, value in schedule if clock.progress <= until)


def _encode(tokenizer: PreTrainedTokenizerFast, rows: Sequence[Row]) -> list[Encoded]:
    prompts = tokenizer([f"<user>{row.prompt}<assistant>" for row in rows], add_special_tokens=False)["input_ids"]
    replies = tokenizer([f"{row.reply}<end>" for row in rows], add_special_tokens=False)["input_ids"]
    return [(p + r, [_IGNORED] * len(p) + r) for p, r in zip(prompts, replies, strict=True)]


def _encode_recall(tokenizer: PreTrainedTokenizerFast, question: str, said: Sequence[tuple[str, str]]) -> Encoded:
    return _encode_pairs(tokenizer, f"<user>{question}<assistant>", [(name, f"{what} ") for name, what in said])


def _encode_drill(tokenizer: PreTrainedTokenizerFast, rng: Random, n_facts: int) -> list[Encoded]:
    return [_encode_pairs(tokenizer, "", drill(rng, _FACTS_PER_ROW), ". ") for _ in range(0, n_facts, _FACTS_PER_ROW)]


def _encode_pairs(
    tokenizer: PreTrainedTokenizerFast, start: str, pairs: Sequence[tuple[str, str]], after: str = ""
) -> Encoded:
    """One row of (given, wanted) pairs; only what is wanted counts for the loss."""
    pieces = [start, *(piece for given, wanted in pairs for piece in (given, wanted, after))]
    encoded = tokenizer(pieces, add_special_tokens=False)["input_ids"]
    ids = [token for piece in encoded for token in piece]
    labels = [token if place % 3 == 2 else _IGNORED for place, piece in enumerate(encoded) for token in piece]
    return ids, labels


def _padded(rows: Sequence[Encoded], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    width = max(len(ids) for ids, _ in rows)
    ids = torch.tensor([ids + [pad] * (width - len(ids)) for ids, _ in rows])
    labels = torch.tensor([labels + [_IGNORED] * (width - len(labels)) for _, labels in rows])
    return ids, labels


def _step(
    model: Lfm2ForCausalLM,
    optimizer: torch.optim.Optimizer,
    batch: Batch,
    clip_norm: float,
    clock: Clock,
) -> float:
    """One update. Rows are padded on the right and attention is causal, so no mask is needed."""
    import torch

    logits, targets = [], []
    for ids, labels in batch:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state
            wanted = labels[:, 1:] != _IGNORED
            logits.append(model.lm_head(hidden[:, :-1][wanted]))
        targets.append(labels[:, 1:][wanted])
        clock.tokens += ids.numel()
    loss = torch.nn.functional.cross_entropy(torch.cat(logits).float(), torch.cat(targets))
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
    optimizer.step()
    return float(loss.detach())


def _save(
    path: Path,
    recipe: Recipe,
    model: Lfm2ForCausalLM,
    optimizer: torch.optim.Optimizer,
    rng: Random,
    clock: Clock,
) -> None:
    import torch

    state: dict[str, Any] = {
        "recipe": asdict(recipe),
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "rng": rng.getstate(),
        "clock": asdict(clock),
    }
    aside = path.with_suffix(".tmp")
    torch.save(state, aside)
    aside.replace(path)


def _restore(
    path: Path, recipe: Recipe, model: Lfm2ForCausalLM, optimizer: torch.optim.Optimizer, rng: Random
) -> Clock:
    import torch

    state = torch.load(path, weights_only=False)
    if state["recipe"] != asdict(recipe):
        raise ValueError(f"{path} was made by another recipe; choose another folder, or remove it to start anew")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    rng.setstate(state["rng"])
    return Clock(**state["clock"])


def _publish(
    folder: Path, recipe: Recipe, model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, clock: Clock
) -> Path:
    """The finished model in bf16, its tokenizer, and how it was made."""
    import torch

    model.to(torch.bfloat16).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    training = {
        "recipe": asdict(recipe),
        "steps": clock.steps,
        "tokens": clock.tokens,
        "minutes": clock.seconds / 60,
    }
    (folder / "training.json").write_text(json.dumps(training, indent=2) + "\n")
    return folder
