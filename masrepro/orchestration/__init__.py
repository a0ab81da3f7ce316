"""What a multi-agent system is: data, the rules it obeys and the notations it comes in. No I/O, no model."""

from masrepro.orchestration.catalogue import STANDARD, Catalogue, Tool, Workflow
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.parse import parse
from masrepro.orchestration.plan import Agent, Flow, Notation, Orchestration

__all__ = [
    "STANDARD",
    "Agent",
    "Catalogue",
    "DoM",
    "Flow",
    "Notation",
    "Orchestration",
    "OrchestrationError",
    "Tool",
    "Workflow",
    "parse",
]
