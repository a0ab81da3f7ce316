"""What notebooks may be told that measure MASBench's axes, and the most calls that this takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from pydantic import Field, model_validator

from masrepro.lab.orchestrator import Orchestrator
from masrepro.lab.schema import Axis, AxisValues, Bound, Systems
from masrepro.lab.writing_params import Doms, WritingParams


class FiveAxesParams(WritingParams):
    """01_five_axes: accuracy by axis value, one agent and several (MAS-Orchestra, figures 3 and C.1)."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "accuracy.csv", "accuracy.svg", "competence.svg")

    axes: Mapping[Axis, AxisValues] = Field(
        {"depth": (2, 4, 6, 8, 10, 12), "parallel": (2, 4, 6, 8)},
        min_length=1,
        description="MASBench axis values to measure, 2 to 12",
    )
    systems: Systems = Field(("single_agent", "oracle"), description="what to compare that no model writes")
    orchestrators: Mapping[str, Orchestrator] = Field(
        {}, description="models that write systems, and where they run, by the name under which they are shown"
    )
    doms: Doms = Field(("HIGH",), description="degrees of MAS")
    repeats: int = Field(1, ge=1, description="answers drawn per item, but of written systems (see `n_draws`)")

    @model_validator(mode="after")
    def _something_to_gain_over(self) -> Self:
        if "single_agent" not in self.systems and self.orchestrators:
            raise ValueError("systems lacks single_agent, over which orchestrators are to gain")
        return self

    @property
    def orchestrators_by_field(self) -> Mapping[str, Orchestrator]:
        """See `WritingParams`."""
        return {f"orchestrators.{name}": one for name, one in self.orchestrators.items()}

    def bound(self) -> Bound:
        """One call a sample for the single agent, one a computed quantity for the oracle, a cap on written systems."""
        values = [(axis, value) for axis, values in self.axes.items() for value in values]
        calls = {
            "single_agent": len(values),
            "star": sum(value + 1 for _, value in values),
            "oracle": oracle_calls(self.axes),
        }
        n_plans = self.n_samples * len(values) * len(self.orchestrators) * len(self.doms) * self.n_draws
        per_item = self.n_samples * self.repeats
        samples = per_item * len(values) * len(self.systems) + n_plans
        answered = per_item * sum(calls[system] for system in self.systems) + n_plans * self.system_calls
        n_solvers = len(self.solvers)
        tokens = n_solvers * answered * self.max_tokens + n_plans * self.plan_tokens
        return self._spent(n_solvers * samples, n_solvers * answered + n_plans, tokens)


# The oracle's agents, at most: so many for each unit of the axis value, and so many more.
_ORACLE_AGENTS: Mapping[str, tuple[int, int]] = {
    "depth": (1, -1),
    "breadth": (1, 2),
    "horizon": (2, 1),
    "parallel": (2, 1),
    "robustness": (2, 2),
}


def oracle_calls(axes: Mapping[Axis, AxisValues]) -> int:
    """Calls of the oracle on one item of each value, at most."""
    return sum(
        per_value * value + more for axis in axes for per_value, more in [_ORACLE_AGENTS[axis]] for value in axes[axis]
    )
