"""The systems that are compared: each turns an item into an orchestration."""

from masrepro.baselines.alone import Alone
from masrepro.baselines.oracle import Oracle, Star
from masrepro.baselines.sequential import Sequential
from masrepro.baselines.single_agent import SingleAgent
from masrepro.baselines.staffed import Staffed
from masrepro.baselines.system import System, system

__all__ = ["Alone", "Oracle", "Sequential", "SingleAgent", "Staffed", "Star", "System", "system"]
