"""From what a model wrote to an orchestration, or to the reason why not."""

from __future__ import annotations

from typing import Any, Literal, get_args

from masrepro.orchestration import calls, tool_calls, xml
from masrepro.orchestration.body import body_of
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.compat import read_as_released
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.draft import Draft
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Notation, Orchestration


def parse(
    text: str,
    notation: Notation = "calls",
    dom: DoM = DoM.HIGH,
    *,
    catalogue: Catalogue = STANDARD,
    compat: Literal["paper"] | None = None,
) -> Orchestration:
    """Read an orchestration. Nothing in the text is ever executed.

    Parameters
    ----------
    text : str
        A model's whole reply; thinking in front and a fence around are tolerated.
    notation : str
        "calls", "xml" or "tool_calls".
    dom : DoM
        The degree of MAS that the plan has to keep to.
    catalogue : Catalogue
        The workflows and tools that exist.
    compat : "paper" or None
        With "paper" (xml only), accept what the released MAS-Orchestra parser accepts; see the
        module `compat`.

    Raises
    ------
    OrchestrationError
        A rule is broken: which, where, and how to mend it.
    ValueError
        No such notation or compatibility mode: a fault of the caller, not of the text.
    """
    if compat is not None and (compat, notation) != ("paper", "xml"):
        raise ValueError(f"compat={compat!r} with notation={notation!r}: the only mode is 'paper', for 'xml'")
    if compat is None:
        return _build(_read(text, notation, catalogue), dom, catalogue)
    return _build(_read_as_released(text, dom, catalogue), dom, catalogue)


def write(plan: Orchestration, notation: Notation, dom: DoM = DoM.HIGH, catalogue: Catalogue = STANDARD) -> str:
    """The plan as text that `parse` reads back to the same plan; `Orchestration.to` is the short way here."""
    if notation == "calls":
        return calls.write(plan)
    if notation == "xml":
        return xml.write(plan, dom, catalogue)
    if notation == "tool_calls":
        return tool_calls.write(plan)
    raise _no_notation(notation)


def _build(draft: Draft[Any], dom: DoM, catalogue: Catalogue) -> Orchestration:
    try:
        _check_dom(draft, dom)
        catalogue.check(draft.agents)
        return Orchestration(tuple(draft.agents), tuple(draft.flows), draft.answer, tuple(draft.warnings))
    except OrchestrationError as error:
        raise (error.at(draft.place(error.subject)) if error.subject else error) from None


def _read(text: str, notation: Notation, catalogue: Catalogue) -> Draft[Any]:
    if notation == "calls":
        return calls.read(body_of(text))
    if notation == "xml":
        return xml.read(body_of(text), catalogue)
    if notation == "tool_calls":
        return tool_calls.read(body_of(text))
    raise _no_notation(notation)


def _read_as_released(text: str, dom: DoM, catalogue: Catalogue) -> Draft[int]:
    """Read leniently; what strict parsing would have refused the text for is the first of the warnings."""
    draft = read_as_released(text, dom, catalogue)
    try:
        parse(text, "xml", dom, catalogue=catalogue)
    except OrchestrationError as error:
        draft.warnings.insert(0, f"strict parsing refuses this: {error}")
    return draft


def _no_notation(notation: str) -> ValueError:
    return ValueError(f"no notation {notation!r}: use one of {', '.join(get_args(Notation))}")


def _check_dom(draft: Draft[Any], dom: DoM) -> None:
    n_agents = len(draft.agents)
    if not dom.allows(n_agents):
        raise OrchestrationError(
            "dom",
            f"there are {n_agents} agents, but the degree of MAS is {dom}",
            f"agent {draft.agents[dom.max_agents or 0].id!r}",
            dom.describe(),
            ("agent", dom.max_agents or 0),
        )
