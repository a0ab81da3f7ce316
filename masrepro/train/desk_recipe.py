"""How far, how fast and on what a desk model is trained; and the recipes of the models that come with the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from masrepro.models.desk import Size

T = TypeVar("T")

_EVER = 1e6


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides what a desk solver becomes.

    The learning rate is constant and falls to its end over the last ``decay_tokens``. Up to there, a longer training of
    the same recipe goes the same way, so that one run can go on from another's last constant state.

    Parameters
    ----------
    tokens : int
        Tokens that are seen in all, padding included.
    decay_tokens : int
        The last of them, over which the learning rate falls.
    minutes : float or None
        Where set, the same course in that training time, in which pauses, evaluations and restarts do not count.
    batch_tokens : int
        Tokens of a step, padding included, without the drill.
    pool_rows : int
        Rows that are drawn at once and sorted by length into steps.
    least_agents : tuple of (float, int)
        Until that many million tokens, the fewest agents of a written system.
    corpus : str
        What is learned: one of `masrepro.train.desk_batches.CORPORA`.
    notation : str
        How a solver works: one of `masrepro.train.desk_replies.NOTATIONS`.
    begins_with : str
        The desk model whose weights it begins with; empty for none.
    operation_caps : tuple of (float, int)
        Until that many million tokens, rows with more arithmetic steps than the cap are left out.
    largest_values : tuple of (float, int)
        Until that many million tokens, the largest axis value of the items.
    drill_facts : tuple of (float, int)
        Until that many million tokens, that many arithmetic facts join every step.
    recall_share : tuple of (float, float)
        Until that many million tokens, the share of rows that only say again what the question states, or names.
    sum_share : tuple of (float, float)
        Until that many million tokens, the share of rows that ask for a long sum.
    asked_share : float
        Of the recall rows about several problems, the share that only says what each of them asks.
    own_share : tuple of (float, float)
        Until that many million tokens, the share of written systems that the model itself has written.
    sharpness : float
        What the finished model's logits are multiplied by: at temperature 1 it then writes what it would have written
        at one over that.
    """

    tokens: int
    decay_tokens: int
    minutes: float | None = None
    seed: int = 0
    size: Size = field(default_factory=Size)
    batch_tokens: int = 3072
    pool_rows: int = 512
    least_agents: tuple[tuple[float, int], ...] = ((_EVER, 1),)
    corpus: str = "solver"
    notation: str = "nested"
    begins_with: str = ""
    learning_rate: float = 3e-3
    final_learning_rate: float = 5e-5
    warmup_steps: int = 100
    weight_decay: float = 0.05
    clip_norm: float = 1.0
    operation_caps: tuple[tuple[float, int], ...] = ((3.2, 1), (4.5, 2), (5.5, 4), (8.0, 12), (_EVER, 99))
    largest_values: tuple[tuple[float, int], ...] = ((3.9, 4), (_EVER, 12))
    drill_facts: tuple[tuple[float, int], ...] = ((2.7, 128), (4.7, 384), (8.5, 128), (_EVER, 32))
    recall_share: tuple[tuple[float, float], ...] = ((2.7, 0.6), (_EVER, 0.15))
    sum_share: tuple[tuple[float, float], ...] = ((10.0, 0.0), (_EVER, 0.2))
    asked_share: float = 0.0
    own_share: tuple[tuple[float, float], ...] = ((_EVER, 0.0),)
    sharpness: float = 1.0

    def rate(self, progress: float) -> float:
        """Learning rate after that share of the course: constant, then linear decay."""
        left = min(1.0, max(0.0, 1.0 - progress) * self.tokens / self.decay_tokens)
        return self.final_learning_rate + (self.learning_rate - self.final_learning_rate) * left

    @property
    def constant_until(self) -> float:
        """Share of the course at which the learning rate begins to fall."""
        return 1.0 - self.decay_tokens / self.tokens

    def goes_the_same_way_as(self, other: Recipe) -> bool:
        """Whether the two differ in nothing but how far they go."""
        return replace(self, tokens=other.tokens, decay_tokens=other.decay_tokens) == other


@dataclass(slots=True)
class Clock:
    """How far training has come."""

    recipe: Recipe
    seconds: float = 0.0
    steps: int = 0
    tokens: int = 0

    @property
    def progress(self) -> float:
        """Share of the course that has passed, in [0, 1]."""
        if self.recipe.minutes is not None:
            return min(1.0, self.seconds / (60 * self.recipe.minutes))
        return min(1.0, self.tokens / self.recipe.tokens)

    def now(self, schedule: Sequence[tuple[float, T]]) -> T:
        """The value of a schedule at this point of the course."""
        million = self.progress * self.recipe.tokens / 1e6
        return next(value for until, value in schedule if million <= until)


def _writer(corpus: str, begins_with: str) -> Recipe:
    """An orchestrator begins as a solver, which can read. To find names while writing is what it then learns first."""
    return Recipe(
        tokens=11_000_000,
        decay_tokens=3_000_000,
        learning_rate=2e-3,
        corpus=corpus,
        begins_with=begins_with,
        largest_values=((2.0, 4), (_EVER, 12)),
        recall_share=((1.5, 0.8), (3.0, 0.4), (_EVER, 0.3)),
        least_agents=((3.0, 6), (_EVER, 1)),
        drill_facts=((_EVER, 0),),
    )


_DEEP = Recipe(
    tokens=24_000_000,
    decay_tokens=6_000_000,
    learning_rate=2e-3,
    notation="numbered",
    size=Size(reach=8),
    operation_caps=((_EVER, 99),),
    largest_values=((_EVER, 12),),
    drill_facts=((_EVER, 64),),
    recall_share=((_EVER, 0.2),),
    sum_share=((_EVER, 0.15),),
    asked_share=0.6,
)

RECIPES: Mapping[str, Recipe] = {
    "solver-s": Recipe(tokens=8_500_000, decay_tokens=3_000_000),
    "solver-m": Recipe(tokens=14_000_000, decay_tokens=4_000_000),
    "solver-l": replace(
        _DEEP,
        begins_with="desk-solver-m",
        operation_caps=((1.0, 4), (_EVER, 99)),
        largest_values=((1.0, 4), (_EVER, 12)),
        recall_share=((1.0, 0.4), (_EVER, 0.2)),
        sum_share=((2.0, 0.0), (_EVER, 0.15)),
    ),
    "solver-xl": replace(_DEEP, begins_with="desk-solver-l", tokens=18_000_000, seed=1),
    "orchestrator": replace(
        _writer("orchestrator", "desk-solver-l"),
        tokens=12_500_000,
        decay_tokens=6_000_000,
        size=Size(reach=8),
        recall_share=((1.5, 0.8), (3.0, 0.4), (10.0, 0.3), (_EVER, 0.1)),
        own_share=((10.0, 0.0), (_EVER, 1.0)),
        sharpness=1.15,
    ),
    "thinker": _writer("thinker", "desk-solver-m"),
    "sequencer": _writer("sequential", "desk-solver-s"),
}
"""By the name on the command line.

Two solvers are stops of one course, in nested steps, each with its own slowing down. The third begins as the second and
goes on in numbered lines, which go deeper; the fourth begins as the third and goes on. The convolutions of both see a
whole sentence. With the usual four tokens, where two sentences both say "equals 11 more than each", the operand of
either is quoted: right in 14 of 35 such places by solver-m, with all before them given, and in 39 of 39 by solver-l;
elsewhere both always are.

The orchestrator begins as the third. At temperature 1 the parser took .81 of its systems after 9 M tokens of drawn
ones and .84 after 21 M; .93 where the last 2.5 M held its own valid ones, and .98 with the logits sharpened as well.
Those were chosen by axis and size alone. Chosen by shape too, in a short try, the parser took .84; since then second
flows are drawn otherwise, and this recipe has not been run to its end.
"""
