"""What becomes of the systems that an orchestrator wrote: all of a batch are parsed, run at once and scored.

What is rejected, cut off, stopped or failed never reaches a scorer (the official code grades its error text). Not here:
what an outcome is worth (`reward`), and evaluation for a table (`masrepro.lab.evaluate`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from masrepro.agents.agent import SubAgent
from masrepro.agents.draws import derived_seeds
from masrepro.bench import Item, Score, score
from masrepro.bench.scoring.outcome import Outcome
from masrepro.models.model import Pool, Sampling, Usage
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.parse import parse
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.budget import UNLIMITED, Budget
from masrepro.runtime.run import GREEDY, RunResult, run
from masrepro.runtime.trace import NOTHING
from masrepro.tools.tool import Tool
from masrepro.train.memo import Memo, Stopwatch, memoised
from masrepro.train.mix import Assignment

CUT_OFF = "cut-off"
"""Why a completion that met its token limit is no system."""


@dataclass(frozen=True)
class Team:
    """Who runs the systems, and under which conditions: see `masrepro.runtime.run`.

    Parameters
    ----------
    catalogue : Catalogue
        What systems may name; part of the prompt as well.
    sampling : Sampling
        Its seed, where it is set and agents draw, is mixed with the question's place and that of the system.
    """

    models: Pool
    catalogue: Catalogue = STANDARD
    sampling: Sampling = GREEDY
    budget: Budget = UNLIMITED
    sub_agents: Mapping[str, SubAgent] | None = None
    tools: Mapping[str, Tool] | None = None
    rationale_chars: int = 400


@dataclass(frozen=True, slots=True)
class Attempt:
    """What an orchestrator wrote for an assignment: ``n_tokens`` long, ``cut_off`` where it met the limit."""

    place: int
    assignment: Assignment
    text: str
    n_tokens: int
    cut_off: bool


@dataclass(frozen=True, slots=True)
class Rollout:
    """An attempt, and what became of it.

    Parameters
    ----------
    outcome : Outcome
        As in `masrepro.lab.sample.Sample`; ``truncated`` also where the attempt itself was cut off.
    plan : Orchestration or None
        None where there is no valid one.
    reason : str or None
        Why there is none: the rule that is broken (`OrchestrationError.rule`), or `CUT_OFF`.
    credit : float
        What the scorer gives, in [0, 1]; of several answers the share that is right. 0 where none was asked.
    error : str or None
        Why the run ended in a limit or an error.
    usage : Usage
        What the sub-agents cost; a reply that an equal call had drawn costs nothing.
    n_calls : int
        Sub-agents' calls, those included.
    """

    attempt: Attempt
    outcome: Outcome
    plan: Orchestration | None = None
    reason: str | None = None
    credit: float = 0.0
    error: str | None = None
    usage: Usage = NOTHING
    n_calls: int = 0


@dataclass(frozen=True, slots=True)
class Wave:
    """All rollouts of a batch, in the attempts' order, and where the seconds went.

    Parameters
    ----------
    seconds : float
        Wall-clock time of the whole.
    waiting_s : float
        Of these, while a sub-agent's call was in flight: the rest is parsing, running and scoring.
    """

    rollouts: tuple[Rollout, ...]
    seconds: float
    waiting_s: float


async def roll_out(attempts: Sequence[Attempt], team: Team) -> Wave:
    """Parse, run and score all attempts, all systems at once; equal greedy calls are made once.

    Raises
    ------
    Exception
        A fault in a program: of the runtime, a sub-agent or a scorer. What a model or a tool does is an outcome.
    """
    began, watch = time.monotonic(), Stopwatch()
    pool = memoised(team.models, watch)
    parsed = [_parsed(attempt, team.catalogue) for attempt in attempts]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_finished(one, pool, _own(team, one, n))) for n, one in enumerate(parsed)]
    finally:
        for model in pool.values():
            if isinstance(model, Memo):
                model.call_off()
    return Wave(tuple(task.result() for task in tasks), time.monotonic() - began, watch.seconds)


def _parsed(attempt: Attempt, catalogue: Catalogue) -> Rollout:
    if attempt.cut_off:
        return Rollout(attempt, "truncated", reason=CUT_OFF)
    try:
        plan = parse(attempt.text, notation="calls", dom=attempt.assignment.dom, catalogue=catalogue)
    except OrchestrationError as error:
        return Rollout(attempt, "invalid", reason=error.rule, error=str(error))
    return Rollout(attempt, "unparsed", plan)


def _own(team: Team, rollout: Rollout, n: int) -> Team:
    """The team with a seed of this system's own where its agents draw: else a group's draws would all be alike."""
    if not team.sampling.temperature:
        return team
    (seed,) = derived_seeds(team.sampling.seed, f"{rollout.attempt.place}/{n}", 1)
    return replace(team, sampling=replace(team.sampling, seed=seed))


async def _finished(rollout: Rollout, pool: Pool, team: Team) -> Rollout:
    if rollout.plan is None:
        return rollout
    item = rollout.attempt.assignment.item
    try:
        result = await run(
            rollout.plan,
            item.question,
            models=pool,
            budget=team.budget,
            sampling=team.sampling,
            sub_agents=team.sub_agents,
            tools=team.tools,
            rationale_chars=team.rationale_chars,
        )
    except OrchestrationError as error:
        return replace(rollout, outcome="invalid", plan=None, reason=error.rule, error=str(error))
    ran = replace(rollout, usage=result.usage, n_calls=_n_calls(result), error=result.error)
    if result.status != "done":
        return replace(ran, outcome=result.status)
    verdict = await _scored(item, result.answer)
    return replace(ran, outcome=verdict.outcome, credit=verdict.credit)


def _n_calls(result: RunResult) -> int:
    return sum(span.kind == "call" for span in result.trace)


async def _scored(item: Item, answer: str | None) -> Score:
    """Algebra and sandboxes take their time, in a thread."""
    if item.scorer in ("math", "code"):
        return await asyncio.to_thread(score, item.scorer, answer, item.answer)
    return score(item.scorer, answer, item.answer)
