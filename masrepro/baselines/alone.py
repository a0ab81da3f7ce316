"""SAS of any workflow: one sub-agent that gets the question and nothing else (MAS-Orchestra, table 3, upper part)."""

from __future__ import annotations

from dataclasses import dataclass

from masrepro.bench.item import Item
from masrepro.orchestration.plan import Agent, Orchestration


@dataclass(frozen=True, slots=True)
class Alone:
    """One agent of a workflow, without a goal of its own; its name is the workflow's.

    Parameters
    ----------
    workflow : str
        A registered workflow's name.
    roles : tuple of str
        The debaters of a workflow that needs some.
    """

    workflow: str
    roles: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The workflow's."""
        return self.workflow

    def design(self, item: Item) -> Orchestration:
        """The same one-agent orchestration for every item."""
        return Orchestration(agents=(Agent("a1", "solver", "", workflow=self.workflow, roles=self.roles),))
