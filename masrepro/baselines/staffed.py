"""A system whose agents all run on one backbone of the pool."""

from __future__ import annotations

from dataclasses import dataclass, replace

from masrepro.baselines.system import System
from masrepro.bench.item import Item
from masrepro.orchestration.plan import Orchestration


@dataclass(frozen=True, slots=True)
class Staffed:
    """Another system's designs, with a backbone assigned to every agent.

    Its name is ``<system>/<backbone>``, so that one evaluation can hold a system once for each backbone.
    """

    system: System
    backbone: str

    @property
    def name(self) -> str:
        """Whose designs, on which backbone."""
        return f"{self.system.name}/{self.backbone}"

    def design(self, item: Item) -> Orchestration:
        """See `masrepro.baselines.System.design`."""
        plan = self.system.design(item)
        return replace(plan, agents=tuple(replace(agent, backbone=self.backbone) for agent in plan.agents))
