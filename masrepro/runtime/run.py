"""Run an orchestration on a question: the public entrance, from a coroutine, a script or a notebook cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from masrepro.agents.agent import Output, SubAgent
from masrepro.models.model import Model, Pool, Sampling, Usage
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.blocking import wait_for
from masrepro.runtime.budget import UNLIMITED, Budget, Meter
from masrepro.runtime.call import Log
from masrepro.runtime.dataflow import TOOL_TIMEOUT_S, Dataflow
from masrepro.runtime.staff import staff
from masrepro.runtime.trace import Trace
from masrepro.tools.tool import Tool

Status = Literal["done", "truncated", "limit", "error"]

GREEDY = Sampling()


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of a run.

    Parameters
    ----------
    answer : str or None
        The sink's answer, or the plan's direct answer. None unless ``status`` is ``"done"``, and then too
        when the sink's reply held none.
    status : {"done", "truncated", "limit", "error"}
        ``truncated``: the sink's reply was cut at ``max_tokens`` before it held an answer. ``limit``: the
        budget was reached. ``error``: a model gave no usable reply, or a tool failed that an agent
        cannot do without.
    usage : Usage
        What the run spent, failed attempts included: the sum of the spans of ``trace``.
    trace : Trace
        Every act and call, also of a run that was stopped.
    outputs : mapping of str to Output
        Output by id of the agents that finished.
    error : str or None
        Why ``status`` is ``limit`` or ``error``: the agent, its model or tool, what happened.
    seconds : float
        Wall-clock time.
    """

    answer: str | None
    status: Status
    usage: Usage
    trace: Trace
    outputs: Mapping[str, Output]
    error: str | None
    seconds: float


async def run(
    plan: Orchestration,
    question: str,
    *,
    models: Pool | Model | Mapping[str, Model],
    budget: Budget = UNLIMITED,
    sampling: Sampling = GREEDY,
    sub_agents: Mapping[str, SubAgent] | None = None,
    tools: Mapping[str, Tool] | None = None,
    tool_timeout_s: float = TOOL_TIMEOUT_S,
    rationale_chars: int = 400,
    clock: Callable[[], float] = time.monotonic,
) -> RunResult:
    """Execute an orchestration; agents whose inputs are there run at once.

    Parameters
    ----------
    plan : Orchestration
        A direct answer is returned without a call.
    question : str
        The original question; every agent sees it.
    models : Pool, Model or mapping of str to Model
        The backbones. Models bound their own concurrency; runs share nothing else.
    budget : Budget
        What this run may spend.
    sampling : Sampling
        Of every call, unless a sub-agent changes a field for itself.
    sub_agents : mapping of str to SubAgent, optional
        By workflow name; they go before the registered ones.
    tools : mapping of str to Tool, optional
        By the names that orchestrations use; agents share them.
    tool_timeout_s : float
        Seconds after which one use of a tool is ended, whatever the tool's own bounds.
    rationale_chars : int
        Characters of an agent's rationale that flow on with its answer.
    clock : callable
        Seconds, for the times in the trace.

    Raises
    ------
    PlanNotRunnable
        Before the first call: see `masrepro.runtime.staff`.

    Notes
    -----
    Cancelling this coroutine cancels everything that it started. An exception that is neither a `ModelError` nor the
    budget's comes from a fault in a program and propagates.
    """
    if rationale_chars < 0:
        raise ValueError(f"rationale_chars must be 0 or more, got {rationale_chars}")
    posts = staff(plan, Pool.of(models), budget, sub_agents, tools)
    log = Log(Trace(), clock, clock())
    dataflow = Dataflow(plan, question, posts, sampling, rationale_chars, Meter(budget), log, tool_timeout_s)
    if plan.agents:
        await dataflow.flow()
    return result_of(dataflow)


def run_sync(
    plan: Orchestration,
    question: str,
    *,
    models: Pool | Model | Mapping[str, Model],
    budget: Budget = UNLIMITED,
    sampling: Sampling = GREEDY,
    sub_agents: Mapping[str, SubAgent] | None = None,
    tools: Mapping[str, Tool] | None = None,
    tool_timeout_s: float = TOOL_TIMEOUT_S,
    rationale_chars: int = 400,
    clock: Callable[[], float] = time.monotonic,
) -> RunResult:
    """`run` for code that cannot await; inside a running event loop the run gets a thread with its own."""
    running = run(
        plan,
        question,
        models=models,
        budget=budget,
        sampling=sampling,
        sub_agents=sub_agents,
        tools=tools,
        tool_timeout_s=tool_timeout_s,
        rationale_chars=rationale_chars,
        clock=clock,
    )
    return wait_for(running)


def result_of(dataflow: Dataflow) -> RunResult:
    """What came of a dataflow that has come to its end."""
    plan, log = dataflow.plan, dataflow.log
    sink = dataflow.outputs.get(plan.sink) if plan.sink else None
    cut_off = sink is not None and sink.answer is None and sink.finish == "length"
    status: Status
    answer, error = None, None
    if dataflow.failure is not None:
        status, error = "error", dataflow.failure
    elif dataflow.limit is not None:
        status, error = "limit", dataflow.limit
    elif cut_off and dataflow.meter.clamped:
        status, error = "limit", f"the budget of {dataflow.meter.budget.tokens} tokens cut off the last reply"
    elif cut_off:
        status = "truncated"
    else:
        status, answer = "done", sink.answer if sink else plan.answer
    trace = log.trace
    return RunResult(answer, status, trace.usage, trace, dict(dataflow.outputs), error, log.now_s())
