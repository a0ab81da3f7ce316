"""An orchestration that is built turn by turn, in the ``calls`` notation: the language of a sequential orchestrator.

A turn is one of two things. It creates one agent, and a flow from each earlier agent whose answer that one is to see::

    create_agent(id="a2", role="solver", goal="Find the number of each Mill's Lamp.", workflow="cot")
    create_flow(source="a1", target="a2", payload="the number of each Mill's Drum")

Or it ends: ``answer(text="${a2}")`` names the agent whose answer is the system's. Where there is no agent yet,
``answer(text="7")`` is a direct answer. What has been built by then is an ordinary `Orchestration` and keeps its rules:
all agents lead to the one that is named. So a sequential orchestrator differs from a holistic one in what it has seen
when it goes on, and in nothing else. In ToolOrchestra (arXiv 2511.21689) too, the final answer is that of an expert
that is called last.

Not here: how an agent's answer comes back (`masrepro.runtime.growing`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from masrepro.orchestration import calls
from masrepro.orchestration.body import body_of
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.draft import Draft
from masrepro.orchestration.errors import OrchestrationError, Subject
from masrepro.orchestration.plan import Agent, Flow, Orchestration

_REFERENCE = re.compile(r"\s*\$\{(\w+)\}\s*", re.ASCII)
_ALONE = "End in a turn of its own, once you have seen what the last agent answers."
_END = 'End with answer(text="${{{}}}") in a turn of its own.'


@dataclass(frozen=True, slots=True)
class Partial:
    """A system under construction: agents in the order in which they were created, each after those that it hears."""

    agents: tuple[Agent, ...] = ()
    flows: tuple[Flow, ...] = ()

    @property
    def newest(self) -> Orchestration:
        """The agent that was created last, and all that lead to it: a whole system, of which it is the sink.

        Raises
        ------
        OrchestrationError
            That agent breaks a rule; the subject is its place in this system, or that of a flow.
        """
        heard = {agent.id for agent in self.agents[-1:]}
        for flow in reversed(self.flows):
            if flow.target in heard:
                heard.add(flow.source)
        agents = tuple(agent for agent in self.agents if agent.id in heard)
        return Orchestration(agents, tuple(flow for flow in self.flows if flow.target in heard))


def take_turn(
    text: str, before: Partial, dom: DoM = DoM.HIGH, *, catalogue: Catalogue = STANDARD
) -> Partial | Orchestration:
    """Read a turn. Nothing in the text is ever executed.

    Parameters
    ----------
    text : str
        The whole turn; thinking in front and a fence around are tolerated.
    before : Partial
        What the turns before have built.
    dom, catalogue
        As for `masrepro.parse`.

    Returns
    -------
    Partial or Orchestration
        With one agent more; or the whole, at the end.

    Raises
    ------
    OrchestrationError
        A rule is broken: which, where, and how to mend it. Those of `masrepro.parse` hold. ``several-agents``,
        ``no-agent``: a turn creates one. ``acted-already``: a flow leads to an agent that has acted. ``own-answer``,
        ``not-the-sink``: the end names no agent, or not the one to which all lead.
    """
    draft = calls.read(body_of(text))
    if draft.answer is not None:
        return _ended(draft, draft.answer, before)
    try:
        return _grown(draft, before, dom, catalogue)
    except OrchestrationError as error:
        raise (error.at(draft.place(error.subject)) if error.subject else error) from None


def turns_of(plan: Orchestration, order: Sequence[str] | None = None) -> list[str]:
    """A system as the turns that build it; the last one ends.

    Parameters
    ----------
    order : sequence of str, optional
        Ids of its agents, each after those that flow to it; by default level by level.
    """
    if plan.answer is not None:
        return [plan.to("calls")]
    built = [
        "\n".join([calls.agent_call(plan.agent(agent)), *map(calls.flow_call, plan.inputs(agent))])
        for agent in order or plan.order
    ]
    return [*built, f'answer(text="${{{plan.sink}}}")']


def _grown(draft: Draft[Any], before: Partial, dom: DoM, catalogue: Catalogue) -> Partial:
    if not draft.agents:
        hint = "Create an agent, and the flows to it; or end."
        raise OrchestrationError("no-agent", "the turn creates no agent", "the whole turn", hint)
    if len(draft.agents) > 1:
        what = f"the turn creates {len(draft.agents)} agents"
        hint = "Create one agent a turn: you see what it answers before you create the next."
        raise OrchestrationError("several-agents", what, _named(draft.agents[1]), hint, ("agent", 1))
    (agent,) = draft.agents
    if not dom.allows(len(before.agents) + 1):
        what = f"this is agent number {len(before.agents) + 1}, but the degree of MAS is {dom}"
        raise OrchestrationError("dom", what, _named(agent), dom.describe(), ("agent", 0))
    catalogue.check(draft.agents)
    _check_joins(agent, draft.flows, before)
    grown = Partial((*before.agents, agent), (*before.flows, *draft.flows))
    try:
        grown.newest  # noqa: B018
    except OrchestrationError as error:  # what earlier turns built was right, so that it is the agent or a flow to it
        raise OrchestrationError(error.rule, error.what, error.where, error.hint, ("agent", 0)) from None
    return grown


def _check_joins(agent: Agent, flows: list[Flow], before: Partial) -> None:
    """Whether the agent is new, and its flows come from earlier ones and lead to it."""
    known = [earlier.id for earlier in before.agents]
    if agent.id in known:
        hint = f"Give every agent an id of its own; taken are {', '.join(known)}."
        raise OrchestrationError("duplicate-id", f"{agent.id!r} has acted already", _named(agent), hint, ("agent", 0))
    for index, flow in enumerate(flows):
        where, subject = f"flow {flow.source!r} -> {flow.target!r}", _flow_at(index)
        if flow.target in known:
            hint = f"The flows of a turn lead to its own agent, {agent.id!r}."
            raise OrchestrationError("acted-already", f"{flow.target!r} has acted already", where, hint, subject)
        unknown = next((end for end in (flow.source, flow.target) if end not in (*known, agent.id)), None)
        if unknown is not None:
            hint = f"There are {', '.join((*known, agent.id))}."
            raise OrchestrationError("unknown-agent", f"there is no agent {unknown!r}", where, hint, subject)


def _ended(draft: Draft[Any], text: str, before: Partial) -> Orchestration:
    place = draft.place(("answer", 0))
    if draft.agents or draft.flows:
        what = "a turn both creates something and ends"
        raise OrchestrationError("answer-beside-agents", what, place, _ALONE)
    named = _REFERENCE.fullmatch(text)
    try:
        if not before.agents and not named:
            return Orchestration(answer=text)
        plan = Orchestration(before.agents, before.flows)
    except OrchestrationError as error:
        raise error.at(place) from None
    if named is None:
        what = "the end gives an answer of its own, but a system's answer is that of its last agent"
        raise OrchestrationError("own-answer", what, place, _END.format(plan.sink))
    if named[1] != plan.sink:
        what = f"the end names {named[1]!r}, but all agents lead to {plan.sink!r}"
        raise OrchestrationError("not-the-sink", what, place, _END.format(plan.sink))
    return plan


def _flow_at(index: int) -> Subject:
    return ("flow", index)


def _named(agent: Agent) -> str:
    return f"agent {agent.id!r}"
