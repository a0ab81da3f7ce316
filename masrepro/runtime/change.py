"""What a rectifier may change about a system, and which finished work a change leaves good.

A change is local (a few fields of a few agents), global (another system), or none: the same system again. MAS²
(arXiv 2509.24323, section 3.1) lets its rectifier rewrite M_t to M_{t+1} and "resume from s_t"; what that means for
work that is done is not stated there, and is said here in `kept`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Agent, Orchestration

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Edit:
    """Other values for some fields of one agent; None leaves a field as it is.

    Parameters
    ----------
    id : str
        The agent's.
    role, goal, workflow, tools, roles, backbone
        As in `masrepro.orchestration.Agent`; an empty ``tools`` takes all away.
    """

    id: str
    role: str | None = None
    goal: str | None = None
    workflow: str | None = None
    tools: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    backbone: str | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """The same system once more, as one who does not repair would have it.

    Parameters
    ----------
    from_scratch : bool
        Forget everything that is finished; otherwise only what failed runs again, and what depends on it.
    """

    from_scratch: bool = False


Change = Sequence[Edit] | Orchestration | Again


def changed(plan: Orchestration, change: Change) -> Orchestration:
    """The system after a change.

    Raises
    ------
    OrchestrationError
        An edit is of an agent that is not there, or breaks a rule, such as a reference without its flow.
    """
    if isinstance(change, Orchestration):
        return change
    if isinstance(change, Again):
        return plan
    agents = {agent.id: agent for agent in plan.agents}
    for edit in change:
        if edit.id not in agents:
            hint = f"Change one of these: {', '.join(agents) or 'none, for this is a direct answer'}."
            raise OrchestrationError(
                "unknown-agent", f"there is no agent {edit.id!r}", f"the edit of {edit.id!r}", hint
            )
        agents[edit.id] = replace(agents[edit.id], **_values(edit))
    return Orchestration(tuple(agents.values()), plan.flows, plan.answer)


def kept(before: Orchestration, after: Orchestration, finished: Mapping[str, T], default: str) -> dict[str, T]:
    """The finished outputs that are good in another system as well: those of agents that would do just the same.

    An agent does the same if its own definition is unchanged, the same flows with the same payloads come to it, and
    all of them from agents that do the same. Ids name agents: another name makes another agent. The order in which
    flows are written has no meaning.

    Parameters
    ----------
    before, after : Orchestration
    finished : mapping of str to output
        By agent id of ``before``.
    default : str
        The pool's name of the model that an agent without a backbone runs on.
    """
    known = {agent.id: agent for agent in before.agents}
    good: dict[str, T] = {}
    for id in after.order:
        flows = set(after.inputs(id))
        unchanged = id in finished and _on(after.agent(id), default) == _on(known[id], default)
        if unchanged and flows == set(before.inputs(id)) and all(flow.source in good for flow in flows):
            good[id] = finished[id]
    return good


def without(plan: Orchestration, finished: Mapping[str, T], failed: frozenset[str]) -> dict[str, T]:
    """The finished outputs but those of some agents and of all that depend on them."""
    good: dict[str, T] = {}
    for id in plan.order:
        if id in finished and id not in failed and all(flow.source in good for flow in plan.inputs(id)):
            good[id] = finished[id]
    return good


def _values(edit: Edit) -> dict[str, Any]:
    values = {field.name: getattr(edit, field.name) for field in fields(edit) if field.name != "id"}
    return {name: value for name, value in values.items() if value is not None}


def _on(agent: Agent, default: str) -> Agent:
    return replace(agent, backbone=agent.backbone or default)
