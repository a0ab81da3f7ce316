"""What each notebook may be told: one frozen, strict schema a notebook, found by the notebook's name.

Every field has a description with its unit, and a default. A schema also knows the most that a run with these
params can spend, by arithmetic alone. Not here: where values come from (`resolve`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

Profile = Literal["smoke", "desk", "api", "gpu"]
PROFILES: tuple[Profile, ...] = ("smoke", "desk", "api", "gpu")
Axis = Literal["depth", "breadth", "horizon", "parallel", "robustness"]


def _no_repeats(values: tuple[Any, ...]) -> tuple[Any, ...]:
    repeated = sorted({str(value) for value in values if values.count(value) > 1})
    if repeated:
        raise ValueError(f"holds {', '.join(repeated)} more than once")
    return values


AxisValues = Annotated[tuple[Annotated[int, Field(ge=2, le=12)], ...], Field(min_length=1), AfterValidator(_no_repeats)]
Systems = Annotated[tuple[Literal["single_agent", "oracle"], ...], Field(min_length=1), AfterValidator(_no_repeats)]


@dataclass(frozen=True, slots=True)
class Bound:
    """The most that a run can spend. ``cost_usd`` is None where the price is unknown."""

    samples: int
    calls: int
    completion_tokens: int
    cost_usd: Decimal | None

    def __str__(self) -> str:
        cost = "unknown" if self.cost_usd is None else f"{self.cost_usd} USD"
        return (
            f"at most {self.samples:,} sample{'' if self.samples == 1 else 's'}, {self.calls:,} calls, "
            f"{self.completion_tokens:,} completion tokens; cost: {cost}"
        )


class Params(BaseModel):
    """What every notebook has in common."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())
    files: ClassVar[tuple[str, ...]] = ("results.json",)
    """Files that a finished run must have left in its folder."""

    profile: Profile = Field("desk", description="which params folder these belong to")
    seed: int = Field(1, ge=0, description="seed of sampling; items do not depend on it")
    model: str = Field("desk-solver-s", min_length=1, description="name of the sub-agents' model")
    max_tokens: int = Field(448, ge=1, description="tokens; upper bound on one completion")
    interactive: bool = Field(False, description="also show widgets, which need a live kernel")

    def bound(self) -> Bound:
        """The most that a run with these params can spend."""
        raise NotImplementedError

    def values(self) -> dict[str, Any]:
        """JSON-ready values of all fields, in the order of the schema."""
        return self.model_dump(mode="json")

    @property
    def content_hash(self) -> str:
        """Hash of the values: 16 hex digits, the same in every process."""
        return sha256(json.dumps(self.values(), sort_keys=True).encode()).hexdigest()[:16]

    def _bound(self, samples: int, calls: int) -> Bound:
        # Desk models run on the machine at hand; for any other model the price is known only to its back-end.
        cost = Decimal(0) if self.model.startswith("desk-") else None
        return Bound(samples, calls, calls * self.max_tokens, cost)


class StartHereParams(Params):
    """00_start_here: one orchestration by hand."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "plan.svg")
    N_CALLS: ClassVar[int] = 16

    def bound(self) -> Bound:
        """A handful of calls, whatever the params."""
        return self._bound(samples=1, calls=self.N_CALLS)


class FiveAxesParams(Params):
    """01_five_axes: accuracy of single agent and oracle by axis value (MAS-Orchestra, figure 3)."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "accuracy.csv", "accuracy.svg")

    n_samples: int = Field(200, ge=1, description="items per axis value")
    axes: Mapping[Axis, AxisValues] = Field(
        {"depth": (2, 4, 6, 8, 10, 12), "parallel": (2, 4, 6, 8)},
        min_length=1,
        description="MASBench axis values to measure, 2 to 12",
    )
    systems: Systems = Field(("single_agent", "oracle"), description="what to compare")
    temperature: float = Field(0.0, ge=0.0, le=2.0, description="of sampling; 0 is greedy")
    concurrency: int = Field(64, ge=1, description="samples evaluated at once")
    repeats: int = Field(1, ge=1, description="answers drawn per item")

    def bound(self) -> Bound:
        """One call a sample for the single agent; one a step or problem for `masrepro.baselines.Oracle`."""
        values = [(axis, value) for axis, values in self.axes.items() for value in values]
        calls = {
            "single_agent": len(values),
            "oracle": sum(value + _ORACLE_EXTRA[axis] for axis, value in values),
        }
        per_value = self.n_samples * self.repeats
        n_calls = per_value * sum(calls[system] for system in self.systems)
        return self._bound(per_value * len(values) * len(self.systems), n_calls)


# The oracle's agents over the axis value, at most: steps for depth and breadth, else a worker each and a sink.
_ORACLE_EXTRA: Mapping[str, int] = {"depth": -1, "breadth": 2, "horizon": 1, "parallel": 1, "robustness": 1}


class MasbenchParams(Params):
    """02_masbench: MASBench itself, without any model."""

    files: ClassVar[tuple[str, ...]] = ("results.json", "cells.csv", "length.svg", "answers.svg", "masbench.jsonl")

    n_items: int = Field(200, ge=1, description="items per axis value")
    n_checked: int = Field(
        40, ge=1, description="items per axis value that are checked, their texts changed one by one"
    )
    axes: Mapping[Axis, AxisValues] = Field(
        {axis: (2, 4, 6, 8, 10, 12) for axis in ("depth", "breadth", "horizon", "parallel", "robustness")},
        min_length=1,
        description="MASBench axis values to look at, 2 to 12",
    )
    shown_value: int = Field(4, ge=2, le=12, description="axis value of the one item per axis that is shown")

    def bound(self) -> Bound:
        """No model, no sample, no call."""
        return Bound(0, 0, 0, Decimal(0))


SCHEMAS: Mapping[str, type[Params]] = {
    "00_start_here": StartHereParams,
    "01_five_axes": FiveAxesParams,
    "02_masbench": MasbenchParams,
}
"""Schema by notebook name (its file name without ``.ipynb``)."""


def describe(schema: type[Params]) -> list[tuple[str, str, str]]:
    """Name, default and description of every field of a schema, for people."""
    return [
        (name, json.dumps(_plain(field.default)), field.description or "")
        for name, field in schema.model_fields.items()
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner) for inner in value]
    return value
