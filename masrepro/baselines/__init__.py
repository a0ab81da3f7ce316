"""The systems that are compared: each turns an item into an orchestration."""

from masrepro.baselines.oracle import Oracle
from masrepro.baselines.single_agent import SingleAgent
from masrepro.baselines.system import System, system

__all__ = ["Oracle", "SingleAgent", "System", "system"]
