"""A run that is repaired while it runs, and goes on from where it was (MAS², arXiv 2509.24323, section 3.1).

The trigger is the paper's: the spend passes theta_C, or an operation has failed; and, which the paper leaves open, an
output fails a check. The run pauses, a rectifier sees its state and changes the system, and the run resumes: what is
finished and unchanged is neither run nor paid for twice. Not here: how it goes on (`course`), and who repairs
(`rectifier`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from masrepro.agents.agent import SubAgent
from masrepro.models.model import Model, Pool, Sampling, Usage
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.budget import UNLIMITED, Budget, Meter
from masrepro.runtime.call import Log
from masrepro.runtime.course import Course, Ending
from masrepro.runtime.dataflow import TOOL_TIMEOUT_S
from masrepro.runtime.failure import Check, Failure, Guard
from masrepro.runtime.rectifier import Rectifier
from masrepro.runtime.run import GREEDY, RunResult, result_of
from masrepro.runtime.staff import staff
from masrepro.runtime.state import Health, Repair
from masrepro.runtime.trace import Trace
from masrepro.tools.tool import Tool


@dataclass(frozen=True, slots=True)
class RepairedRun:
    """What came of a run that could be repaired.

    Parameters
    ----------
    result : RunResult
        Of the last attempt; its usage, trace and seconds are those of all attempts and repairs together.
    plan : Orchestration
        The system that ran last.
    repairs : tuple of Repair
        In their order.
    unrepaired : tuple of Failure
        What went wrong and was left so, for want of a repair: the answer stands on outputs that failed a check, or
        that a tool did not help with.
    ended : str
        Why there was no further repair; see `Ending`.
    why : str
        The same in words; empty where it is ``done``.
    n_attempts : int
        How often the run began or went on.
    """

    result: RunResult
    plan: Orchestration
    repairs: tuple[Repair, ...]
    unrepaired: tuple[Failure, ...]
    ended: Ending
    why: str
    n_attempts: int

    @property
    def usage(self) -> Usage:
        """What all attempts and repairs spent together, exact."""
        return self.result.usage

    @property
    def trace(self) -> Trace:
        """Every act, call and repair; each span belongs to an attempt."""
        return self.result.trace


async def run_with_repairs(
    plan: Orchestration,
    question: str,
    *,
    models: Pool | Model | Mapping[str, Model],
    rectifier: Rectifier,
    budget: Budget = UNLIMITED,
    repair_at: Budget = UNLIMITED,
    max_repairs: int = 3,
    check: Check | None = None,
    resume: bool = True,
    down_after: int = 2,
    sampling: Sampling = GREEDY,
    sub_agents: Mapping[str, SubAgent] | None = None,
    tools: Mapping[str, Tool] | None = None,
    tool_timeout_s: float = TOOL_TIMEOUT_S,
    rationale_chars: int = 400,
    clock: Callable[[], float] = time.monotonic,
) -> RepairedRun:
    """Execute an orchestration, and repair it where it fails.

    Parameters
    ----------
    plan, question, models, sampling, sub_agents, tools, tool_timeout_s, rationale_chars, clock
        As for `masrepro.runtime.run`.
    rectifier : Rectifier
    budget : Budget
        What the run may spend in all, repairs included: it stops there.
    repair_at : Budget
        theta_C: once more than this is spent the run pauses for a repair, once.
    max_repairs : int
        Times that the rectifier is asked, at most.
    check : callable or None
        ``check(agent, output)`` looks at every output as it comes and says what is wrong with it.
    resume : bool
        Keep what is finished and unchanged. False runs everything again after each repair, to see what that costs.
    down_after : int
        Attempts in a row after which a back-end or tool that never worked in them is known to be down. From then on no
        system is run that needs it.

    Raises
    ------
    PlanNotRunnable
        The first system cannot run; see `masrepro.runtime.staff`.
    ValueError
        A count is out of range.

    Notes
    -----
    When something fails, the agents at work come to their end and keep their outputs; none is begun. A run that can go
    on without a repair does: an answer that a check doubts, or a bound that is soft, ends nothing.
    """
    if max_repairs < 0 or down_after < 1 or rationale_chars < 0:
        raise ValueError(
            f"max_repairs and rationale_chars must be 0 or more and down_after 1 or more, got {max_repairs}, "
            f"{rationale_chars} and {down_after}"
        )
    pool = Pool.of(models)
    course = Course(
        question=question,
        pool=pool,
        rectifier=rectifier,
        meter=Meter(budget),
        log=Log(Trace(), clock, clock()),
        max_repairs=max_repairs,
        resume=resume,
        sampling=sampling,
        rationale_chars=rationale_chars,
        sub_agents=sub_agents,
        tools=tools or {},
        tool_timeout_s=tool_timeout_s,
        plan=plan,
        posts=staff(plan, pool, budget, sub_agents, tools),
        guard=Guard(repair_at, check),
        health=Health(down_after),
    )
    last = await course.run()
    return RepairedRun(
        result=result_of(last),
        plan=course.plan,
        repairs=tuple(course.repairs),
        unrepaired=tuple(course.unrepaired),
        ended=course.ending,
        why=course.why,
        n_attempts=course.log.attempt + 1,
    )
