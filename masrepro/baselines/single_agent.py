"""SAS: one chain-of-thought agent that gets the question and nothing else (MAS-Orchestra's single-agent system)."""

from __future__ import annotations

from masrepro.bench.item import Item
from masrepro.orchestration.plan import Agent, Orchestration


class SingleAgent:
    """One CoT agent without a goal of its own: it answers the question."""

    name = "single_agent"

    def design(self, item: Item) -> Orchestration:
        """The same one-agent orchestration for every item."""
        return Orchestration(agents=(Agent(id="a1", role="solver", goal=""),))
