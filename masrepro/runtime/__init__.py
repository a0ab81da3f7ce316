"""Execution of an orchestration: concurrency, budget, trace, rectification."""

from masrepro.runtime.budget import Budget, BudgetReached
from masrepro.runtime.change import Again, Change, Edit
from masrepro.runtime.failure import Check, CheckFailed, Failure
from masrepro.runtime.rectifier import Rectifier
from masrepro.runtime.rectify import RepairedRun, run_with_repairs
from masrepro.runtime.run import RunResult, run, run_sync
from masrepro.runtime.staff import PlanNotRunnable, calls_bound
from masrepro.runtime.state import Repair, State
from masrepro.runtime.trace import Span, Trace

__all__ = [
    "Again",
    "Budget",
    "BudgetReached",
    "Change",
    "Check",
    "CheckFailed",
    "Edit",
    "Failure",
    "PlanNotRunnable",
    "Rectifier",
    "Repair",
    "RepairedRun",
    "RunResult",
    "Span",
    "State",
    "Trace",
    "calls_bound",
    "run",
    "run_sync",
    "run_with_repairs",
]
