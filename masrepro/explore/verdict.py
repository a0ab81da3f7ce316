"""What the parser says to a text while it is written: a system, or the rule broken, the place, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass

from masrepro.explore.drawing import FAILED, table_html
from masrepro.lab.table import Row
from masrepro.orchestration import OrchestrationError, parse
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.plan import Notation, Orchestration


@dataclass(frozen=True, slots=True)
class Verdict:
    """The parser's verdict: either ``plan`` or ``error`` is there."""

    plan: Orchestration | None
    error: OrchestrationError | None


def verdict_of(text: str, notation: Notation = "calls", dom: DoM = DoM.HIGH) -> Verdict:
    """Read a text as `masrepro.parse` does, and keep the error."""
    try:
        return Verdict(parse(text, notation, dom), None)
    except OrchestrationError as error:
        return Verdict(None, error)


def verdict_rows(verdict: Verdict) -> list[Row]:
    """The verdict as a table of two columns."""
    if verdict.error is not None:
        error = verdict.error
        facts = {"rule broken": error.rule, "place": error.where, "what": error.what, "hint": error.hint}
    else:
        plan = verdict.plan
        assert plan is not None
        shape = f"longest chain {plan.longest_chain}, width {plan.width}"
        facts = {"agents": f"{len(plan.agents)}", "shape": shape, "sink": plan.sink or "none: a direct answer"}
    said = "refused" if verdict.error is not None else "valid"
    return [{"verdict": name, said: value} for name, value in facts.items()]


def verdict_html(verdict: Verdict) -> str:
    """The verdict as an HTML table that a screen reader announces when it changes."""
    colour = FAILED if verdict.error is not None else "#00634A"
    return (
        f'<div role="status" class="verdict" style="border-left:4px solid {colour};padding-left:8px">'
        f"{table_html(verdict_rows(verdict))}</div>"
    )
