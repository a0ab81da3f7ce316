"""A run that was repaired, step by step: its system at each attempt, and who did what in which."""

from __future__ import annotations

from masrepro.agents.cot import unboxed
from masrepro.explore.act import acts
from masrepro.explore.graph import plan_svg
from masrepro.explore.spans import cost_text
from masrepro.lab.table import Row
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime import RepairedRun
from masrepro.runtime.trace import Span, Trace


def attempt_svgs(run: RepairedRun) -> list[str]:
    """The system of each attempt as an SVG element, with what was answered by its end, and what failed in it."""
    return [plan_svg(plan, acts=acts(plan, trace)) for plan, trace in attempts(run)]


def attempts(run: RepairedRun) -> list[tuple[Orchestration, Trace]]:
    """The system of each attempt, and what had happened by its end, without acts of agents that were changed since."""
    plans = _plans(run)
    return [
        (plan, Trace(span for span in run.trace if span.attempt <= number and _stands(span, plans, plan)))
        for number, plan in enumerate(plans)
    ]


def attempt_rows(run: RepairedRun) -> list[Row]:
    """A row an act or repair, in the order in which they ended; what a kept agent did stands in its own attempt only.

    An unknown cost says so.
    """
    plans = _plans(run)
    rows: list[Row] = []
    for span in run.trace:
        if span.kind not in ("agent", "repair"):
            continue
        own = sum((s.usage for s in run.trace if s.parent == span.id), span.usage)
        is_agent = span.kind == "agent"
        plan = plans[min(span.attempt, len(plans) - 1)]
        answer = None if span.text is None else unboxed(span.text)
        rows.append(
            {
                "attempt": span.attempt,
                "who": span.agent if is_agent else "rectifier",
                "backbone": (plan.agent(span.agent).backbone or "the default") if is_agent else "",
                "calls": own.calls,
                "USD": cost_text(own),
                "what came of it": span.error or (answer if is_agent else f"repaired: {span.reasoning}"),
            }
        )
    return rows


def _stands(span: Span, plans: list[Orchestration], plan: Orchestration) -> bool:
    """Whether what a span tells is still true of the plan: its agent is there, as it was."""
    if span.kind != "agent":
        return True
    return {agent.id: agent for agent in plan.agents}.get(span.agent) == plans[span.attempt].agent(span.agent)


def _plans(run: RepairedRun) -> list[Orchestration]:
    """The system of each attempt. Where a run went on without a repair, it went on as it was."""
    repaired_after = [span.attempt for span in run.trace if span.kind == "repair" and span.error is None]
    systems = [repair.before for repair in run.repairs] + [run.plan]
    return [systems[sum(earlier < attempt for earlier in repaired_after)] for attempt in range(run.n_attempts)]
