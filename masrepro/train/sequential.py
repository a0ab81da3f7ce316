"""Multi-turn GRPO: the conversations of a sequential orchestrator, for TRL's `GRPOTrainer` (its ``rollout_func``).

All conversations of a batch advance together: one batched generation of the next turns, then one concurrent wave of the
agents that they created. What an agent answers comes into the conversation as a user's turn, and bears no gradient: the
trainer learns from the orchestrator's own tokens alone. Reward, data, sub-agents and records are those of the holistic
trainer, and the bound on tokens is the same for all turns together as for a whole system at once.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from masrepro.models.model import Pool
from masrepro.runtime.growing import GrowingRun
from masrepro.train.grpo_settings import GrpoSettings
from masrepro.train.memo import Stopwatch, call_off, memoised
from masrepro.train.mix import Assignment
from masrepro.train.reward import Judged, RewardOf, ends_of, judge
from masrepro.train.rollout import Attempt, Rollout, Team, Wave, own_conditions, scored_rollout

if TYPE_CHECKING:
    from trl import GRPOTrainer

T = TypeVar("T")

PLACE = "place"
"""Key of a question's place, in the user's turn of its prompt: TRL hands a rollout nothing but prompts."""


def placed(prompt: Sequence[dict[str, Any]], place: int) -> list[dict[str, Any]]:
    """The prompt with its question's place."""
    return [*prompt[:-1], {**prompt[-1], PLACE: place}]


def heard_ids(tokenizer: Any, text: str) -> list[int]:
    """Tokens between the end of one turn and the beginning of the next: what the orchestrator is told.

    Raises
    ------
    ValueError
        The chat template ends no turn with the tokenizer's end token, or writes earlier turns otherwise once there are
        later ones: a conversation could not go on from its tokens.
    """
    said = [{"role": "user", "content": "-"}, {"role": "assistant", "content": "-"}]
    before = tokenizer.apply_chat_template(said, return_dict=False)
    after = tokenizer.apply_chat_template(
        [*said, {"role": "user", "content": text}], add_generation_prompt=True, return_dict=False
    )
    ends = [place for place, token in enumerate(before, start=1) if token == tokenizer.eos_token_id]
    n_said = ends[-1] if ends else 0
    if not ends or after[:n_said] != before[:n_said]:
        why = "changes earlier turns" if ends else f"ends no turn with {tokenizer.eos_token!r}"
        raise ValueError(f"the chat template {why}, so that no conversation can be trained on")
    told: list[int] = after[n_said:]
    return told


@dataclass(slots=True)
class Talk:
    """One conversation, as text and as tokens.

    Parameters
    ----------
    place, assignment
        What it is about.
    run : GrowingRun
        What it builds.
    prompt_ids : list of int
        What it began with.
    ids, own : list of int
        All that followed, and for each of these tokens whether the orchestrator wrote it (1) or was told it (0).
    logprobs : list of float
        Of these tokens as they were drawn, where the sampler tells them; 0 for what was told.
    texts : list of str
        The orchestrator's turns.
    cut_off : bool
        Whether its last turn met the token limit.
    """

    place: int
    assignment: Assignment
    run: GrowingRun
    prompt_ids: list[int]
    ids: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    cut_off: bool = False

    def add(self, ids: Sequence[int], logprobs: Sequence[float] | None, *, own: bool) -> None:
        """Append tokens that the orchestrator wrote or was told."""
        self.ids += ids
        self.own += [int(own)] * len(ids)
        self.logprobs += logprobs if logprobs is not None else [0.0] * len(ids)

    @property
    def attempt(self) -> Attempt:
        """What the orchestrator wrote, turn after turn."""
        return Attempt(self.place, self.assignment, "\n".join(self.texts), sum(self.own), self.cut_off, len(self.texts))


class Conversations:
    """TRL's rollout function and reward function in one: the first holds a batch's conversations, the second judges.

    Parameters
    ----------
    given : sequence of Assignment
        By place.
    team : Team
    reward_of : callable
    settings : GrpoSettings
    tokenizer : PreTrainedTokenizerBase
    context_tokens : int
        The orchestrator's bound on a whole conversation.
    on_judged : callable
        Gets every wave when it is judged.
    """

    def __init__(
        self,
        given: Sequence[Assignment],
        team: Team,
        reward_of: RewardOf,
        settings: GrpoSettings,
        tokenizer: Any,
        context_tokens: int,
        on_judged: Callable[[Judged], None],
    ) -> None:
        self._given = given
        self._team = team
        self._reward_of = reward_of
        self._settings = settings
        self._tokenizer = tokenizer
        self._context_tokens = context_tokens
        self._on_judged = on_judged
        self._ends = ends_of(tokenizer)
        self._wave: Wave | None = None

    def __call__(self, prompts: Sequence[Sequence[dict[str, Any]]], trainer: GRPOTrainer) -> dict[str, Any]:
        """Hold the conversations of a batch, each prompt once for every member of its group.

        Returns
        -------
        dict
            Tokens of prompts and completions; ``env_mask`` is 0 where a token was told, which the trainer leaves out of
            the loss.
        """
        watch, seconds = Stopwatch(), 0.0
        pool = memoised(self._team.models, watch)
        talks = [self._begun(prompt, pool, n) for n, prompt in enumerate(prompts)]

        def in_loop(coroutine: Coroutine[Any, Any, T]) -> T:
            nonlocal seconds
            began = time.monotonic()
            result = asyncio.run_coroutine_threadsafe(coroutine, trainer.async_loop).result()
            seconds += time.monotonic() - began
            return result

        try:
            while _goes_on_anywhere(talks, trainer):
                # A process whose conversations are over takes part for the others: weights may be spread among all.
                open_talks = [talk for talk in talks if talk.run.unfolded is None]
                drawn = self._drawn(open_talks or talks[:1], trainer)
                in_loop(self._advance(open_talks, drawn))
            rollouts = in_loop(_scored(talks))
        finally:
            in_loop(_called_off(pool))
        self._wave = Wave(tuple(rollouts), seconds, watch.seconds)
        return {
            "prompt_ids": [talk.prompt_ids for talk in talks],
            "completion_ids": [talk.ids for talk in talks],
            "logprobs": [talk.logprobs for talk in talks] if trainer.use_vllm else None,
            "env_mask": [talk.own for talk in talks],
        }

    async def reward(self, completions: Sequence[Any], **_: Any) -> list[float]:
        """One reward a conversation of the batch that was held last.

        Raises
        ------
        SubAgentsDown
            More than half of the systems that were run ended in an error of a model or a tool.
        """
        assert self._wave is not None and len(self._wave.rollouts) == len(completions)
        judged = judge(self._wave, self._reward_of)
        self._on_judged(judged)
        return list(judged.rewards)

    def _begun(self, prompt: Sequence[dict[str, Any]], pool: Pool, n: int) -> Talk:
        place: int = prompt[-1][PLACE]
        assignment = self._given[place]
        run = GrowingRun(
            assignment.item.question,
            own_conditions(self._team, pool, place, n),
            assignment.dom,
            self._team.catalogue,
            self._settings.turns,
        )
        ids = self._tokenizer.apply_chat_template(list(prompt), add_generation_prompt=True, return_dict=False)
        return Talk(place, assignment, run, ids)

    def _left(self, talk: Talk) -> int:
        """Tokens that the orchestrator may still write."""
        return self._settings.plan_tokens - sum(talk.own)

    def _drawn(self, talks: Sequence[Talk], trainer: GRPOTrainer) -> list[tuple[list[int], list[float] | None]]:
        """The next turn of each conversation, all in one batch, and its log-probabilities where they are told.

        As TRL's own loop of tool calls does, with its method for one turn: that serves each of its samplers.
        """
        if not trainer.use_vllm:
            trainer.generation_config.max_new_tokens = max(1, *map(self._left, talks))
        turns, logprobs = trainer._generate_single_turn(
            [talk.prompt_ids + talk.ids for talk in talks], None, {}, num_generations=1
        )
        return [
            (ids[: self._left(talk)], None if logprobs is None else logprobs[k][: self._left(talk)])
            for k, (talk, ids) in enumerate(zip(talks, turns, strict=True))
        ]

    async def _advance(self, talks: Sequence[Talk], drawn: Sequence[tuple[list[int], list[float] | None]]) -> None:
        """Let every conversation take its turn: all agents that they create act at once."""
        async with asyncio.TaskGroup() as group:
            for talk, (ids, logprobs) in zip(talks, drawn, strict=False):
                talk.add(ids, logprobs, own=True)
                talk.texts.append(self._tokenizer.decode(ids, skip_special_tokens=True))
                talk.cut_off = not ids or ids[-1] not in self._ends
                group.create_task(self._hear(talk))

    async def _hear(self, talk: Talk) -> None:
        left = self._left(talk)
        told = await talk.run.take(talk.texts[-1], cut_off=talk.cut_off, is_last=left < 1)
        if talk.run.unfolded is not None:
            return
        ids = heard_ids(self._tokenizer, told)
        if len(talk.prompt_ids) + len(talk.ids) + len(ids) + left > self._context_tokens:
            talk.run.fill_context()
        else:
            talk.add(ids, None, own=False)


def _goes_on_anywhere(talks: Sequence[Talk], trainer: GRPOTrainer) -> bool:
    """Whether a conversation of any process is not over yet."""
    import torch

    n_open = sum(talk.run.unfolded is None for talk in talks)
    counts = trainer.accelerator.gather(torch.tensor([n_open], device=trainer.accelerator.device))
    return int(counts.sum()) > 0


async def _scored(talks: Sequence[Talk]) -> list[Rollout]:
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(scored_rollout(talk.attempt, talk.run.unfolded))
            for talk in talks
            if talk.run.unfolded is not None
        ]
    return [task.result() for task in tasks]


async def _called_off(pool: Pool) -> None:
    """Within the loop to which the calls belong."""
    call_off(pool)
