"""What one agent did in a run: its card, read from the plan and the trace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from masrepro.agents.agent import Input
from masrepro.agents.cot import unboxed
from masrepro.explore.drawing import table_html
from masrepro.explore.spans import cost_text
from masrepro.lab.table import Row
from masrepro.models.model import Usage
from masrepro.orchestration.plan import Agent, Orchestration
from masrepro.runtime.trace import NOTHING, Span, Trace

State = Literal["finished", "no answer", "failed", "cancelled", "not run"]


@dataclass(frozen=True, slots=True)
class Act:
    """An agent after a run, or in the state in which the run ended.

    Parameters
    ----------
    agent : Agent
    state : {"finished", "no answer", "failed", "cancelled", "not run"}
        ``no answer``: its reply held none. ``cancelled``: the run ended first.
    inputs : tuple of Input
        What flowed in.
    answer : str or None
        Without the box round it.
    rationale : str
        What led to the answer.
    models : tuple of str
        Those that were called, each once.
    usage : Usage
        What it spent.
    start_s, end_s : float or None
        Seconds since the run began; None where it was not run.
    error : str or None
        Why it failed.
    """

    agent: Agent
    state: State
    inputs: tuple[Input, ...] = ()
    answer: str | None = None
    rationale: str = ""
    models: tuple[str, ...] = ()
    usage: Usage = NOTHING
    start_s: float | None = None
    end_s: float | None = None
    error: str | None = None

    @property
    def seconds(self) -> float | None:
        """How long it took."""
        return None if self.start_s is None or self.end_s is None else self.end_s - self.start_s

    @property
    def outcome(self) -> str:
        """What came of it, in a line: the answer, the error, or the state."""
        if self.state == "finished":
            return f"= {self.answer}"
        return f"{self.state}: {self.error}" if self.error and self.state == "failed" else self.state


def acts(plan: Orchestration, trace: Trace) -> dict[str, Act]:
    """What every agent did, by id; of several acts of one agent in a run that was repaired, the last."""
    last = {span.agent: span for span in trace if span.kind == "agent"}
    return {agent.id: _act(agent, plan, last, trace) for agent in plan.agents}


def card_rows(act: Act) -> list[Row]:
    """An agent's card as a table of two columns."""
    agent = act.agent
    facts: dict[str, str | None] = {
        "state": act.state,
        "role": agent.role,
        "goal": agent.goal or "(the question itself)",
        "workflow": ", ".join([agent.workflow, *agent.tools]),
        "inputs": "\n".join(_arrived(given) for given in act.inputs) or "none",
        "output": act.answer,
        "rationale": act.rationale,
        "model": ", ".join(act.models) or agent.backbone,
        "calls": f"{act.usage.calls}",
        "tokens": f"{act.usage.prompt_tokens} in, {act.usage.completion_tokens} out",
        "cost, USD": cost_text(act.usage),
        "time": None if act.seconds is None else f"{act.seconds:.3f} s, from {act.start_s:.3f} s",
        "error": act.error,
    }
    return [{"agent": name, agent.id: value} for name, value in facts.items() if value]


def card_html(act: Act) -> str:
    """An agent's card as an HTML table."""
    return table_html(card_rows(act))


def _act(agent: Agent, plan: Orchestration, last: Mapping[str, Span], trace: Trace) -> Act:
    span = last.get(agent.id)
    if span is None:
        return Act(agent, "not run")
    calls = [own for own in trace if own.parent == span.id]
    delivered = [flow for flow in plan.inputs(agent.id) if flow.source in span.inputs]
    inputs = [Input(f.source, f.payload, _answer(last[f.source])) for f in delivered if f.source in last]
    return Act(
        agent,
        _state(span),
        tuple(inputs),
        _answer(span),
        span.reasoning,
        tuple(dict.fromkeys(call.model for call in calls if call.model)),
        sum((call.usage for call in calls), span.usage),
        span.start_s,
        span.end_s,
        span.error,
    )


def _state(span: Span) -> State:
    if span.error is not None:
        return "cancelled" if span.error == "cancelled" else "failed"
    return "no answer" if span.text is None else "finished"


def _answer(span: Span) -> str | None:
    return None if span.text is None else unboxed(span.text)


def _arrived(given: Input) -> str:
    payload = f" ({given.payload})" if given.payload else ""
    return f"from {given.source}{payload}: {'no answer' if given.answer is None else given.answer}"
