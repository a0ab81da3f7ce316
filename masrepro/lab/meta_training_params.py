"""What the notebook that trains the meta-agents of MAS² (arXiv 2509.24323) may be told: 11."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, model_validator

from masrepro.lab.executor import ExecutorName
from masrepro.lab.fault_setting import FaultKind
from masrepro.lab.mas2_table_params import ROLES, Adapters, Faults, Mas2TableParams
from masrepro.lab.schema import Bound, no_repeats
from masrepro.lab.writing_params import Cells
from masrepro.train.cto_settings import CtoSettings
from masrepro.train.tree import TREE_SUFFIX, Role

_DESK = {"base": "desk-orchestrator", "device": "cpu", "dtype": "float32", "autocast": False}
Seeds = Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(min_length=1), AfterValidator(no_repeats)]


class TrainMetaParams(Mas2TableParams):
    """11_train_meta_agents: decision trees, pairs, three adapters, and what they are worth (MAS², section 3.2)."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "held_out.csv")

    cells: Cells = Field(
        ("masbench/depth/4", "masbench/parallel/2"), description="MASBench cells to learn from, train split"
    )
    n_trees: int = Field(200, ge=1, description="questions per cell, a decision tree each (paper: not stated)")
    n_templates: int = Field(4, ge=1, description="K, templates drawn for a question (paper: 4)")
    n_implementations: int = Field(2, ge=1, description="N, assignments drawn for each template (paper: 2)")
    n_repairs: int = Field(2, ge=1, description="repairs drawn where a run pauses first (paper: not stated)")
    tree_temperature: float = Field(1.0, gt=0, le=2, description="of all that is drawn in a tree (paper: not stated)")
    tree_faults: Annotated[tuple[FaultKind, ...], Field(min_length=1)] = Field(
        ("none", "back-end down"),
        description="in turn over a cell's questions, one a tree; a kind that is there twice comes twice as often",
    )
    trees: str = Field("", description="folder of trees that another run grew, to learn from; empty: grow them")
    trees_at_once: int = Field(16, ge=1, description="trees that grow at the same time")
    tree_executor: ExecutorName = Field("local", description="where trees grow: this machine, or a Ray cluster")
    training: CtoSettings = Field(
        CtoSettings.model_validate(_DESK),
        description="credit, pairs, adapter, loss and optimiser; its seed is each of `seeds`",
    )
    learning_rates: Mapping[Role, Annotated[float, Field(gt=0)]] = Field(
        {}, description="of single roles, in place of training.learning_rate"
    )
    seeds: Seeds = Field((1,), description="seeds of trainings of each role; the first one's adapters are measured")
    repeats: tuple[Adapters, ...] = Field(
        (), description="adapters of the same trainings with other seeds, shown and measured beside `adapters`"
    )
    faults: Faults = Field(
        ("none", "back-end down"), description="kinds of fault on held-out items; each item meets each, in its own run"
    )
    run_tokens: int | None = Field(
        None, ge=1, description="tokens that one run may spend, prompts included; null: no bound, nor one on the cost"
    )

    @model_validator(mode="after")
    def _one_base(self) -> Self:
        if self.training.base != self.meta.model:
            raise ValueError(
                f"training.base is {self.training.base}, but the trees are grown by meta.model, {self.meta.model}: an "
                "adapter learns from what its own base wrote"
            )
        return self

    @model_validator(mode="after")
    def _trained_here_or_before(self) -> Self:
        given = [role for role in ROLES if getattr(self.adapters, role)]
        if given and not self.trained:
            missing = ", ".join(role for role in ROLES if role not in given)
            raise ValueError(f"adapters has none for the {missing}: name all three to measure them, or none to train")
        if self.repeats and not given:
            raise ValueError("repeats belong to adapters that are given: name those, or train several seeds by `seeds`")
        if self.trees and given:
            raise ValueError("trees and adapters are both given: leave trees empty, or adapters and repeats")
        if self.trees and not any(Path(self.trees).glob(f"*{TREE_SUFFIX}")):
            raise ValueError(
                f"trees: {self.trees} holds none: name trees/ of a run of 11_train_meta_agents, or leave it empty"
            )
        if self.meta.server is not None and not given:
            raise ValueError("meta.server is set, and what is served cannot be trained here: name all three adapters")
        if self.tree_executor == "ray" and self.max_cost_usd is not None:
            raise ValueError(
                "max_cost_usd holds calls of this process, and tree_executor is ray: leave one of them out"
            )
        return self

    def bound(self) -> Bound:
        """Of the trees, unless adapters are given, and of untrained and trained meta-agents on held-out items.

        Every trajectory counts as if nothing had been computed for another. The cost of a run is bounded by its tokens
        at the dearest price; that of a meta-agent at a server by its context.
        """
        n_measured = 1 + (1 + len(self.repeats) if self.trained else len(self.seeds))
        held_out = self._of_systems(n_measured)
        leaves = self.n_templates * self.n_implementations
        n_trees = 0 if self.trained or self.trees else len(self.cells) * self.n_trees
        drawn = n_trees * (self.n_templates + leaves * (1 + self.n_repairs * self.max_repairs))
        ways = n_trees * leaves * self.n_repairs
        calls = held_out.calls + drawn + ways * self.system_calls
        tokens = held_out.completion_tokens + drawn * self.plan_tokens + ways * self.system_calls * self.max_tokens
        return Bound(ways + held_out.samples, calls, tokens, self._usd(ways + held_out.samples, drawn))

    def _usd(self, n_runs: int, n_drawn: int) -> Decimal | None:
        """The most that so many runs and tree nodes cost, with the held-out runs' meta-agents; None if unknown."""
        usd = Decimal(0)
        if self.server is not None:
            known = [price for name in self.pool if (price := self.price_at(name, self))]
            if self.run_tokens is None or len(known) < len(self.pool):
                return None
            usd += n_runs * max(max(price.of(self.run_tokens, 0), price.of(0, self.run_tokens)) for price in known)
        if self.meta.server is not None:
            price = self.price_at(self.meta.model, self.meta)
            if price is None:
                return None
            asked = n_drawn + (2 + len(self.repeats)) * self.n_runs * (2 + self.max_repairs)
            usd += asked * price.of(self.meta.server.context_tokens, self.plan_tokens)
        return usd
