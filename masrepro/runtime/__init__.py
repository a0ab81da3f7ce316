"""Execution of an orchestration: concurrency, budget, trace."""

from masrepro.runtime.budget import Budget, BudgetReached
from masrepro.runtime.run import RunResult, run, run_sync
from masrepro.runtime.staff import PlanNotRunnable, calls_bound
from masrepro.runtime.trace import Span, Trace

__all__ = [
    "Budget",
    "BudgetReached",
    "PlanNotRunnable",
    "RunResult",
    "Span",
    "Trace",
    "calls_bound",
    "run",
    "run_sync",
]
