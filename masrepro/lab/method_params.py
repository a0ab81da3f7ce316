"""What the notebook that sets holistic beside sequential orchestration may be told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from masrepro.lab.orchestrator import Orchestrator
from masrepro.lab.schema import Bound
from masrepro.lab.writing_params import Cells, Doms, WritingParams


class HolisticSequentialParams(WritingParams):
    """06_holistic_vs_sequential: two orchestrators at one budget (MAS-Orchestra, table 3's question)."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "accuracy.csv", "accuracy.svg", "costs.csv")

    holistic: Orchestrator = Field(
        Orchestrator(model="desk-orchestrator"), description="the model that writes a whole system at once"
    )
    sequential: Orchestrator | None = Field(
        None, description="the model that adds an agent a turn and hears its answer; null: it is not measured"
    )
    doms: Doms = Field(("HIGH",), description="degrees of MAS")
    cells: Cells = Field(
        (
            "masbench/depth/4",
            "masbench/breadth/4",
            "masbench/horizon/2",
            "masbench/parallel/2",
            "masbench/robustness/2",
        ),
        description="MASBench cells to measure on, test split",
    )
    turns: int = Field(12, ge=1, description="turns of a sequential conversation, at most, the last one included")

    @property
    def orchestrators_by_field(self) -> Mapping[str, Orchestrator]:
        """See `WritingParams`."""
        named = {"holistic": self.holistic, "sequential": self.sequential}
        return {field: one for field, one in named.items() if one is not None}

    def bound(self) -> Bound:
        """A single agent's call and a cap on both methods' systems, per item; a sequential one writes in turns."""
        n_items, n_draws = self.n_samples * len(self.cells), len(self.doms) * self.n_draws
        n_systems = len(self.orchestrators_by_field) * n_draws
        n_turns = n_draws * (1 + (self.turns if self.sequential is not None else 0))
        calls = 1 + n_systems * self.system_calls
        tokens = calls * self.max_tokens + n_systems * self.plan_tokens
        return self._spent(n_items * (1 + n_systems), n_items * (calls + n_turns), n_items * tokens)
