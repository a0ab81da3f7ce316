"""Sub-agents: goal-oriented black boxes with a signature."""

from masrepro.agents.agent import Call, Input, Output, SamplingChange, SubAgent, Task, standard_workflow
from masrepro.agents.cot import CoT, cot_messages
from masrepro.agents.registry import NoImplementation, register, registered_catalogue, sub_agent

__all__ = [
    "Call",
    "CoT",
    "Input",
    "NoImplementation",
    "Output",
    "SamplingChange",
    "SubAgent",
    "Task",
    "cot_messages",
    "register",
    "registered_catalogue",
    "standard_workflow",
    "sub_agent",
]
