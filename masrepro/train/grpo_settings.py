"""Everything that decides what GRPO makes of an orchestrator: frozen, strict, each field with its unit.

The defaults are MAS-Orchestra's (arXiv 2601.14652, appendix B, and its released command); desk params say otherwise
where a small model needs it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from masrepro.bench.masbench.cell import parse_cell
from masrepro.orchestration.dom import DoM

Method = Literal["holistic", "sequential"]
Names = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]


class GrpoSettings(BaseModel):
    """Data, policy, optimiser and batch of a training by GRPO."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())

    seed: int = Field(1, ge=0, description="seed of weights, order of items, and sampling")
    orchestrator: str = Field(
        "Qwen/Qwen2.5-7B-Instruct",
        min_length=1,
        description="the model that is trained: a desk model, a folder or a hub id (paper: Qwen2.5-7B-Instruct)",
    )
    method: Method = Field(
        "holistic", description="a whole system a completion (paper), or an agent a turn that hears each answer"
    )
    turns: int = Field(12, ge=1, description="turns of a sequential conversation, at most, the last one included")
    cells: Names = Field(
        ("masbench/depth/4",), description="benchmarks whose train split is learned from, in equal parts"
    )
    doms: Names = Field(("HIGH",), description="degrees of MAS: LOW, HIGH or a number of agents; several are mixed")
    n_items: int = Field(2000, ge=1, description="items per benchmark, at most (paper: 1,807 to 3,993 per axis)")
    workflows: Names = Field(("cot",), description="what a system may use (paper on MASBench: cot only)")

    steps: int = Field(150, ge=1, description="batches (paper: 75 to 250, until it converged)")
    prompts_per_step: int = Field(64, ge=1, description="questions of a batch (paper: 64)")
    group_size: int = Field(32, ge=2, description="systems written for each of them (paper: 32)")
    micro_batch: int = Field(4, ge=1, description="systems per forward pass and device")
    iterations: int = Field(1, ge=1, description="updates on each batch; with 1 the clip is inactive (paper: 1)")
    plan_temperature: float = Field(1.0, gt=0, le=2, description="of the systems that are sampled (paper: 1)")
    plan_tokens: int = Field(8192, ge=1, description="tokens; upper bound on a written system (paper: 8,192)")

    lora_rank: int = Field(0, ge=0, description="rank of a LoRA adapter; 0 trains all weights (paper: 0)")
    lora_alpha: int = Field(32, ge=1, description="scale of the adapter, over its rank")
    lora_targets: Names = Field(("all-linear",), description="layers that get an adapter")

    learning_rate: float = Field(1e-6, gt=0, description="constant (paper: 1e-6)")
    warmup_steps: int = Field(0, ge=0, description="updates over which the learning rate rises (paper: 0)")
    weight_decay: float = Field(0.01, ge=0, description="of AdamW (paper: 0.01)")
    clip_norm: float = Field(1.0, gt=0, description="largest norm of a gradient (paper: 1)")
    beta: float = Field(0.001, ge=0, description="weight of the divergence from the untrained model (paper: 0.001)")
    epsilon: float = Field(0.2, gt=0, description="lower clip of the ratio of probabilities (paper: 0.2)")
    epsilon_high: float | None = Field(None, gt=0, description="upper clip; null: the same (paper: 0.2)")
    loss_type: Literal["grpo", "bnpo", "dr_grpo", "dapo"] = Field(
        "dapo", description="how tokens are averaged; dapo: over all of the batch alike (paper: token mean)"
    )
    scale_rewards: Literal["group", "batch", "none"] = Field(
        "group", description="by whose deviation advantages are divided (paper: the group's)"
    )
    entropy_coefficient: float = Field(0.0, ge=0, description="bonus for the mean entropy of a token (paper: 0)")
    mask_cut_off: bool = Field(False, description="learn nothing from systems that met the token limit")
    part_credit: bool = Field(False, description="reward the share of right answers; false: all or nothing (paper)")
    format_share: float = Field(0.0, ge=0, le=1, description="of the reward, for a valid system alone (paper: 0)")

    system_calls: int | None = Field(None, ge=1, description="calls of one system, at most; null: no bound")
    checkpoint_every: int = Field(10, ge=1, description="batches")
    device: Literal["cpu", "cuda"] = Field("cuda", description="where the orchestrator is trained")
    dtype: Literal["float32", "bfloat16"] = Field("float32", description="of its weights")
    autocast: bool = Field(True, description="compute in bfloat16")
    activation_checkpointing: bool = Field(True, description="compute activations twice, to save memory")
    vllm: Literal["off", "colocate", "server"] = Field("off", description="who samples: the trainer itself, or vLLM")
    vllm_url: str | None = Field(None, description="address of the vLLM server, for server")
    vllm_memory_share: float = Field(0.3, gt=0, lt=1, description="of each device's memory, for colocate")

    @field_validator("cells")
    @classmethod
    def _known_cells(cls, cells: tuple[str, ...]) -> tuple[str, ...]:
        for cell in cells:
            if cell.startswith("masbench"):
                parse_cell(cell)
        return cells

    @field_validator("doms")
    @classmethod
    def _known_degrees(cls, doms: tuple[str, ...]) -> tuple[str, ...]:
        for dom in doms:
            DoM.parse(dom)
        return doms

    @model_validator(mode="after")
    def _fits(self) -> GrpoSettings:
        if self.completions_per_step % self.micro_batch:
            raise ValueError(
                f"a batch of {self.prompts_per_step} x {self.group_size} systems is not a multiple of "
                f"micro_batch {self.micro_batch}"
            )
        if self.vllm == "server" and not self.vllm_url:
            raise ValueError("vllm: server needs vllm_url, such as http://127.0.0.1:8000")
        return self

    @property
    def completions_per_step(self) -> int:
        """Systems written for a batch."""
        return self.prompts_per_step * self.group_size

    def grpo_values(self) -> dict[str, Any]:
        """JSON-ready values of the fields of this class, by name."""
        return self.model_dump(mode="json", include=set(GrpoSettings.model_fields))
