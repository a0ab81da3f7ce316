"""A run that was repaired, step by step: its system at each attempt, and who did what in which."""

from __future__ import annotations

from masrepro.agents.cot import unboxed
from masrepro.explore.graph import plan_svg
from masrepro.lab.table import Row
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime import RepairedRun


def attempt_svgs(run: RepairedRun) -> list[str]:
    """The system of each attempt as an SVG element, with what was answered by its end, and what failed in it."""
    said: dict[str, str | None] = {}
    drawn = []
    for attempt, plan in enumerate(_plans(run)):
        here = [span for span in run.trace if (span.kind, span.attempt) == ("agent", attempt)]
        said |= {
            span.agent: f"failed: {span.error.partition(':')[0]}" if span.error else _answer(span.text) for span in here
        }
        drawn.append(plan_svg(plan, {agent.id: said[agent.id] for agent in plan.agents if agent.id in said}))
    return drawn


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
        rows.append(
            {
                "attempt": span.attempt,
                "who": span.agent if is_agent else "rectifier",
                "backbone": (plan.agent(span.agent).backbone or "the default") if is_agent else "",
                "calls": own.calls,
                "USD": "unknown" if own.cost_usd is None else str(own.cost_usd),
                "what came of it": span.error or (_answer(span.text) if is_agent else f"repaired: {span.reasoning}"),
            }
        )
    return rows


def _plans(run: RepairedRun) -> list[Orchestration]:
    """The system of each attempt. Where a run went on without a repair, it went on as it was."""
    repaired_after = [span.attempt for span in run.trace if span.kind == "repair" and span.error is None]
    systems = [repair.before for repair in run.repairs] + [run.plan]
    return [systems[sum(earlier < attempt for earlier in repaired_after)] for attempt in range(run.n_attempts)]


def _answer(text: str | None) -> str | None:
    return None if text is None else unboxed(text)
