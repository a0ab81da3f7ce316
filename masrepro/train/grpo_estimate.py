"""What a training by GRPO will take, before any weight is loaded: memory, calls, tokens, and hours under stated rates.

Sizes come from the model's configuration, lengths from the first prompts; what cannot be known is assumed and said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from masrepro.models.model import Message
from masrepro.models.request import estimated_tokens
from masrepro.orchestration.dom import DoM
from masrepro.train.grpo import adapter_config, adapting, catalogue_of, prompt, source_of
from masrepro.train.grpo_settings import GrpoSettings
from masrepro.train.mix import Mix, assignments

GIB = 2**30
AGENTS = 5
"""Agents of a system that are assumed: figure C.2 of MAS-Orchestra ends between 3 and 7."""
_PROMPTS_READ = 64

# Shapes of the paper's orchestrators, for a machine that has not downloaded them yet.
_KNOWN: Mapping[str, Mapping[str, Any]] = {
    "Qwen/Qwen2.5-7B-Instruct": {
        "model_type": "qwen2",
        "vocab_size": 152_064,
        "hidden_size": 3584,
        "intermediate_size": 18_944,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "tie_word_embeddings": False,
    },
    "Qwen/Qwen3-8B": {
        "model_type": "qwen3",
        "vocab_size": 151_936,
        "hidden_size": 4096,
        "intermediate_size": 12_288,
        "num_hidden_layers": 36,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "tie_word_embeddings": False,
    },
}


@dataclass(frozen=True, slots=True)
class Machine:
    """What a training runs on, and the rates and lengths that are assumed there.

    Parameters
    ----------
    n_devices : int
        Among which weights, gradients and optimiser are sharded.
    memory_gib : float
        Of each.
    learning_tflops : float
        That each reaches in a forward or backward pass.
    sampling_tokens_s, reply_tokens_s : float
        Tokens that each device samples in a second, and tokens that all sub-agents together write.
    tokens_per_agent : int
        Of a written system, for an agent and its flow.
    reply_share : float
        Length of a sub-agent's reply, of the most that it may be.
    drawn_share : float
        Of the sub-agents' calls, those that no equal call of the batch has drawn already.
    """

    n_devices: int
    memory_gib: float
    learning_tflops: float
    sampling_tokens_s: float
    reply_tokens_s: float
    tokens_per_agent: int
    reply_share: float
    drawn_share: float


H200 = Machine(8, 141.0, 350.0, 8_000.0, 20_000.0, tokens_per_agent=60, reply_share=0.5, drawn_share=1.0)
"""The paper's eight devices: 35 % of their peak in bfloat16, and usual rates of vLLM for 7B at large batches."""
DESK = Machine(1, 16.0, 0.04, 3_000.0, 2_500.0, tokens_per_agent=15, reply_share=0.15, drawn_share=0.3)
"""One core and a model of a million parameters: 9,000 tokens a second learned and 3,000 drawn, as measured."""


@dataclass(frozen=True, slots=True)
class TrainingEstimate:
    """What a training takes. Memory in GiB for each device; tokens and calls for the whole training.

    Parameters
    ----------
    n_parameters, n_trained : int
        Of the orchestrator, and those of them that are updated.
    memory_gib : mapping of str to float
        By what it is for.
    n_completions, prompt_tokens, plan_tokens : int
        Systems written, tokens of their prompts, and tokens expected of them.
    most_plan_tokens : int
        Tokens of the systems at most.
    calls, sub_agent_tokens : int
        Expected of the sub-agents, without those that an equal call has drawn.
    most_calls : int or None
        Their most; None where a system's calls have no bound.
    hours : mapping of str to float
        By part of a step.
    machine : Machine
    """

    n_parameters: int
    n_trained: int
    memory_gib: Mapping[str, float]
    n_completions: int
    prompt_tokens: int
    plan_tokens: int
    most_plan_tokens: int
    calls: int
    sub_agent_tokens: int
    most_calls: int | None
    hours: Mapping[str, float]
    machine: Machine

    @property
    def fits(self) -> bool:
        """Whether the memory of a device suffices."""
        return sum(self.memory_gib.values()) <= self.machine.memory_gib

    def lines(self) -> list[str]:
        """The estimate for people."""
        total = sum(self.memory_gib.values())
        parts = ", ".join(f"{name} {gib:.2g}" for name, gib in self.memory_gib.items())
        most = "no bound" if self.most_calls is None else f"at most {self.most_calls:,}"
        hours = ", ".join(f"{part} {time:.2g}" for part, time in self.hours.items())
        machine = self.machine
        return [
            f"parameters: {self.n_parameters:,}, of which {self.n_trained:,} are trained",
            f"memory on each of {machine.n_devices} device(s): {total:.3g} of {machine.memory_gib:g} GiB "
            f"({parts}){'' if self.fits else '; does not fit: lower micro_batch, or use a LoRA adapter'}",
            f"systems: {self.n_completions:,}, from {self.prompt_tokens:,} prompt tokens; {self.plan_tokens:,} tokens "
            f"expected, {self.most_plan_tokens:,} at most",
            f"sub-agents: {self.calls:,} calls expected ({most}), {self.sub_agent_tokens:,} tokens with their prompts",
            f"time: {sum(self.hours.values()):.3g} hours ({hours})",
            f"assumed: {AGENTS} agents a system of {machine.tokens_per_agent} tokens each; replies of "
            f"{machine.reply_share:.0%} of max_tokens, {machine.drawn_share:.0%} of them drawn; on each device "
            f"{machine.learning_tflops:g} TFLOP/s learned and {machine.sampling_tokens_s:,.0f} tokens/s sampled; "
            f"sub-agents write {machine.reply_tokens_s:,.0f} tokens/s",
        ]


def estimate_training(settings: GrpoSettings, max_tokens: int, machine: Machine) -> TrainingEstimate:
    """Estimate a training.

    Parameters
    ----------
    settings : GrpoSettings
    max_tokens : int
        Of one reply of a sub-agent.
    machine : Machine

    Raises
    ------
    ValueError
        The orchestrator's configuration is neither known nor on this machine.
    """
    config = _config(settings.orchestrator)
    n_parameters, n_trained = _sizes(config, settings)
    n = settings.steps * settings.completions_per_step
    prompt_length, question_length = _lengths(settings)
    plan_length = min(settings.plan_tokens, AGENTS * machine.tokens_per_agent)
    calls = round(n * min(AGENTS, settings.system_calls or AGENTS) * machine.drawn_share)
    reply_tokens = round(calls * max_tokens * machine.reply_share)
    learned = n * (prompt_length + plan_length)
    # Forward and backward, the forward pass again for checkpointed activations, and the reference's.
    passes = 6 + 2 * settings.activation_checkpointing + 2 * (settings.beta > 0)
    hours = {
        "sampling": n * plan_length / machine.sampling_tokens_s / machine.n_devices / 3600,
        "execution": reply_tokens / machine.reply_tokens_s / 3600,
        "update": passes * n_parameters * learned / (machine.learning_tflops * 1e12) / machine.n_devices / 3600,
    }
    if settings.method == "sequential":
        read = n * AGENTS * (prompt_length + plan_length)  # all that was said, again at every turn after the first
        rate = machine.learning_tflops * 1e12 * machine.n_devices
        hours["reading again"] = 2 * n_parameters * read / rate / 3600
    return TrainingEstimate(
        n_parameters,
        n_trained,
        _memory(settings, config, n_parameters, n_trained, prompt_length, machine),
        n,
        n * prompt_length,
        n * plan_length,
        n * settings.plan_tokens,
        calls,
        calls * question_length + reply_tokens,
        n * settings.system_calls if settings.system_calls else None,
        hours,
        machine,
    )


def _config(orchestrator: str) -> Any:
    """The model's configuration: from its folder or the hub's cache, else one that is known."""
    from transformers import AutoConfig

    source = source_of(orchestrator)
    try:
        return AutoConfig.from_pretrained(source, local_files_only=not Path(source).is_dir())
    except OSError as error:
        if orchestrator not in _KNOWN:
            raise ValueError(
                f"the configuration of {orchestrator} is not on this machine; download it first, or take one of "
                f"{', '.join(_KNOWN)}, which are known"
            ) from error
    known = dict(_KNOWN[orchestrator])
    return AutoConfig.for_model(known.pop("model_type"), **known)


def _sizes(config: Any, settings: GrpoSettings) -> tuple[int, int]:
    """Parameters in all, and those that are trained; counted on a model without memory."""
    import torch
    from peft import get_peft_model
    from transformers import AutoModelForCausalLM

    adapter = adapter_config(settings)
    with torch.device("meta"), adapting():
        model = AutoModelForCausalLM.from_config(config)
        n_parameters = sum(weight.numel() for weight in model.parameters())
        if adapter is None:
            return n_parameters, n_parameters
        adapted = get_peft_model(model, adapter)
    return n_parameters, sum(weight.numel() for weight in adapted.parameters() if weight.requires_grad)


def _lengths(settings: GrpoSettings) -> tuple[int, int]:
    """Mean tokens of a prompt and of its question: a quarter of their bytes, or as the tokenizer at hand says."""
    catalogue = catalogue_of(settings)
    mix = Mix(settings.cells, tuple(map(DoM.parse, settings.doms)), settings.seed, settings.n_items)
    given = assignments(mix, min(_PROMPTS_READ, settings.prompts_per_step))
    turns = [prompt(one, catalogue, settings.method) for one in given]
    source = Path(source_of(settings.orchestrator))
    if source.is_dir():
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(source)
        prompts = [len(tokenizer.apply_chat_template(turn, return_dict=False)) for turn in turns]
        questions = [len(tokenizer(one.item.question)["input_ids"]) for one in given]
    else:
        prompts = [estimated_tokens([Message("user", turn["content"]) for turn in own]) for own in turns]
        questions = [estimated_tokens([Message("user", one.item.question)]) for one in given]
    return sum(prompts) // len(prompts), sum(questions) // len(questions)


def _memory(
    settings: GrpoSettings, config: Any, n_parameters: int, n_trained: int, prompt_length: int, machine: Machine
) -> dict[str, float]:
    """GiB on each device by what they are for; weights, gradients and moments are sharded."""
    width = 2 if settings.dtype == "bfloat16" else 4
    shape = config.get_text_config()
    tokens = settings.micro_batch * (prompt_length + settings.plan_tokens)
    # Checkpointed, one activation a layer is kept and one layer is computed again, which takes about 16 more.
    per_token = shape.hidden_size * (shape.num_hidden_layers * (1 if settings.activation_checkpointing else 16) + 16)
    needs = {
        "weights": n_parameters * width / machine.n_devices,
        "gradients": n_trained * width / machine.n_devices,
        "optimiser": n_trained * 2 * width / machine.n_devices,
        "activations": tokens * per_token * (2 if settings.autocast else width),
    }
    if settings.beta and not settings.lora_rank:
        needs["reference"] = n_parameters * width / machine.n_devices
    found = {name: n_bytes / GIB for name, n_bytes in needs.items()}
    if settings.vllm == "colocate":
        found["vLLM"] = settings.vllm_memory_share * machine.memory_gib
    return found
