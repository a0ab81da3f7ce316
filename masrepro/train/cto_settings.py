"""Everything that decides what Collaborative Tree Optimisation makes of a meta-agent: frozen, strict, with units.

The defaults are those of MAS² (arXiv 2509.24323, section 4.1) where it states one. Where it is silent they are
ScoreFlow's, whose rank, scale and trainer are the same. Desk params say otherwise where a small model needs it.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from masrepro.train.credit import Credit
from masrepro.train.grpo_settings import Names


class CtoSettings(BaseModel):
    """Credit, pairs, adapter, loss and optimiser of a training by preferences: the same for each of the three roles."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())

    seed: int = Field(1, ge=0, description="seed of the adapter, of the order of pairs, and of what is held out")
    base: str = Field(
        "Qwen/Qwen3-8B",
        min_length=1,
        description="the model that gets an adapter: a desk model, a folder or a hub id (paper: Qwen3-8B)",
    )

    n_templates: int | None = Field(
        None, ge=1, description="K, of a tree's templates the first that are learned from; null: all"
    )
    n_implementations: int | None = Field(
        None, ge=1, description="N, of a template's implementations the first that are learned from; null: all"
    )
    failures_in_mean: bool = Field(True, description="costs of failures count in a tree's mean cost (paper: open)")
    counts_meta: bool = Field(False, description="the meta-agents' own calls count as cost (paper: open)")
    cap: float | None = Field(None, gt=0, description="highest reward of a trajectory; null: no bound (paper: none)")
    least_delta: float = Field(0.0, ge=0, description="least difference of value of a pair (paper: above 0)")
    pairs_per_context: int | None = Field(
        None, ge=1, description="of one context, those that differ most; null: all (paper: all, at most 6 and 1)"
    )
    delta_scale: Literal["none", "mean-one"] = Field(
        "none", description="mean-one: divide the differences of a role by their mean; none: as they are (paper)"
    )
    held_out: float = Field(0.1, ge=0, lt=1, description="share of the questions that are not learned from")

    lora_rank: int = Field(8, ge=1, description="rank of the adapter (paper: 8)")
    lora_alpha: int = Field(16, ge=1, description="scale of the adapter, over its rank (paper: 16)")
    lora_targets: Names = Field(
        ("q_proj", "v_proj"), description="layers that get one; all-linear: each (paper: open; ScoreFlow: q, v)"
    )
    lora_dropout: float = Field(0.01, ge=0, lt=1, description="of the adapter's inputs (paper: open; ScoreFlow: 0.01)")

    beta: float = Field(0.1, gt=0, description="how dear it is to leave the base (paper: open; ScoreFlow: 0.1)")
    epochs: int = Field(2, ge=1, description="times that each pair is learned from (paper: 2)")
    learning_rate: float = Field(5e-5, gt=0, description="at the start (paper: 5e-5)")
    schedule: Literal["linear", "constant"] = Field("linear", description="linear falls to 0 (paper: open)")
    weight_decay: float = Field(0.0, ge=0, description="of AdamW (paper: open)")
    clip_norm: float = Field(1.0, gt=0, description="largest norm of a gradient (paper: open)")
    micro_batch: int = Field(1, ge=1, description="pairs per pass and device (paper: open; ScoreFlow: 1)")
    accumulation: int = Field(4, ge=1, description="passes per update (paper: 4)")
    max_length: int = Field(
        8192, ge=2, description="tokens of prompt and action; pairs with a longer one are left out (paper: open)"
    )
    thinking: bool = Field(
        False, description="prompts leave room for thinking, where the chat template knows of it, as when it is asked"
    )

    checkpoint_every: int = Field(50, ge=1, description="updates")
    device: Literal["cpu", "cuda"] = Field("cuda", description="where the adapter is trained")
    dtype: Literal["float32", "bfloat16"] = Field("bfloat16", description="of the base; an adapter has float32")
    autocast: bool = Field(True, description="compute in bfloat16")
    activation_checkpointing: bool = Field(True, description="compute activations twice, to save memory")

    @property
    def credit(self) -> Credit:
        """How the trees are scored."""
        return Credit(self.failures_in_mean, self.counts_meta, self.cap)

    def cto_values(self) -> dict[str, Any]:
        """JSON-ready values of the fields of this class, by name."""
        return self.model_dump(mode="json", include=set(CtoSettings.model_fields))
