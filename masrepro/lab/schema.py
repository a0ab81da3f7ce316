"""What the params of every notebook have in common: strict and frozen fields, a hash, a bound on what a run can spend.

Every field has a description with its unit, and a default. Not here: the notebooks' own schemas (`params`), and
where values come from (`resolve`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from masrepro.lab.executor import ExecutorName
from masrepro.models.model import Price
from masrepro.models.prices import price_of
from masrepro.models.servers import Server

Profile = Literal["smoke", "desk", "api", "gpu"]
PROFILES: tuple[Profile, ...] = ("smoke", "desk", "api", "gpu")
ModelPrice = tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0)]]
Axis = Literal["depth", "breadth", "horizon", "parallel", "robustness"]


def no_repeats(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same values. Raises ValueError that names those that are there more than once."""
    repeated = sorted({str(value) for value in values if values.count(value) > 1})
    if repeated:
        raise ValueError(f"holds {', '.join(repeated)} more than once")
    return values


AxisValues = Annotated[tuple[Annotated[int, Field(ge=2, le=12)], ...], Field(min_length=1), AfterValidator(no_repeats)]
ModelNames = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1), AfterValidator(no_repeats)]
ModelPool = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=2), AfterValidator(no_repeats)]
"""Two or more: a `min_length` of a field would not override the one in `ModelNames`."""
Systems = Annotated[
    tuple[Literal["single_agent", "star", "oracle"], ...], Field(min_length=1), AfterValidator(no_repeats)
]
PublicName = Literal["gsm8k", "hotpotqa/fullwiki", "humaneval"]
PublicNames = Annotated[tuple[PublicName, ...], Field(min_length=1), AfterValidator(no_repeats)]
WorkflowNames = Annotated[
    tuple[Literal["cot", "cot_sc", "debate", "reflexion", "deep_research"], ...],
    Field(min_length=1),
    AfterValidator(no_repeats),
]

BESIDE_THE_RESULT = ("max_cost_usd", "prices", "cache", "executor")
"""Params that decide what a run may spend or where it runs, and none of its samples."""


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


class Served(NamedTuple):
    """A model at a server, and the field of the params that names the server."""

    field: str
    server: Server
    model: str


class Params(BaseModel):
    """What every notebook has in common."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())
    files: ClassVar[tuple[str, ...]] = ("results.json",)
    """Files that a finished run must have left in its folder."""

    profile: Profile = Field("desk", description="which params folder these belong to")
    seed: int = Field(1, ge=0, description="seed of sampling; items do not depend on it")
    model: str = Field("desk-solver-s", min_length=1, description="name of the sub-agents' model")
    server: Server | None = Field(None, description="where `model` is served, and how; null: it runs in this process")
    max_tokens: int = Field(448, ge=1, description="tokens; upper bound on one completion")
    interactive: bool = Field(False, description="also show widgets, which need a live kernel")
    max_cost_usd: float | None = Field(None, gt=0, description="US dollars; the run stops before it costs more")
    prices: Mapping[str, ModelPrice] = Field(
        {}, description="US dollars per million tokens, [prompt, completion], by model; over the price table's"
    )
    cache: bool = Field(False, description="keep replies in outputs/replies.sqlite, and take from there what was asked")

    def price_of(self, model: str, base_url: str | None = None) -> Price | None:
        """The price of a model: as these params say, else as listed (`masrepro.models.prices`); None if unknown."""
        if model in self.prices:
            prompt, completion = self.prices[model]
            return Price(Decimal(str(prompt)), Decimal(str(completion)), source="params")
        return price_of(model, base_url)

    def bound(self) -> Bound:
        """The most that a run with these params can spend."""
        raise NotImplementedError

    @property
    def served(self) -> tuple[Served, ...]:
        """Every model that is asked for at a server."""
        return () if self.server is None else (Served("server", self.server, self.model),)

    def values(self) -> dict[str, Any]:
        """JSON-ready values of all fields, in the order of the schema."""
        return self.model_dump(mode="json")

    @property
    def content_hash(self) -> str:
        """Hash of the values: 16 hex digits, the same in every process.

        Without what changes no result (`BESIDE_THE_RESULT`): a run goes on under a higher cost limit.
        """
        values = {name: value for name, value in self.values().items() if name not in BESIDE_THE_RESULT}
        return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]

    def _bound(self, samples: int, calls: int) -> Bound:
        # Desk models run on the machine at hand; for any other model the price is known only to its back-end.
        cost = Decimal(0) if self.model.startswith("desk-") and self.server is None else None
        return Bound(samples, calls, calls * self.max_tokens, cost)


class EvaluationParams(Params):
    """What notebooks that evaluate systems have in common besides."""

    executor: ExecutorName = Field("local", description="where samples are run: this machine, or a Ray cluster")

    @model_validator(mode="after")
    def _no_cache_on_several_machines(self) -> Self:
        if self.executor == "ray" and self.cache:
            raise ValueError("cache is true, but replies are kept in a file of one machine: set executor to local")
        return self


def describe(schema: type[Params]) -> list[tuple[str, str, str]]:
    """Name, default and description of every field of a schema, for people."""
    return [
        (name, json.dumps(_plain(field.default)), field.description or "")
        for name, field in schema.model_fields.items()
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner) for inner in value]
    return value
