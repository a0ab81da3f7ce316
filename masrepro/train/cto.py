"""Trains a meta-agent on pairs of its own actions: an adapter for one role, by value-scaled preference optimisation.

The offline half of Collaborative Tree Optimisation, MAS² (arXiv 2509.24323), section 3.2: trees were grown, scored and
made into pairs before (`tree`, `credit`, `preference`); here generator, implementer and rectifier are trained
separately, each as a LoRA adapter on the base that wrote the actions. The reference is that base, its adapter off.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from masrepro.models.model import Message
from masrepro.train.cto_history import PairStep, Ranking, steps_of
from masrepro.train.cto_settings import CtoSettings
from masrepro.train.grpo import adapting, source_of
from masrepro.train.preference import Preference, held_out, mean_one, widest
from masrepro.train.training_folder import HISTORY, MODEL, claim, complete, last_checkpoint, n_updates
from masrepro.train.tree import Role

if TYPE_CHECKING:
    from torch import Tensor
    from trl import DPOConfig

    from masrepro.train.value_dpo import ValueScaledDPOTrainer

RANKING = "ranking.json"
"""Beside the finished adapter: how the pairs rank before and after."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TrainedRole:
    """A finished training: where its adapter lies, what happened in each step, and how its pairs rank.

    ``held_out`` is of the questions that were not learned from; None where no pair is of such a question.
    """

    role: Role
    folder: Path
    steps: tuple[PairStep, ...]
    learned: Ranking
    held_out: Ranking | None


def train_role(
    role: Role,
    preferences: Sequence[Preference],
    settings: CtoSettings,
    folder: Path,
    report: Callable[[str], None] = print,
) -> TrainedRole:
    """Train an adapter for a role, or go on from the last checkpoint in ``folder``.

    Parameters
    ----------
    role : {"generator", "implementer", "rectifier"}
        Pairs of others are left alone.
    preferences : sequence of Preference
        In an order of their own, which decides, with the seed, the order in which they are learned from.
    settings : CtoSettings
    folder : Path
        One for each role. Gets ``history.jsonl``, ``settings.json``, ``checkpoints/`` and, at the end, ``model/``.
    report : callable
        Gets one line of text a step.

    Raises
    ------
    ValueError
        There is no pair to learn from, and nothing is written; or the folder was begun with other settings or pairs.
    """
    from transformers import AutoTokenizer

    pairs = pairs_for(role, preferences, settings)
    tokenizer = AutoTokenizer.from_pretrained(source_of(settings.base))
    learned, apart = (
        list(_rows(part, tokenizer, settings)) for part in held_out(pairs, settings.held_out, settings.seed)
    )
    n_long = len(pairs) - len(learned) - len(apart)
    if n_long:
        report(f"longer than max_length and left out: {n_long} of {len(pairs)} pairs")
    if not learned:
        raise ValueError(f"no pair for the {role} fits max_length {settings.max_length}; raise it")
    digest = hashlib.sha256(json.dumps([asdict(pair) for pair in pairs]).encode()).hexdigest()
    told = {"role": role, "pairs": f"sha256:{digest[:16]}", **settings.cto_values()}
    claim(folder, told, CtoSettings.model_validate({}).cto_values())
    with adapting():
        trainer = _trainer(settings, folder, learned, tokenizer, report)
        checkpoint = last_checkpoint(folder)
        if checkpoint:
            report(f"goes on after step {n_updates(checkpoint)}")
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    trainer.save_model(str(folder / MODEL))
    rankings = ranking(trainer, learned), ranking(trainer, apart) if apart else None
    if trainer.is_world_process_zero():
        complete(folder, settings.base)
        named = {"learned": asdict(rankings[0]), "held_out": rankings[1] and asdict(rankings[1])}
        (folder / MODEL / RANKING).write_text(json.dumps(named, indent=2) + "\n", encoding="utf-8")
    return TrainedRole(role, folder / MODEL, steps_of(trainer.state.log_history), *rankings)


def pairs_for(role: Role, preferences: Sequence[Preference], settings: CtoSettings) -> list[Preference]:
    """The pairs of a role that the settings admit, their deltas scaled.

    Raises
    ------
    ValueError
        There is none; says what to do.
    """
    own = [pair for pair in preferences if pair.role == role]
    pairs = [pair for pair in own if pair.delta >= settings.least_delta]
    if not pairs:
        small = f" ({len(own)} do, by less than least_delta, {settings.least_delta:g})" if own else ""
        raise ValueError(
            f"the {role} has no pair to learn from: no two of its actions for one context differ in value{small}. Grow "
            "more branches a context, draw them at a higher temperature, or take easier questions: some actions must "
            "succeed where others fail"
        )
    if settings.pairs_per_context is not None:
        pairs = widest(pairs, settings.pairs_per_context)
    return mean_one(pairs) if settings.delta_scale == "mean-one" else pairs


def tokens(
    tokenizer: Any, prompt: Sequence[Message], text: str, *, thinking: bool = False
) -> tuple[list[int], list[int]]:
    """A context and an action as the model reads and writes them when it is asked: the action ends its turn.

    The two are not put through the chat template as one conversation. Some templates write a line break behind the end
    of a turn, which a model that has ended its turn never writes.
    """
    turns = [{"role": message.role, "content": message.content} for message in prompt]
    told = tokenizer.apply_chat_template(turns, add_generation_prompt=True, return_dict=False, enable_thinking=thinking)
    return told, [*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]


def ranking(trainer: ValueScaledDPOTrainer, rows: Sequence[Row]) -> Ranking:
    """How base and adapter rank pairs."""
    import torch

    model = trainer.model.eval()
    before, after = [], []
    with torch.no_grad(), trainer.accelerator.autocast():
        for row in rows:
            batch = {name: part.to(model.device) for name, part in trainer.data_collator([row]).items()}
            after.append(_log_likelihoods(model, batch))
            with model.disable_adapter():
                before.append(_log_likelihoods(model, batch))
    lead_before, lead_after = (torch.stack(pairs).diff().neg() for pairs in (before, after))
    margins = trainer.beta * (lead_after - lead_before)
    return Ranking(len(rows), _share(lead_before), _share(lead_after), _share(margins), float(margins.mean()))


def _share(leads: Tensor) -> float:
    return float((leads > 0).double().mean())


def _log_likelihoods(model: Any, batch: Mapping[str, Tensor]) -> Tensor:
    """Of a pair's better and worse action, in nats."""
    labels = batch["input_ids"].masked_fill(batch["completion_mask"] == 0, -100)
    told = {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"], "use_cache": False}
    # The trainer's head gives log-probabilities, 0 where there is no label.
    log_probs: Tensor = model(**told, labels=labels, fused_lm_head=True).log_probs
    return log_probs.double().sum(dim=1)


def dpo_config(settings: CtoSettings, folder: Path) -> DPOConfig:
    """The settings in TRL's terms."""
    from trl import DPOConfig

    return DPOConfig(
        output_dir=str(folder / "checkpoints"),
        seed=settings.seed,
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=settings.micro_batch,
        gradient_accumulation_steps=settings.accumulation,
        max_length=None,  # longer pairs were left out
        beta=settings.beta,
        disable_dropout=not settings.lora_dropout,
        learning_rate=settings.learning_rate,
        lr_scheduler_type=settings.schedule,
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.clip_norm,
        use_cpu=settings.device == "cpu",
        bf16=settings.autocast,
        activation_checkpointing=settings.activation_checkpointing,
        model_init_kwargs={"dtype": settings.dtype},
        save_steps=settings.checkpoint_every,
        save_total_limit=2,
        logging_steps=1,
        report_to=[],
        disable_tqdm=True,
    )


def _trainer(
    settings: CtoSettings, folder: Path, rows: Sequence[Row], tokenizer: Any, report: Callable[[str], None]
) -> ValueScaledDPOTrainer:
    import torch
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import PrinterCallback

    from masrepro.train.cto_recorder import PairRecorder
    from masrepro.train.value_dpo import ValueScaledDPOTrainer

    if settings.device == "cpu":
        torch.set_num_threads(1)  # what is trained on a processor is small: two threads wait for each other
    targets = list(settings.lora_targets)
    trainer = ValueScaledDPOTrainer(
        model=source_of(settings.base),
        args=dpo_config(settings, folder),
        train_dataset=Dataset.from_list(list(rows)),
        processing_class=tokenizer,
        peft_config=LoraConfig(
            r=settings.lora_rank,
            lora_alpha=settings.lora_alpha,
            lora_dropout=settings.lora_dropout,
            target_modules=targets[0] if targets == ["all-linear"] else targets,
            task_type="CAUSAL_LM",
        ),
        callbacks=[PairRecorder(folder / HISTORY, report)],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _rows(pairs: Sequence[Preference], tokenizer: Any, settings: CtoSettings) -> Iterator[Row]:
    """Pairs in tokens, without those that are too long."""
    for pair in pairs:
        prompt, win = tokens(tokenizer, pair.prompt, pair.win, thinking=settings.thinking)
        _, lose = tokens(tokenizer, pair.prompt, pair.lose, thinking=settings.thinking)
        if len(prompt) + max(len(win), len(lose)) <= settings.max_length:
            yield {"prompt_ids": prompt, "chosen_ids": win, "rejected_ids": lose, "delta": pair.delta}
