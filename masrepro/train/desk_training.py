"""Trains a desk model: one loop, one thread a process, checkpoints that resume exactly.

Products are in bfloat16 where the processor has it, else in float32, which comes to the same up to rounding.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from masrepro.models.desk import Size, folder_of, new_model, new_tokenizer
from masrepro.models.precision import bfloat16_pays
from masrepro.train.crew import Crew, crew_of
from masrepro.train.desk_batches import IGNORED, Batch, batches
from masrepro.train.desk_check import checked, drawn_hot
from masrepro.train.desk_own import LONGEST
from masrepro.train.desk_recipe import Clock, Recipe
from masrepro.train.desk_words import phrases, writing_phrases

if TYPE_CHECKING:
    import torch
    from transformers import Lfm2ForCausalLM, PreTrainedTokenizerFast

TRAINING = "training.json"
"""How a model was made, beside its weights: recipe, steps, tokens, minutes, and the curve of the loss."""

CHECKPOINT, CONSTANT = "checkpoint.pt", "constant.pt"
_BAR_CHARS = 20
_FLOAT32_ATTENTION = "sdpa_float32"
_BY_TOKEN = ("model.embed_tokens.weight", "lm_head.weight")


def train(
    recipe: Recipe,
    folder: Path,
    *,
    start: Path | None = None,
    processes: int = 1,
    n_checked: int = 50,
    about: Mapping[str, Any] | None = None,
    report: Callable[[str], None] = print,
) -> Path:
    """Train, or go on from the checkpoint in ``folder``; returns the folder of the finished model.

    Parameters
    ----------
    recipe : Recipe
        A checkpoint made by another recipe is refused.
    folder : Path
        Holds ``checkpoint.pt`` while training, ``constant.pt`` from before the learning rate fell, and ``model/`` at
        the end.
    start : Path, optional
        Folder of a shorter training of the same recipe, from whose ``constant.pt`` this one goes on.
    processes : int
        How many share the rows of each step, a core each; weights differ by their number in the last bits.
    n_checked : int
        Items of which the accuracy is reported every ten minutes and at the end.
    about : mapping, optional
        What else is put on record with the finished model, such as the commit.
    report : callable
        Gets one line of text about every half a minute.

    Raises
    ------
    ValueError
        The checkpoint to go on from belongs to another recipe, or lies beyond the point where this one slows down.
    FileNotFoundError
        ``start`` holds nothing to go on from.
    ChildProcessError
        One of several processes ended before its time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    run = _taken_up(recipe, folder, start)
    if run.clock.steps:
        report(f"goes on at {_where(run.clock)}")
    with crew_of(processes, partial(_train_along, recipe, folder, start)) as crew:
        _lead(run, folder, crew, n_checked, report)
    run.save(folder / CHECKPOINT)
    report(f"done: {checked(run.model, run.tokenizer, recipe, n_checked)}")
    return _publish(folder / "model", run, {"processes": processes, **(about or {})})


def _taken_up(recipe: Recipe, folder: Path, start: Path | None) -> Training:
    """The training at its last checkpoint, or at its beginning."""
    import torch

    torch.set_num_threads(1)
    run = Training.of(recipe)
    if (folder / CHECKPOINT).exists():
        run.restore(folder / CHECKPOINT, exactly=True)
    elif start is not None:
        if not (start / CONSTANT).is_file():
            raise FileNotFoundError(f"{start} holds no {CONSTANT}: name the folder of a shorter training that ended")
        run.restore(start / CONSTANT, exactly=False)
    return run


def _train_along(recipe: Recipe, folder: Path, start: Path | None, crew: Crew) -> None:
    """What all but the leader of a crew do."""
    run = _taken_up(recipe, folder, start)
    while run.clock.progress < 1:
        run.step(crew)


def _lead(run: Training, folder: Path, crew: Crew, n_checked: int, report: Callable[[str], None]) -> None:
    """Train to the end of the course; report and save on the way."""
    recipe = run.clock.recipe
    said = saved = tried = time.monotonic()
    losses: list[float] = []
    while run.clock.progress < 1:
        was_constant = run.clock.progress < recipe.constant_until
        losses.append(run.step(crew))
        now = time.monotonic()
        if now - said > 30:
            loss = sum(losses) / len(losses)
            run.curve.append((run.clock.tokens, round(loss, 4)))
            report(f"{_where(run.clock)}  loss {loss:.4f}")
            said, losses = now, []
        if now - tried > 600:
            report(f"       {checked(run.model, run.tokenizer, recipe, n_checked)}")
            tried = time.monotonic()
        if was_constant and run.clock.progress >= recipe.constant_until:
            run.save(folder / CONSTANT)
        if now - saved > 60:
            run.save(folder / CHECKPOINT)
            saved = time.monotonic()


@dataclass(slots=True)
class Training:
    """A training that can be put down and taken up again."""

    model: Lfm2ForCausalLM
    tokenizer: PreTrainedTokenizerFast
    clock: Clock
    rng: Random
    curve: list[tuple[int, float]] = field(default_factory=list)
    """Mean loss by tokens seen, a point every half minute."""
    optimizer: torch.optim.Optimizer = field(init=False)
    _pool: list[Batch] = field(default_factory=list)

    @classmethod
    def of(cls, recipe: Recipe) -> Training:
        """A training that has not begun."""
        tokenizer = new_tokenizer(phrases(recipe.notation) if recipe.corpus == "solver" else writing_phrases())
        model = new_model(tokenizer, recipe.size, recipe.seed)
        model.set_attn_implementation(_attention())
        return cls(model, tokenizer, Clock(recipe), Random(f"desk/{recipe.seed}"))

    def __post_init__(self) -> None:
        import torch

        recipe = self.clock.recipe
        if recipe.begins_with:
            _begin(self.model, self.tokenizer, recipe.begins_with)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), betas=(0.9, 0.98), weight_decay=recipe.weight_decay)
        for weight in self.model.parameters():
            weight.grad = torch.zeros_like(weight)  # there even where a process has no row of the first step

    def step(self, crew: Crew = Crew()) -> float:
        """One update, for which a crew shares the rows; returns its loss."""
        began, clock, recipe = time.monotonic(), self.clock, self.clock.recipe
        if not self._pool:
            self._pool = batches(self.tokenizer, self.rng, clock, self._write)
        rate = recipe.rate(clock.progress) * min(1.0, (clock.steps + 1) / recipe.warmup_steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        batch = self._pool.pop()
        loss = _update(self.model, self.optimizer, batch, recipe.clip_norm, crew)
        clock.tokens += sum(ids.numel() for ids, _ in batch)
        clock.steps += 1
        clock.seconds = crew.as_leader(clock.seconds + time.monotonic() - began)
        return loss

    def _write(self, prompts: Sequence[str], seed: int) -> list[str]:
        self.model.eval()
        texts = drawn_hot(self.model, self.tokenizer, prompts, LONGEST, seed)
        self.model.train()
        return texts

    def save(self, path: Path) -> None:
        """Everything that the next step depends on, written aside and renamed."""
        import torch

        clock = {"seconds": self.clock.seconds, "steps": self.clock.steps, "tokens": self.clock.tokens}
        state: dict[str, Any] = {
            "recipe": asdict(self.clock.recipe),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "rng": self.rng.getstate(),
            "pool": self._pool,
            "curve": self.curve,
            "clock": clock,
        }
        aside = path.with_suffix(".tmp")
        torch.save(state, aside)
        aside.replace(path)

    def restore(self, path: Path, *, exactly: bool) -> None:
        """Take up what was saved there: by this recipe, or, not ``exactly``, by one that goes the same way."""
        import torch

        state = torch.load(path, weights_only=False)
        theirs = Recipe(**{**state["recipe"], "size": Size(**state["recipe"]["size"])})
        ours = self.clock.recipe
        if theirs != ours if exactly else not ours.goes_the_same_way_as(theirs):
            raise ValueError(f"{path} was made by another recipe; choose another folder, or remove it to start anew")
        self.clock = Clock(ours, **state["clock"])
        if not exactly and self.clock.progress > ours.constant_until:
            raise ValueError(f"{path} lies beyond the point from where this training slows down; start from nothing")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.rng.setstate(state["rng"])
        self._pool = state["pool"]
        self.curve = state.get("curve", [])


def _attention() -> str:
    """Name of attention in float32: on a processor its gradient takes half the time that it takes in bf16."""
    import torch
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.integrations.sdpa_attention import sdpa_attention_forward
    from transformers.masking_utils import sdpa_mask

    def in_float32(
        module: torch.nn.Module,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        mask: torch.Tensor | None,
        **how: Any,
    ) -> tuple[torch.Tensor, None]:
        with torch.autocast("cpu", enabled=False):
            read, _ = sdpa_attention_forward(module, query.float(), key.float(), value.float(), mask, **how)
        return read.to(query.dtype), None

    AttentionInterface.register(_FLOAT32_ATTENTION, in_float32)
    AttentionMaskInterface.register(_FLOAT32_ATTENTION, sdpa_mask)
    return _FLOAT32_ATTENTION


def _begin(model: Lfm2ForCausalLM, tokenizer: PreTrainedTokenizerFast, name: str) -> None:
    """Take over a shipped model's weights; tokens that it does not know keep their own beginning.

    Where its convolutions see fewer tokens, those farther back begin with no weight, so that the two compute the same.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    theirs = AutoModelForCausalLM.from_pretrained(folder_of(name), dtype=torch.float32).state_dict()
    known, ids = AutoTokenizer.from_pretrained(folder_of(name)).get_vocab(), tokenizer.get_vocab()
    shared = [token for token in ids if token in known]
    ours = model.state_dict()
    with torch.no_grad():
        for key, weight in theirs.items():
            if key.endswith("conv.conv.weight"):
                ours[key].zero_()[..., -weight.shape[-1] :] = weight
            elif key in _BY_TOKEN:
                ours[key][[ids[token] for token in shared]] = weight[[known[token] for token in shared]]
            else:
                ours[key].copy_(weight)


def _where(clock: Clock) -> str:
    done = round(clock.progress * _BAR_CHARS)
    left = clock.seconds / 60 * (1 / clock.progress - 1) if clock.progress else 0.0
    return (
        f"[{'#' * done}{'.' * (_BAR_CHARS - done)}] {clock.progress:4.0%}  {clock.seconds / 60:5.1f} min, "
        f"{left:.0f} left  step {clock.steps}  {clock.tokens / 1e6:.2f} M tokens"
    )


def _update(
    model: Lfm2ForCausalLM, optimizer: torch.optim.Optimizer, batch: Batch, clip_norm: float, crew: Crew
) -> float:
    """One update. Rows are padded on the right and attention is causal, so no mask is needed."""
    import torch

    n_wanted = sum(int((labels[:, 1:] != IGNORED).sum()) for _, labels in batch)
    logits, targets = [], []
    for ids, labels in ((crew.share(ids), crew.share(labels)) for ids, labels in batch):
        if not len(ids):
            continue
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16_pays()):
            hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state
            wanted = labels[:, 1:] != IGNORED
            logits.append(model.lm_head(hidden[:, :-1][wanted]))
        targets.append(labels[:, 1:][wanted])
    optimizer.zero_grad(set_to_none=False)
    loss = torch.zeros(())
    if logits:
        loss = torch.nn.functional.cross_entropy(torch.cat(logits).float(), torch.cat(targets), reduction="sum")
        loss = loss / n_wanted
        loss.backward()  # type: ignore[no-untyped-call]
    loss = loss.detach()
    crew.add_up([loss, *(weight.grad for weight in model.parameters() if weight.grad is not None)])
    torch.nn.utils.clip_grad_norm_(model.parameters(), clip_norm)
    optimizer.step()
    return float(loss)


def _publish(folder: Path, run: Training, about: Mapping[str, Any]) -> Path:
    """The finished model in bf16, its tokenizer, and how it was made."""
    import torch

    with torch.no_grad():
        # Logits are this norm's output times the vectors of the tokens.
        run.model.model.embedding_norm.weight.mul_(run.clock.recipe.sharpness)
    run.model.to(torch.bfloat16).save_pretrained(folder)
    run.tokenizer.save_pretrained(folder)
    training = {
        "recipe": asdict(run.clock.recipe),
        "steps": run.clock.steps,
        "tokens": run.clock.tokens,
        "minutes": run.clock.seconds / 60,
        **about,
        "curve": run.curve,
    }
    (folder / TRAINING).write_text(json.dumps(training) + "\n")
    return folder
