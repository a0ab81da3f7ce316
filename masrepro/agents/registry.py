"""Which workflows can be run. A new sub-agent is one class and one `register`.

The catalogue (`masrepro.orchestration.catalogue`) says what may be written; the registry says what can act.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from masrepro.agents.agent import SubAgent
from masrepro.agents.cot import CoT
from masrepro.agents.cot_sc import CoTSC
from masrepro.agents.debate import Debate
from masrepro.agents.deep_research import DeepResearch
from masrepro.agents.reflexion import Reflexion
from masrepro.orchestration.catalogue import STANDARD, Catalogue

_SubAgent = TypeVar("_SubAgent", bound=SubAgent)

_BUILT_IN: tuple[SubAgent, ...] = (CoT(), CoTSC(), Debate(), Reflexion(), DeepResearch())
_REGISTERED: dict[str, SubAgent] = {built_in.workflow.name: built_in for built_in in _BUILT_IN}


class NoImplementation(LookupError):
    """No registered sub-agent runs this workflow."""


def register(sub_agent: _SubAgent) -> _SubAgent:
    """Make a sub-agent known by its workflow's name; a later one of the same name takes its place."""
    _REGISTERED[sub_agent.workflow.name] = sub_agent
    return sub_agent


def sub_agent(name: str, more: Mapping[str, SubAgent] | None = None) -> SubAgent:
    """The sub-agent that runs the workflow of that name.

    Parameters
    ----------
    name : str
        A workflow's name.
    more : mapping of str to SubAgent, optional
        Sub-agents by workflow name that go before the registered ones.

    Raises
    ------
    NoImplementation
        With what is registered and what was perhaps meant.
    """
    found = (more and more.get(name)) or _REGISTERED.get(name)
    if found is not None:
        return found
    known = {**_REGISTERED, **(more or {})}
    registered = f"registered: {', '.join(known)}"
    if STANDARD.workflow(name) is not None:
        raise NoImplementation(f"{name!r} is known but has no implementation registered; {registered}")
    meant = get_close_matches(name, known, n=1)
    suggestion = f", did you mean {meant[0]!r}?" if meant else ""
    raise NoImplementation(f"unknown workflow {name!r}{suggestion} ({registered})")


def registered_catalogue() -> Catalogue:
    """The standard catalogue with the workflows of all registered newcomers, to parse against."""
    catalogue = STANDARD
    for name, newcomer in _REGISTERED.items():
        if catalogue.workflow(name) is None:
            catalogue = catalogue.with_workflow(newcomer.workflow)
    return catalogue
