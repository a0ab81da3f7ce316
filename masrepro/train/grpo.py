"""Trains an orchestrator by GRPO on what its systems answer: holistic, a whole system a completion, or sequential.

TRL's `GRPOTrainer` samples, weighs and updates; here are its settings, its prompts, the reward that runs the systems,
and the record of every step. One trainer for a desk model on a processor and for 7B on several GPUs, where each process
of `accelerate launch` runs the systems that it sampled. MAS-Orchestra (arXiv 2601.14652), section 3.3. A sequential
orchestrator's conversations are held in `sequential`; all else is the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from masrepro.models.desk import folder_of, shipped
from masrepro.orchestration.briefing import request, rules, turn_rules
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.train.grpo_settings import GrpoSettings, Method
from masrepro.train.history import History, Step, read_history
from masrepro.train.mix import Assignment, Mix, assignments
from masrepro.train.reward import FinalAnswer, RewardOf, SystemReward, ends_of
from masrepro.train.rollout import Team
from masrepro.train.training_folder import HISTORY, MODEL, claim, complete, last_checkpoint, n_updates

if TYPE_CHECKING:
    from peft import LoraConfig
    from trl import GRPOConfig, GRPOTrainer


@dataclass(frozen=True, slots=True)
class Trained:
    """A finished training: where its model or adapter lies, and what happened in each step."""

    folder: Path
    steps: tuple[Step, ...]


def catalogue_of(settings: GrpoSettings) -> Catalogue:
    """The workflows that systems may use; tools only where one of them can search.

    Raises
    ------
    ValueError
        No such workflow; lists those there are.
    """
    known = {workflow.name: workflow for workflow in STANDARD.workflows}
    unknown = [name for name in settings.workflows if name not in known]
    if unknown:
        raise ValueError(f"no workflow {unknown[0]!r}; there are: {', '.join(known)}")
    tools = STANDARD.tools if "deep_research" in settings.workflows else ()
    return Catalogue(tuple(known[name] for name in settings.workflows), tools)


def source_of(orchestrator: str) -> str:
    """Folder of a desk model by its name; a folder or a hub id as it is."""
    return str(folder_of(orchestrator)) if orchestrator in shipped() else orchestrator


def prompt(assignment: Assignment, catalogue: Catalogue, method: Method = "holistic") -> list[dict[str, Any]]:
    """What an orchestrator is told: `masrepro.meta.orchestrator_messages`, as a conversation for TRL.

    A sequential one is told `masrepro.baselines.sequential.turn_messages`.
    """
    told = rules(catalogue) if method == "holistic" else turn_rules(catalogue)
    asked = request(assignment.item.question, assignment.dom, catalogue)
    return [{"role": "system", "content": told}, {"role": "user", "content": asked}]


def train(
    settings: GrpoSettings,
    folder: Path,
    *,
    team: Team,
    reward_of: RewardOf | None = None,
    given: Sequence[Assignment] | None = None,
    report: Callable[[str], None] = print,
) -> Trained:
    """Train, or go on from the last checkpoint in ``folder``.

    Parameters
    ----------
    settings : GrpoSettings
        A folder that was begun with others is refused; only ``steps`` may grow.
    folder : Path
        Gets ``history.jsonl``, ``settings.json``, ``checkpoints/`` and, at the end, ``model/``: the adapter, with
        those of earlier steps in ``model/earlier/``, or all weights.
    team : Team
        Who runs the systems.
    reward_of : callable, optional
        What a rollout is worth; by default as the settings say.
    given : sequence of Assignment, optional
        One a question, in order; by default those of the settings' mix.
    report : callable
        Gets one line of text a step.

    Raises
    ------
    ValueError
        The folder belongs to other settings, the batch does not divide among the processes, or a prompt is too long.
    SubAgentsDown
        Most systems of a batch failed for a back-end's fault. What was learned until the last checkpoint is kept.
    """
    claim(folder, settings.grpo_values(), GrpoSettings.model_validate({}).grpo_values(), grows="steps")
    history = History(folder / HISTORY)
    if given is None:
        mix = Mix(settings.cells, tuple(map(DoM.parse, settings.doms)), settings.seed, settings.n_items)
        given = assignments(mix, settings.steps * settings.prompts_per_step)
    team = replace(team, catalogue=catalogue_of(settings))
    rewarding = reward_of or FinalAnswer(settings.part_credit, settings.format_share)
    checkpoint = last_checkpoint(folder)
    n_done = n_updates(checkpoint) // settings.iterations if checkpoint else 0
    with adapting():
        trainer = _trainer(settings, folder, given, team, rewarding, history, report)
        if trainer.is_world_process_zero():
            history.keep(n_done)
        if n_done:
            report(f"goes on after step {n_done}")
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    trainer.save_model(str(folder / MODEL))
    if trainer.is_world_process_zero():
        complete(folder, settings.orchestrator)
    return Trained(folder / MODEL, tuple(read_history(history.path)))


def grpo_config(settings: GrpoSettings, folder: Path) -> GRPOConfig:
    """The settings in TRL's terms, for this process and its siblings.

    Raises
    ------
    ValueError
        The batch does not divide among the processes.
    """
    from accelerate import PartialState
    from trl import GRPOConfig

    n_processes = PartialState(cpu=settings.device == "cpu").num_processes
    per_round = settings.micro_batch * n_processes
    if settings.completions_per_step % per_round:
        raise ValueError(
            f"a batch of {settings.completions_per_step} systems does not divide among {n_processes} processes with "
            f"micro_batch {settings.micro_batch}"
        )
    return GRPOConfig(
        output_dir=str(folder / "checkpoints"),
        seed=settings.seed,
        max_steps=settings.steps * settings.iterations,
        per_device_train_batch_size=settings.micro_batch,
        gradient_accumulation_steps=settings.completions_per_step // per_round,
        num_generations=settings.group_size,
        num_iterations=settings.iterations,
        shuffle_dataset=False,  # the mix has an order of its own
        temperature=settings.plan_temperature,
        max_completion_length=settings.plan_tokens,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="constant_with_warmup",
        warmup_steps=settings.warmup_steps,
        weight_decay=settings.weight_decay,
        max_grad_norm=settings.clip_norm,
        beta=settings.beta,
        use_bias_correction_kl=False,  # the authors' trainer has none
        epsilon=settings.epsilon,
        epsilon_high=settings.epsilon_high,
        loss_type=settings.loss_type,
        scale_rewards=settings.scale_rewards,
        entropy_coef=settings.entropy_coefficient,
        mask_truncated_completions=settings.mask_cut_off,
        use_cpu=settings.device == "cpu",
        bf16=settings.autocast,
        activation_checkpointing=settings.activation_checkpointing,
        model_init_kwargs={"dtype": settings.dtype},
        use_vllm=settings.vllm != "off",
        vllm_mode="server" if settings.vllm == "server" else "colocate",
        vllm_server_base_url=settings.vllm_url,
        vllm_gpu_memory_utilization=settings.vllm_memory_share,
        save_steps=settings.checkpoint_every * settings.iterations,
        save_total_limit=2,
        logging_steps=1,
        report_to=[],
        disable_tqdm=True,
    )


def adapter_config(settings: GrpoSettings) -> LoraConfig | None:
    """The adapter that is trained; None where all weights are."""
    from peft import LoraConfig

    if not settings.lora_rank:
        return None
    targets = list(settings.lora_targets)
    return LoraConfig(
        r=settings.lora_rank,
        lora_alpha=settings.lora_alpha,
        target_modules=targets[0] if targets == ["all-linear"] else targets,
        task_type="CAUSAL_LM",
    )


@contextmanager
def adapting() -> Iterator[None]:
    """Without what PEFT and TRL warn of when an adapter is put on a model, and of the hook for conversations."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing` is deprecated")
        warnings.filterwarnings("ignore", "You are using 'rollout_func'")
        yield


def _trainer(
    settings: GrpoSettings,
    folder: Path,
    given: Sequence[Assignment],
    team: Team,
    reward_of: RewardOf,
    history: History,
    report: Callable[[str], None],
) -> GRPOTrainer:
    from datasets import Dataset
    from transformers import AutoConfig, AutoTokenizer, PrinterCallback, set_seed
    from trl import GRPOTrainer

    from masrepro.train.recorder import Recorder
    from masrepro.train.sequential import Conversations, placed

    set_seed(settings.seed)  # before an adapter is drawn
    source = source_of(settings.orchestrator)
    tokenizer = AutoTokenizer.from_pretrained(source)
    prompts = [prompt(one, team.catalogue, settings.method) for one in given]
    context_tokens = AutoConfig.from_pretrained(source).get_text_config().max_position_embeddings
    _check_lengths(prompts, tokenizer, context_tokens, settings)
    recorder = Recorder(history, settings, folder, report)
    hooks: dict[str, Any]
    if settings.method == "sequential":
        talks = Conversations(given, team, reward_of, settings, tokenizer, context_tokens, recorder.judged)
        prompts = [placed(one, place) for place, one in enumerate(prompts)]
        hooks = {"reward_funcs": talks.reward, "rollout_func": talks}
    else:
        hooks = {"reward_funcs": SystemReward(given, team, reward_of, ends_of(tokenizer), recorder.judged)}
    rows = [{"prompt": one, "place": place} for place, one in enumerate(prompts)]
    trainer = GRPOTrainer(
        model=source,
        args=grpo_config(settings, folder),
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
        peft_config=adapter_config(settings),
        callbacks=[recorder],
        **hooks,
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _check_lengths(
    prompts: Sequence[list[dict[str, Any]]], tokenizer: Any, context_tokens: int, settings: GrpoSettings
) -> None:
    """Raise ValueError if a prompt leaves no room for a system: the trainer would go beyond the model's context."""
    longest = max(map(len, tokenizer.apply_chat_template(prompts, add_generation_prompt=True, return_dict=False)))
    if longest + settings.plan_tokens > context_tokens:
        raise ValueError(
            f"a prompt of {longest} tokens and plan_tokens {settings.plan_tokens} do not fit the context of "
            f"{settings.orchestrator}, {context_tokens} tokens; lower plan_tokens, or choose other cells"
        )
