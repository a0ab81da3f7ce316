"""Sub-agents: goal-oriented black boxes with a signature."""

from masrepro.agents.agent import (
    AgentFailed,
    Call,
    Input,
    NeedsTools,
    Output,
    SamplingChange,
    SubAgent,
    Task,
    standard_workflow,
)
from masrepro.agents.cot import CoT, Thinking, cot_messages
from masrepro.agents.cot_sc import CoTSC
from masrepro.agents.debate import Debate
from masrepro.agents.deep_research import DeepResearch
from masrepro.agents.reflexion import Reflexion
from masrepro.agents.registry import NoImplementation, register, registered_catalogue, sub_agent

__all__ = [
    "AgentFailed",
    "Call",
    "CoT",
    "CoTSC",
    "Debate",
    "DeepResearch",
    "Input",
    "NeedsTools",
    "NoImplementation",
    "Output",
    "Reflexion",
    "SamplingChange",
    "SubAgent",
    "Task",
    "Thinking",
    "cot_messages",
    "register",
    "registered_catalogue",
    "standard_workflow",
    "sub_agent",
]
