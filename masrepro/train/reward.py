"""What a rollout is worth, and the reward function that TRL's trainer calls with a batch of completions.

In MAS-Orchestra (arXiv 2601.14652, section 3.3) the reward is 1 for the right final answer, else 0; where several
answers are asked for, all must be right. Part credit and a share for the form are ablations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from masrepro.train.mix import Assignment
from masrepro.train.rollout import Attempt, Rollout, Team, Wave, roll_out

RewardOf = Callable[[Rollout], float]
"""What a rollout is worth."""


class SubAgentsDown(RuntimeError):
    """Most systems of a batch failed for a back-end's fault: what would be learned is noise."""


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """The paper's reward, or one of its ablations.

    Parameters
    ----------
    part_credit : bool
        Where several answers are asked for, the share that is right, instead of all or nothing.
    format_share : float
        In [0, 1]: of the reward, what a valid system earns whatever its answer (released code's default: 0.1; its
        published command: 0).
    """

    part_credit: bool = False
    format_share: float = 0.0

    def __call__(self, rollout: Rollout) -> float:
        """In [0, 1]."""
        earned = rollout.credit if self.part_credit else float(rollout.outcome == "correct")
        return self.format_share * (rollout.plan is not None) + (1 - self.format_share) * earned


@dataclass(frozen=True, slots=True)
class Judged:
    """A wave, and what each of its rollouts is worth."""

    wave: Wave
    rewards: tuple[float, ...]


def judge(wave: Wave, reward_of: RewardOf) -> Judged:
    """What the rollouts of a wave are worth.

    Raises
    ------
    SubAgentsDown
        More than half of the systems that were run ended in an error of a model or a tool.
    """
    run = [rollout for rollout in wave.rollouts if rollout.plan is not None]
    failed = [rollout for rollout in run if rollout.outcome == "error"]
    if 2 * len(failed) > len(run):
        raise SubAgentsDown(
            f"{len(failed)} of {len(run)} systems failed, such as: {failed[0].error}; see to the sub-agents' back-end, "
            "and train again: it goes on from the last checkpoint"
        )
    return Judged(wave, tuple(map(reward_of, wave.rollouts)))


class SystemReward:
    """TRL's reward function: completions in, rewards out, with one concurrent wave of systems between.

    Parameters
    ----------
    given : sequence of Assignment
        By place, which is the column ``place`` of the training set.
    team : Team
    reward_of : callable
    ends : collection of int
        Ids of the tokens that end a turn; a completion that ends with none of them was cut off.
    on_judged : callable
        Gets every wave when it is judged.
    """

    def __init__(
        self,
        given: Sequence[Assignment],
        team: Team,
        reward_of: RewardOf,
        ends: frozenset[int],
        on_judged: Callable[[Judged], None],
    ) -> None:
        self._given = given
        self._team = team
        self._reward_of = reward_of
        self._ends = ends
        self._on_judged = on_judged

    async def __call__(
        self,
        completions: Sequence[Sequence[dict[str, Any]]],
        completion_ids: Sequence[Sequence[int]],
        place: Sequence[int],
        **_: Any,
    ) -> list[float]:
        """One reward a completion.

        Raises
        ------
        SubAgentsDown
            More than half of the systems that were run ended in an error of a model or a tool.
        """
        attempts = [
            Attempt(at, self._given[at], turns[-1]["content"], len(ids), not ids or ids[-1] not in self._ends)
            for at, turns, ids in zip(place, completions, completion_ids, strict=True)
        ]
        judged = judge(await roll_out(attempts, self._team), self._reward_of)
        self._on_judged(judged)
        return list(judged.rewards)


def ends_of(tokenizer: Any) -> frozenset[int]:
    """Ids of the tokens that end a turn."""
    return frozenset({tokenizer.eos_token_id, tokenizer.pad_token_id} - {None})
