"""What the notebook on kinds of orchestrators, their training, and their agents' effort may be told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from masrepro.lab.orchestrator import Orchestrator
from masrepro.lab.schema import Axis, AxisValues, Bound, no_repeats
from masrepro.lab.writing_params import Cells, Doms, WritingParams


class Effort(BaseModel):
    """How much a sub-agent may write for an answer, and how hard a model that reasons is told to try."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    max_tokens: int = Field(ge=1, description="tokens; upper bound on one reply (paper on MASBench: 512, and 120,000)")
    reasoning_effort: Literal["low", "medium", "high"] | None = Field(
        default=None, description="sent to the server; null: as `server` says"
    )

    def __str__(self) -> str:
        """The name under which it is shown, and under which its samples are kept."""
        tokens = f"{self.max_tokens} tokens"
        return f"{self.reasoning_effort}, {tokens}" if self.reasoning_effort else tokens


class Training(Orchestrator):
    """A trained orchestrator, and what it learned from."""

    trained_on: Cells = Field(description="MASBench cells of its training, such as masbench/depth/2")

    @property
    def values(self) -> Mapping[str, tuple[int, ...]]:
        """The axis values that it was trained on, by axis."""
        cells = [cell.split("/")[1:3] for cell in self.trained_on]
        return {axis: tuple(sorted({int(value) for own, value in cells if own == axis})) for axis, _ in cells}


class OrchestratorEffortParams(WritingParams):
    """08_orchestrator_and_effort: who writes, how it was trained, how much agents may write (MAS-Orchestra, figures 4,
    5, C.3 to C.7).
    """

    files: ClassVar[tuple[str, ...]] = (
        "results.json",
        "written.csv",
        "effort.csv",
        "effort.svg",
        "generalisation.svg",
    )

    instructed: Orchestrator = Field(
        Orchestrator(model="desk-orchestrator"), description="the orchestrator that writes a system at once"
    )
    reasoning: Orchestrator | None = Field(
        None, description="the one that solves the question itself first; null: it is not measured"
    )
    reasoning_tokens: int = Field(
        1024, ge=1, description="tokens; upper bound on what that writes, its own solution included (paper: 120,000)"
    )
    trainings: Mapping[str, Training] = Field(
        {}, description="trained orchestrators, by the name under which they are shown; empty: none is measured"
    )
    doms: Doms = Field(("HIGH",), min_length=1, max_length=1, description="the degree of MAS, one")
    axes: Mapping[Axis, AxisValues] = Field(
        {axis: (2, 3, 4) for axis in ("depth", "breadth", "horizon", "parallel", "robustness")},
        min_length=1,
        description="MASBench axis values at which orchestrators are compared: some trained on, some beyond",
    )
    efforts: Annotated[tuple[Effort, ...], Field(min_length=2), AfterValidator(no_repeats)] = Field(
        tuple(Effort(max_tokens=tokens) for tokens in (64, 128, 256, 512)),
        description="of the sub-agents, from the least to the most",
    )
    effort_cells: Cells = Field(
        (
            "masbench/depth/4",
            "masbench/breadth/2",
            "masbench/horizon/2",
            "masbench/parallel/2",
            "masbench/robustness/2",
        ),
        description="MASBench cells on which efforts are compared",
    )
    swept: str = Field("instructed", description="whose systems they are: instructed, reasoning, or a training's name")

    @model_validator(mode="after")
    def _known_to_each_other(self) -> Self:
        taken = [name for name in self.trainings if name in ("instructed", "reasoning", "single_agent")]
        if taken:
            raise ValueError(f"trainings has {taken[0]}, which is another's name here: call it otherwise")
        if self.swept not in self.orchestrators:
            raise ValueError(f"swept is {self.swept}, but there are only {', '.join(self.orchestrators)}")
        if self.server is None and any(effort.reasoning_effort for effort in self.efforts):
            raise ValueError("efforts has a reasoning_effort, which only a server understands: leave it out")
        return self

    @property
    def orchestrators(self) -> Mapping[str, Orchestrator]:
        """All that write, by the name under which they are shown."""
        named = {"instructed": self.instructed, "reasoning": self.reasoning, **self.trainings}
        return {name: one for name, one in named.items() if one is not None}

    @property
    def orchestrators_by_field(self) -> Mapping[str, Orchestrator]:
        """See `WritingParams`."""
        return {
            f"trainings.{name}" if name in self.trainings else name: one for name, one in self.orchestrators.items()
        }

    def at(self, effort: Effort) -> Self:
        """The same params with the sub-agents' server told that effort; unchanged where there is none to tell."""
        if self.server is None or effort.reasoning_effort is None:
            return self
        told = self.server.model_copy(update={"reasoning_effort": effort.reasoning_effort})
        return self.model_copy(update={"server": told})

    def tokens_of(self, name: str) -> int:
        """The most that an orchestrator may write for a question."""
        return self.reasoning_tokens if name == "reasoning" else self.plan_tokens

    def bound(self) -> Bound:
        """A single agent's call and a cap on written systems: for all orchestrators, and for one at every effort."""
        n_compared = self.n_samples * sum(map(len, self.axes.values()))
        n_swept = self.n_samples * len(self.effort_cells)
        n_plans = len(self.orchestrators) * self.n_draws
        compared = n_compared * (1 + n_plans * self.system_calls)
        swept = n_swept * (1 + self.n_draws * self.system_calls)
        written = n_compared * n_plans + n_swept * self.n_draws
        tokens = compared * self.max_tokens + swept * sum(effort.max_tokens for effort in self.efforts)
        tokens += n_compared * self.n_draws * sum(map(self.tokens_of, self.orchestrators))
        tokens += n_swept * self.n_draws * self.tokens_of(self.swept)
        samples = n_compared * (1 + n_plans) + n_swept * len(self.efforts) * (1 + self.n_draws)
        return self._spent(samples, compared + swept * len(self.efforts) + written, tokens)
