"""masrepro: automatic multi-agent systems, written, run, trained and measured reproducibly."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from masrepro.lab.evaluate import evaluate
    from masrepro.models.model import Pool
    from masrepro.orchestration import Agent, DoM, Flow, Orchestration, OrchestrationError, parse
    from masrepro.runtime import Budget, RunResult, Trace, run, run_sync

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "Budget",
    "DoM",
    "Flow",
    "Orchestration",
    "OrchestrationError",
    "Pool",
    "RunResult",
    "Trace",
    "evaluate",
    "parse",
    "run",
    "run_sync",
]

_HOME = {
    "masrepro.lab.evaluate": ("evaluate",),
    "masrepro.models.model": ("Pool",),
    "masrepro.orchestration": ("Agent", "DoM", "Flow", "Orchestration", "OrchestrationError", "parse"),
    "masrepro.runtime": ("Budget", "RunResult", "Trace", "run", "run_sync"),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for, so that importing the package costs nothing."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
