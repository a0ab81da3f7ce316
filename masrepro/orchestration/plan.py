"""What a multi-agent system is: agents, the flows between them, and the shape they make. Immutable data and
rules.

This is the target system of MAS² (arXiv 2509.24323): roles R are the agents, protocols P the flows, T the
tools and B the backbones; a system without backbones is a *template*. MAS-Orchestra (arXiv 2601.14652) writes
the same thing as calls of ``create_agent`` and ``create_flow``. Reading and writing text is the business of
the notations; which workflows and tools exist is that of the catalogue.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from masrepro.orchestration.dom import DoM
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.topology import Topology, check_references, check_text, topology_of

if TYPE_CHECKING:
    from masrepro.orchestration.catalogue import Catalogue

Notation = Literal["calls", "xml", "tool_calls"]


@dataclass(frozen=True, slots=True)
class Agent:
    """A goal-oriented sub-agent, a black box with a signature.

    Parameters
    ----------
    id : str
        ASCII letters, digits and ``_``.
    role : str
        Who it is.
    goal : str
        What it is to find out; "" is the original question. ``${a}`` stands for the answer of agent a.
    workflow : str
        How it works: a name in the catalogue.
    tools : tuple of str
        Names of tools it may use.
    roles : tuple of str
        The debaters of a workflow that needs some.
    backbone : str or None
        Name of a model in the pool; None is the pool's default.
    """

    id: str
    role: str
    goal: str
    workflow: str = "cot"
    tools: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    backbone: str | None = None

    def __post_init__(self) -> None:
        if type(self.tools) is tuple and type(self.roles) is tuple:
            return
        for name in ("tools", "roles"):
            names = getattr(self, name)
            if isinstance(names, str):
                raise TypeError(f"{name} are several names: write [{names!r}] instead of {names!r}")
            object.__setattr__(self, name, tuple(names))


@dataclass(frozen=True, slots=True)
class Flow:
    """What one agent passes to another; ``payload`` says in words what arrives."""

    source: str
    target: str
    payload: str = ""


@dataclass(frozen=True)
class Orchestration:
    """A whole multi-agent system, or a direct answer. One that exists is valid.

    Parameters
    ----------
    agents, flows : tuple
        In the order in which they were written; the order has no meaning.
    answer : str or None
        A direct answer, without agents (degree of MAS LOW).
    warnings : tuple of str
        What ``compat="paper"`` let pass. No part of equality or of the content hash. Only a plan that has
        some may hold a reference without its flow.

    Raises
    ------
    OrchestrationError
        Ids are not unique; a flow joins undeclared agents, an agent to itself, or a pair twice; there is a
        cycle; there is not exactly one sink; a reference has no flow; there are both or neither of agents and
        answer.
    """

    agents: tuple[Agent, ...] = ()
    flows: tuple[Flow, ...] = ()
    answer: str | None = None
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", tuple(self.agents))
        object.__setattr__(self, "flows", tuple(self.flows))
        _check_answer(self)
        topology = topology_of(self.agents, self.flows)
        check_text(self.agents, self.flows, self.answer)
        if not self.warnings:
            check_references(self.agents, topology)
        object.__setattr__(self, "_topology", topology)

    @property
    def sources(self) -> tuple[str, ...]:
        """Ids of the agents without inputs."""
        return self._shape.levels[0] if self.agents else ()

    @property
    def sink(self) -> str | None:
        """Id of the one agent without outputs, whose answer is the system's; None for a direct answer."""
        return self._shape.levels[-1][0] if self.agents else None

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Ids by their distance from a source along the longest way; agents of one level can run at once."""
        return self._shape.levels

    @property
    def longest_chain(self) -> int:
        """Number of agents on the longest path; 0 for a direct answer."""
        return len(self._shape.levels)

    @property
    def width(self) -> int:
        """Number of agents on the widest level; 0 for a direct answer."""
        return max(map(len, self._shape.levels), default=0)

    @property
    def order(self) -> tuple[str, ...]:
        """Ids in a topological order, level by level."""
        return tuple(agent for level in self._shape.levels for agent in level)

    @cached_property
    def critical_path(self) -> tuple[str, ...]:
        """Ids along a longest path, from a source to the sink."""
        return self._shape.critical_path()

    @property
    def is_template(self) -> bool:
        """Whether no agent has a backbone yet (MAS², section 3.1)."""
        return all(agent.backbone is None for agent in self.agents)

    @cached_property
    def content_hash(self) -> str:
        """16 hex digits, the same for the same system in every process and however its parts are listed."""
        agents = sorted((a.id, a.role, a.goal, a.workflow, a.tools, a.roles, a.backbone) for a in self.agents)
        flows = sorted((f.source, f.target, f.payload) for f in self.flows)
        canonical = json.dumps([agents, flows, self.answer], ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()[:16]

    def agent(self, id: str) -> Agent:
        """The agent of that id. Raises KeyError that lists the known ids."""
        try:
            return self.agents[self._shape.position[id]]
        except KeyError:
            raise KeyError(f"no agent {id!r}; this plan has: {', '.join(self._shape.position)}") from None

    def inputs(self, id: str) -> tuple[Flow, ...]:
        """The flows that arrive at an agent, in the order in which they were written."""
        return tuple(self._shape.inputs[id])

    def outputs(self, id: str) -> tuple[Flow, ...]:
        """The flows that leave an agent, in the order in which they were written."""
        return tuple(self._shape.outputs[id])

    def to(self, notation: Notation, *, dom: DoM = DoM.HIGH, catalogue: Catalogue | None = None) -> str:
        """This plan as text, which `parse` reads back without loss.

        Parameters
        ----------
        notation : str
            "calls", "xml" or "tool_calls".
        dom : DoM
            Only for "xml": at `DoM.LOW` a single agent is written in LOW form.
        catalogue : Catalogue or None
            Only for "xml", where workflows go by other names; None is the standard one.
        """
        from masrepro.orchestration.catalogue import STANDARD
        from masrepro.orchestration.parse import (
            write,
        )  # the notations know plans; a plan meets them only when asked

        return write(self, notation, dom, catalogue or STANDARD)

    @property
    def _shape(self) -> Topology:
        topology: Topology = self.__dict__["_topology"]
        return topology


def _check_answer(plan: Orchestration) -> None:
    if plan.answer is None and not plan.agents:
        raise OrchestrationError(
            "nothing-built",
            "there is neither an agent nor a direct answer",
            "the whole text",
            "Create at least one agent, or answer directly.",
        )
    if plan.answer is not None and plan.agents:
        raise OrchestrationError(
            "answer-beside-agents",
            f"a direct answer stands beside {len(plan.agents)} agent(s)",
            "the answer",
            "Either answer directly or create agents; a system's answer is that of its sink.",
            ("answer", 0),
        )
    if plan.answer is not None and not plan.answer.strip():
        raise OrchestrationError(
            "empty-answer",
            "the direct answer is empty",
            "the answer",
            "Give the answer, or create an agent.",
            ("answer", 0),
        )
