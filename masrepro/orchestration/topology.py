"""The structural rules of an orchestration and the shape that follows, in time linear in agents and flows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from masrepro.orchestration.errors import OrchestrationError, Subject

if TYPE_CHECKING:
    from masrepro.orchestration.plan import Agent, Flow

MAX_AGENTS = 10_000
_ID = re.compile(r"[A-Za-z0-9_]+")
_REFERENCE = re.compile(r"\$\{([A-Za-z0-9_]+)\}")


@dataclass(frozen=True, slots=True)
class Topology:
    """Where agents stand: position in the list by id, flows in and out by id, and levels of ids."""

    position: dict[str, int]
    inputs: dict[str, list[Flow]]
    outputs: dict[str, list[Flow]]
    levels: tuple[tuple[str, ...], ...]

    def critical_path(self) -> tuple[str, ...]:
        """Ids along a longest path; of several, the one that was written first."""
        level_of = {agent: depth for depth, level in enumerate(self.levels) for agent in level}
        path = list(self.levels[-1]) if self.levels else []
        for depth in range(len(self.levels) - 2, -1, -1):
            path.append(next(f.source for f in self.inputs[path[-1]] if level_of[f.source] == depth))
        return tuple(reversed(path))


def references(goal: str) -> list[str]:
    """Ids that a goal refers to as ``${id}``, in order. Any other ``$`` is plain text."""
    return _REFERENCE.findall(goal) if "${" in goal else []


def topology_of(agents: Sequence[Agent], flows: Sequence[Flow]) -> Topology:
    """Check every structural rule and return the shape.

    Raises
    ------
    OrchestrationError
        The first rule broken, with the agent or flow at fault as its subject.
    """
    position = _positions(agents)
    inputs: dict[str, list[Flow]] = {agent: [] for agent in position}
    outputs: dict[str, list[Flow]] = {agent: [] for agent in position}
    seen: set[tuple[str, str]] = set()
    for index, flow in enumerate(flows):
        pair = flow.source, flow.target
        if pair in seen or flow.source == flow.target or not (flow.source in position and flow.target in position):
            raise _bad_flow(index, flow, position)
        seen.add(pair)
        outputs[flow.source].append(flow)
        inputs[flow.target].append(flow)
    levels = _levels(inputs, outputs)
    if sum(map(len, levels)) < len(position):
        raise _cycle(position, inputs, levels)
    if len(position) > 1:
        _check_sink(position, inputs, outputs)
    return Topology(position, inputs, outputs, levels)


def check_text(agents: Sequence[Agent], flows: Sequence[Flow], answer: str | None) -> None:
    """Refuse what cannot be sent to any model: a lone surrogate is half a character and has no UTF-8 form."""
    for index, agent in enumerate(agents):
        if not _is_unicode(agent.role, agent.goal, agent.workflow, *agent.tools, *agent.roles, agent.backbone or ""):
            raise _not_unicode(f"agent {agent.id!r}", ("agent", index))
    for index, flow in enumerate(flows):
        if not _is_unicode(flow.payload):
            raise _not_unicode(_name(flow), ("flow", index))
    if not _is_unicode(answer or ""):
        raise _not_unicode("the answer", ("answer", 0))


def check_references(agents: Sequence[Agent], topology: Topology) -> None:
    """Each ``${a}`` in a goal needs the flow that brings a's answer.

    Raises
    ------
    OrchestrationError
        "unknown-reference" if there is no such agent, "reference-without-flow" if nothing flows from it,
        "self-reference" if it is the agent itself.
    """
    for index, agent in enumerate(agents):
        if "${" not in agent.goal:
            continue
        sources = {flow.source for flow in topology.inputs[agent.id]}
        for name in references(agent.goal):
            if name not in sources:
                raise _dangling(agent, name, topology, ("agent", index))


def _positions(agents: Sequence[Agent]) -> dict[str, int]:
    if len(agents) > MAX_AGENTS:
        raise OrchestrationError(
            "too-many-agents",
            f"there are {len(agents)} agents",
            f"agent {agents[MAX_AGENTS].id!r}",
            f"Create at most {MAX_AGENTS} agents.",
            ("agent", MAX_AGENTS),
        )
    position: dict[str, int] = {}
    for index, agent in enumerate(agents):
        if not _ID.fullmatch(agent.id):
            raise OrchestrationError(
                "bad-id",
                f"{agent.id!r} is no agent id",
                f"agent number {index + 1}",
                "Use ASCII letters, digits and _ only, and at least one of them.",
                ("agent", index),
            )
        if agent.id in position:
            raise OrchestrationError(
                "duplicate-id",
                f"two agents have the id {agent.id!r}",
                f"agent {agent.id!r}",
                "Give every agent an id of its own.",
                ("agent", index),
            )
        position[agent.id] = index
    return position


def _levels(inputs: dict[str, list[Flow]], outputs: dict[str, list[Flow]]) -> tuple[tuple[str, ...], ...]:
    """Kahn's algorithm by generations; agents on or behind a cycle are in none of them."""
    waiting = {agent: len(flows) for agent, flows in inputs.items()}
    level = [agent for agent, n_waiting in waiting.items() if not n_waiting]
    levels: list[tuple[str, ...]] = []
    while level:
        levels.append(tuple(level))
        next_level: list[str] = []
        for agent in level:
            for flow in outputs[agent]:
                waiting[flow.target] -= 1
                if not waiting[flow.target]:
                    next_level.append(flow.target)
        level = next_level
    return tuple(levels)


def _check_sink(position: dict[str, int], inputs: dict[str, list[Flow]], outputs: dict[str, list[Flow]]) -> None:
    """With one sink and no cycle everything is connected to it, for every path has to end somewhere."""
    sinks = [agent for agent in position if not outputs[agent]]
    if len(sinks) == 1:
        return
    alone = next((agent for agent in sinks if not inputs[agent]), None)
    if alone is not None:
        raise OrchestrationError(
            "disconnected",
            f"no flow joins {alone!r} to any other agent",
            f"agent {alone!r}",
            "Add a flow from or to it, or leave the agent out.",
            ("agent", position[alone]),
        )
    raise OrchestrationError(
        "several-sinks",
        f"{len(sinks)} agents have no outgoing flow: {_listed(sinks)}",
        f"agent {sinks[1]!r}",
        "Only one agent may end the system: let the others flow to it, or all to one that combines them.",
        ("agent", position[sinks[1]]),
    )


def _bad_flow(index: int, flow: Flow, position: dict[str, int]) -> OrchestrationError:
    unknown = next((end for end in (flow.source, flow.target) if end not in position), None)
    if unknown is not None:
        rule, what = "unknown-agent", f"there is no agent {unknown!r}"
        hint = f"Declared agents: {_listed(list(position)) or 'none'}. Create it, or correct the name."
    elif flow.source == flow.target:
        rule, what = "self-loop", f"agent {flow.source!r} flows to itself"
        hint = "Leave this flow out: an agent cannot wait for its own answer."
    else:
        rule, what = "duplicate-flow", f"there is a second flow from {flow.source!r} to {flow.target!r}"
        hint = "Keep one of them; one payload can name several things."
    return OrchestrationError(rule, what, _name(flow), hint, ("flow", index))


def _cycle(
    position: dict[str, int], inputs: dict[str, list[Flow]], levels: tuple[tuple[str, ...], ...]
) -> OrchestrationError:
    finished = {agent for level in levels for agent in level}
    agent = next(agent for agent in position if agent not in finished)
    path: dict[str, None] = {}
    while agent not in path:
        path[agent] = None
        agent = next(flow.source for flow in inputs[agent] if flow.source not in finished)
    walked = list(path)
    ring = [agent, *reversed(walked[walked.index(agent) :])]
    return OrchestrationError(
        "cycle",
        f"agents wait for each other in a circle: {_chain(ring)}",
        f"agent {agent!r}",
        "Take out one of these flows, so that every agent can start once others have finished.",
        ("agent", position[agent]),
    )


def _dangling(agent: Agent, name: str, topology: Topology, subject: Subject) -> OrchestrationError:
    what = f"the goal refers to ${{{name}}}, but "
    if name == agent.id:
        rule, what = "self-reference", what + "that is this agent itself"
        hint = "Take the reference out: an agent cannot wait for its own answer."
    elif name in topology.position:
        rule, what = "reference-without-flow", what + f"nothing flows from {name!r}"
        hint = f"Add a flow from {name!r} to {agent.id!r}, or take the reference out."
    else:
        rule, what = "unknown-reference", what + f"there is no agent {name!r}"
        hint = "Create that agent and a flow from it, or take the reference out."
    return OrchestrationError(rule, what, f"agent {agent.id!r}", hint, subject)


def _is_unicode(*texts: str) -> bool:
    for text in texts:
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                return False
    return True


def _not_unicode(where: str, subject: Subject) -> OrchestrationError:
    return OrchestrationError(
        "not-unicode",
        "the text holds a lone surrogate (U+D800 to U+DFFF), half of a character",
        where,
        "Write the character itself.",
        subject,
    )


def _name(flow: Flow) -> str:
    return f"flow {flow.source!r} -> {flow.target!r}"


def _listed(names: list[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _chain(names: list[str], most: int = 8) -> str:
    return " -> ".join(names if len(names) <= most else [*names[:most], "...", names[-1]])
