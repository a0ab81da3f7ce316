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
from masrepro.runtime.growing import CUT_OFF, Conditions, Unfolded
from masrepro.runtime.run import GREEDY, RunResult, run
from masrepro.runtime.trace import NOTHING
from masrepro.tools.tool import Tool
from masrepro.train.memo import Stopwatch, call_off, memoised
from masrepro.train.mix import Assignment


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
    """What an orchestrator wrote for an assignment: ``n_tokens`` long, ``cut_off`` where it met the limit.

    All that it wrote in ``n_turns`` turns, where it is a sequential one.
    """

    place: int
    assignment: Assignment
    text: str
    n_tokens: int
    cut_off: bool
    n_turns: int = 1


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
        Why there is none: the rule that is broken (`OrchestrationError.rule`); `masrepro.runtime.growing.CUT_OFF` for a
        completion that met its token limit.
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
            tasks = [
                group.create_task(_finished(one, own_conditions(team, pool, one.attempt.place, n)))
                for n, one in enumerate(parsed)
            ]
    finally:
        call_off(pool)
    return Wave(tuple(task.result() for task in tasks), time.monotonic() - began, watch.seconds)


def _parsed(attempt: Attempt, catalogue: Catalogue) -> Rollout:
    if attempt.cut_off:
        return Rollout(attempt, "truncated", reason=CUT_OFF)
    try:
        plan = parse(attempt.text, notation="calls", dom=attempt.assignment.dom, catalogue=catalogue)
    except OrchestrationError as error:
        return Rollout(attempt, "invalid", reason=error.rule, error=str(error))
    return Rollout(attempt, "unparsed", plan)


def own_conditions(team: Team, pool: Pool, place: int, n: int) -> Conditions:
    """What system ``n`` of a batch is run under, for the question at a place.

    Where agents draw, it has a seed of its own: else a group's draws would all be alike.
    """
    sampling = team.sampling
    if sampling.temperature:
        (seed,) = derived_seeds(sampling.seed, f"{place}/{n}", 1)
        sampling = replace(sampling, seed=seed)
    return Conditions(pool, team.budget, sampling, team.sub_agents, team.tools, team.rationale_chars)


async def scored_rollout(attempt: Attempt, done: Unfolded) -> Rollout:
    """What became of an attempt whose run has ended."""
    result = done.result
    ran = Rollout(attempt, "unparsed", done.plan, error=result.error, usage=result.usage, n_calls=_n_calls(result))
    if done.invalid is not None:
        outcome: Outcome = "truncated" if done.invalid.rule == CUT_OFF else "invalid"
        return replace(ran, outcome=outcome, plan=None, reason=done.invalid.rule)
    if result.status != "done":
        return replace(ran, outcome=result.status)
    verdict = await _scored(attempt.assignment.item, result.answer)
    return replace(ran, outcome=verdict.outcome, credit=verdict.credit)


async def _finished(rollout: Rollout, own: Conditions) -> Rollout:
    if rollout.plan is None:
        return rollout
    try:
        result = await run(
            rollout.plan,
            rollout.attempt.assignment.item.question,
            models=own.models,
            budget=own.budget,
            sampling=own.sampling,
            sub_agents=own.sub_agents,
            tools=own.tools,
            rationale_chars=own.rationale_chars,
        )
    except OrchestrationError as error:
        return replace(rollout, outcome="invalid", plan=None, reason=error.rule, error=str(error))
    return await scored_rollout(rollout.attempt, Unfolded(rollout.plan, result))


def _n_calls(result: RunResult) -> int:
    return sum(span.kind == "call" for span in result.trace)


async def _scored(item: Item, answer: str | None) -> Score:
    """Algebra and sandboxes take their time, in a thread."""
    if item.scorer in ("math", "code"):
        return await asyncio.to_thread(score, item.scorer, answer, item.answer)
    return score(item.scorer, answer, item.answer)
