"""A trace as a table: one row a model call, in the order in which they began."""

from __future__ import annotations

from masrepro.lab.table import Row
from masrepro.models.model import Usage
from masrepro.runtime.trace import Trace


def call_rows(trace: Trace) -> list[Row]:
    """Who called which model when, at what cost, and what came back.

    Times are milliseconds since the run began. An unknown cost says so.
    """
    calls = sorted((span for span in trace if span.kind == "call"), key=lambda span: span.start_s)
    return [
        {
            "agent": span.agent,
            "model": span.model,
            "from ms": round(1000 * span.start_s),
            "to ms": round(1000 * span.end_s),
            "prompt tokens": span.usage.prompt_tokens,
            "completion tokens": span.usage.completion_tokens,
            "USD": cost_text(span.usage),
            "reply": span.text if span.error is None else f"error: {span.error}",
        }
        for span in calls
    ]


def cost_text(usage: Usage) -> str:
    """US dollars, exact; an unknown cost says so."""
    return "unknown" if usage.cost_usd is None else str(usage.cost_usd)
