"""A case: one system on one item, as it ended. What is drawn, and what is set beside another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from masrepro.bench import Item, score
from masrepro.explore.act import acts
from masrepro.explore.drawing import FAILED, LINE, document, text_lines, wrapped
from masrepro.explore.graph import plan_svg
from masrepro.explore.repairs import attempts
from masrepro.explore.spans import cost_text
from masrepro.lab.sample import Sample
from masrepro.lab.table import Row
from masrepro.models.model import Usage
from masrepro.orchestration import OrchestrationError, parse
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime import RepairedRun, RunResult
from masrepro.runtime.trace import Trace


@dataclass(frozen=True, slots=True)
class Case:
    """One system on one item.

    Parameters
    ----------
    title : str
        The system's name.
    plan : Orchestration or None
        None where what was written is no system.
    trace : Trace
    outcome : str
        As a sample's: ``correct``, ``wrong``, ``invalid`` and so on.
    answer : str or None
    gold : str
        The truth.
    usage : Usage
    seconds : float
        Wall-clock time.
    error : str or None
        Why there is no answer.
    """

    title: str
    plan: Orchestration | None
    trace: Trace
    outcome: str
    answer: str | None
    gold: str
    usage: Usage
    seconds: float
    error: str | None = None


def case_of(sample: Sample) -> Case:
    """The case of a sample on record. Where its system cannot be read, the error says why."""
    plan, error = None, sample.error
    if sample.orchestration is not None:
        try:
            plan = parse(sample.orchestration)
        except OrchestrationError as refused:
            error = f"{refused}"
    return Case(
        sample.system,
        plan,
        sample.trace,
        sample.outcome,
        sample.answer,
        _text(sample.gold),
        sample.usage,
        sample.seconds,
        error,
    )


def case_of_run(title: str, plan: Orchestration, result: RunResult, item: Item) -> Case:
    """The case of a run that has just ended, scored as in an evaluation."""
    outcome: str = result.status
    if result.status == "done":
        outcome = "unparsed" if result.answer is None else score(item.scorer, result.answer, item.answer).outcome
    usage, seconds = result.usage, result.seconds
    return Case(title, plan, result.trace, outcome, result.answer, _text(item.answer), usage, seconds, result.error)


def repair_cases(run: RepairedRun, item: Item) -> list[Case]:
    """A run that was repaired as one case an attempt: what it had cost by then, and the answer at the end alone."""
    *paused, (plan, trace) = attempts(run)
    cases = []
    for number, (then, until) in enumerate(paused):
        ended_s = max((span.end_s for span in until), default=0.0)
        why = "; ".join(span.error for span in until if span.kind == "agent" and span.error) or "a repair was due"
        cases.append(
            Case(f"attempt {number}", then, until, "paused", None, _text(item.answer), until.usage, ended_s, why)
        )
    last = case_of_run(f"attempt {len(paused)}", plan, run.result, item)
    return [*cases, replace(last, trace=trace)]


def case_svg(case: Case, chosen: str | None = None) -> str:
    """The system with its state after the run as an SVG element; what is no system says why."""
    if case.plan is None:
        lines = [(case.outcome, f'font-weight="bold" fill="{FAILED}"')]
        lines += [(line, "") for line in wrapped(case.error or "There is no system on record.", 42, 12)]
        return document(344, LINE * len(lines) + 24, f"{case.title}: no system", [text_lines(12, 24, lines)])
    return plan_svg(case.plan, acts=acts(case.plan, case.trace), chosen=chosen)


def comparison_rows(cases: Sequence[Case]) -> list[Row]:
    """Cases side by side, a column each: what came of them, how they are built, and what they cost."""
    columns = {title: _facts(case) for title, case in zip(_titles(cases), cases, strict=True)}
    facts = list(next(iter(columns.values())))
    return [{"case": fact, **{title: column[fact] for title, column in columns.items()}} for fact in facts]


def _facts(case: Case) -> dict[str, str]:
    plan = case.plan
    return {
        "outcome": case.outcome,
        "answer": "none" if case.answer is None else case.answer,
        "truth": case.gold,
        "agents": "none" if plan is None else f"{len(plan.agents)}",
        "longest chain": "none" if plan is None else f"{plan.longest_chain}",
        "calls": f"{case.usage.calls}",
        "tokens": f"{case.usage.tokens}",
        "USD": cost_text(case.usage),
        "seconds": f"{case.seconds:.2f}",
        "error": case.error or "none",
    }


def _titles(cases: Sequence[Case]) -> list[str]:
    """Titles of which no two are equal."""
    names = [case.title for case in cases]
    return [
        f"{name} ({names[: place + 1].count(name)})" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    ]


def _text(gold: str | tuple[str, ...]) -> str:
    return gold if isinstance(gold, str) else ", ".join(gold)
