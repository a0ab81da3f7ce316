"""The ``xml`` notation: the tags that the released MAS-Orchestra checkpoints write (arXiv 2601.14652,
official code).

HIGH form: agents with an ``<agent_id>``, then one ``<edge>`` of alternating ``<from>`` and ``<to>``. LOW
form: one agent with an ``<agent_output_id>``, and an ``<answer>`` that names it; or an ``<answer>`` alone,
which is the direct answer. Both are read at every degree of MAS, and `write` gives a single agent in HIGH
form unless it is told `DoM.LOW`.

``<agent_name>`` is the workflow, ``<agent_description>`` the role and ``<agent_input>`` the goal; an input
that is blank or ``""`` is the original question. What the checkpoints have no tag for has one of ours:
``<agent_tools>`` (a JSON list) and ``<agent_backbone>`` in an agent, ``<payload>`` after a ``<to>``. An edge
needs its ``${reference}`` in the target's input, unless it has a payload, even an empty one: that is then
what arrives.

Text stands for itself: ``<``, ``&`` and ``&lt;`` arrive as they are written. A text that holds one of these
tags, or begins or ends in a way that reading would change, is written as XML's ``<![CDATA[...]]>``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from masrepro.orchestration.body import Body
from masrepro.orchestration.catalogue import Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.draft import Draft
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Agent, Flow, Orchestration
from masrepro.orchestration.tags import Content, Scanner, Tag, is_marked, verbatim
from masrepro.orchestration.topology import references

_TOP = ("agent", "edge", "answer", "thinking", "think")
_FIELDS = (
    "agent_id",
    "agent_name",
    "agent_description",
    "required_arguments",
    "agent_output_id",
    "agent_tools",
    "agent_backbone",
)
_ARGUMENTS = ("agent_input", "debate_roles")
_EDGE = ("from", "to", "payload")
_OWN_TAG = re.compile(rf"</?(?:{'|'.join((*_TOP, *_FIELDS, *_ARGUMENTS, *_EDGE))})>")
_STRUCTURE = re.compile(rf"</?(?:{'|'.join(('agent', 'edge', *_FIELDS, *_ARGUMENTS))})>")
_ORIGINAL_QUESTION = ("", '""')


@dataclass(slots=True)
class _Found:
    """What has been read so far, with the offsets that errors need."""

    draft: Draft[int]
    low_form: bool = False
    edge_seen: bool = False
    without_payload: list[int] = field(default_factory=list)
    answer: Content | None = None


def read(body: Body, catalogue: Catalogue) -> Draft[int]:
    """Read agents, the edge block and the answer, in any order; thinking between them is passed over.

    Raises
    ------
    OrchestrationError
        Tags do not match, are unknown, missing or repeated; there is text between them; ``<from>`` and
        ``<to>`` do not alternate; an edge has neither reference nor payload; the answer does not name the
        agent's output.
    """
    found = _Found(Draft(body.place))
    scanner = Scanner(body)
    while tag := scanner.opening(None, _TOP):
        if tag.name == "agent":
            _read_agent(scanner, tag, found, catalogue)
        elif tag.name == "edge":
            _read_edge(scanner, tag, found)
        elif tag.name == "answer":
            _read_answer(scanner, tag, found)
        else:
            scanner.skip(tag)
    _check_references(found, body)
    _settle_answer(found, body)
    return found.draft


def write(plan: Orchestration, dom: DoM, catalogue: Catalogue) -> str:
    """The plan in tags, in LOW form for a single agent at `DoM.LOW` and in HIGH form otherwise.

    Raises
    ------
    OrchestrationError
        A workflow is not in the catalogue and so has no name in this notation.
    """
    if plan.answer is not None:
        is_plain = plan.answer == plan.answer.strip()
        return f"<answer>{_text(plan.answer, is_plain)}</answer>"
    if dom == DoM.LOW and len(plan.agents) == 1:
        agent = plan.agents[0]
        return f"{_agent(agent, 'agent_output_id', catalogue)}\n<answer>{agent.id}</answer>"
    agents = [_agent(agent, "agent_id", catalogue) for agent in plan.agents]
    if not plan.flows:
        return "\n".join(agents)
    referred = {agent.id: frozenset(references(agent.goal)) for agent in plan.agents}
    edges = [_edge(flow, flow.source in referred[flow.target]) for flow in plan.flows]
    return "\n".join([*agents, "<edge>", *edges, "</edge>"])


def _read_agent(scanner: Scanner, opened: Tag, found: _Found, catalogue: Catalogue) -> None:
    fields = _fields(scanner, opened, _FIELDS)
    id_tag = "agent_id" if "agent_id" in fields or "agent_output_id" not in fields else "agent_output_id"
    agent_id = fields[id_tag].text.strip() if id_tag in fields else ""
    of = f"agent {agent_id!r}" if agent_id else f"agent number {len(found.draft.agents) + 1}"
    _check_fields(fields, id_tag, opened, scanner.body, of)
    given = fields["agent_input"]
    agent = Agent(
        agent_id,
        fields["agent_description"].text,
        "" if not given.verbatim and given.text.strip() in _ORIGINAL_QUESTION else given.text,
        _workflow(fields["agent_name"], catalogue, scanner.body, of),
        _list(fields, "agent_tools", scanner.body, of),
        _list(fields, "debate_roles", scanner.body, of),
        fields["agent_backbone"].text if "agent_backbone" in fields else None,
    )
    found.draft.add(agent, opened.start)
    found.low_form = found.low_form or id_tag == "agent_output_id"


def _check_fields(fields: dict[str, Content], id_tag: str, opened: Tag, body: Body, of: str) -> None:
    required = (id_tag, "agent_name", "agent_description", "required_arguments", "agent_input")
    if missing := [tag for tag in required if tag not in fields]:
        what = f"the agent lacks {' and '.join(f'<{tag}>' for tag in missing)}"
        raise body.error("missing-tag", what, opened.start, "Write every tag; a text may be empty.", of)
    if "agent_id" in fields and "agent_output_id" in fields:
        what = "the agent has both <agent_id> and <agent_output_id>"
        hint = "Keep <agent_id>, or write the agent with <agent_output_id> and an <answer> that names it."
        raise body.error("two-ids", what, opened.start, hint, of)


def _workflow(name: Content, catalogue: Catalogue, body: Body, of: str) -> str:
    workflow = catalogue.workflow_of_xml(name.text.strip())
    if workflow is None:
        what = f"there is no agent_name {name.text.strip()!r}"
        hint = f"Use one of {', '.join(workflow.xml_name for workflow in catalogue.workflows)}."
        raise body.error("unknown-workflow", what, name.start, hint, of)
    return workflow.name


def _fields(scanner: Scanner, opened: Tag, allowed: tuple[str, ...]) -> dict[str, Content]:
    """The fields of an agent; those of its required arguments stand among them."""
    fields: dict[str, Content] = {}
    while tag := scanner.opening(opened, allowed):
        if tag.name in fields:
            hint = f"Keep one <{tag.name}>."
            raise scanner.body.error("repeated-tag", f"<{tag.name}> comes twice in one agent", tag.start, hint)
        if tag.name == "required_arguments":
            fields |= _fields(scanner, tag, _ARGUMENTS)
            fields[tag.name] = Content("", tag.start, False)
        else:
            fields[tag.name] = scanner.content(tag, _STRUCTURE)
    return fields


def _list(fields: dict[str, Content], name: str, body: Body, of: str) -> tuple[str, ...]:
    content = fields.get(name)
    if content is None:
        return ()
    try:
        items = json.loads(content.text)
    except (ValueError, RecursionError):
        items = None
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        what = f"<{name}> holds no list of texts"
        raise body.error("wrong-type", what, content.start, 'Write a JSON list, such as ["one", "two"].', of)
    return tuple(items)


def _read_edge(scanner: Scanner, opened: Tag, found: _Found) -> None:
    if found.edge_seen:
        hint = "Put all pairs of <from> and <to> into one <edge>."
        raise scanner.body.error("repeated-tag", "there is a second <edge>", opened.start, hint)
    found.edge_seen = True
    tag = scanner.opening(opened, _EDGE)
    while tag:
        start = tag.start
        source = _end_of_edge(scanner, tag, "from")
        tag = scanner.opening(opened, _EDGE)
        target = _end_of_edge(scanner, tag or Tag("/edge", scanner.at - len("</edge>")), "to")
        payload = None
        tag = scanner.opening(opened, _EDGE)
        if tag and tag.name == "payload":
            payload = scanner.content(tag, _OWN_TAG).text
            tag = scanner.opening(opened, _EDGE)
        if payload is None:
            found.without_payload.append(len(found.draft.flows))
        found.draft.add(Flow(source, target, payload or ""), start)


def _end_of_edge(scanner: Scanner, tag: Tag, expected: str) -> str:
    if tag.name != expected:
        what = f"<{tag.name}> stands where <{expected}> is needed"
        hint = "Write <from>source</from><to>target</to> for every flow, always in pairs."
        raise scanner.body.error("unpaired-edge", what, tag.start, hint)
    return scanner.content(tag, _OWN_TAG).text.strip()


def _read_answer(scanner: Scanner, opened: Tag, found: _Found) -> None:
    if found.answer:
        raise scanner.body.error("repeated-answer", "there is a second <answer>", opened.start, "Answer once.")
    found.answer = scanner.content(opened, _STRUCTURE)


def _check_references(found: _Found, body: Body) -> None:
    referred = {agent.id: frozenset(references(agent.goal)) for agent in found.draft.agents}
    for index in found.without_payload:
        flow = found.draft.flows[index]
        if flow.target in referred and flow.source not in referred[flow.target]:
            raise body.error(
                "flow-without-reference",
                f"the <agent_input> of {flow.target!r} has no ${{{flow.source}}}, so nothing would arrive",
                found.draft.flow_marks[index],
                f"Refer to ${{{flow.source}}} there, or leave the edge out.",
                f"flow {flow.source!r} -> {flow.target!r}",
            )


def _settle_answer(found: _Found, body: Body) -> None:
    """In LOW form the answer names the agent's output; only without agents is it the direct answer."""
    draft = found.draft
    given = found.answer
    if len(draft.agents) == 1 and found.low_form:
        output = draft.agents[0].id
        hint = f"Write <answer>{output}</answer>."
        if given is None:
            start = draft.agent_marks[0]
            raise body.error("missing-answer", "there is no <answer>", start, hint, f"agent {output!r}")
        if given.text.strip() != output:
            what = f"the answer {given.text.strip()[:40]!r} does not name the agent's output {output!r}"
            raise body.error("answer-mismatch", what, given.start, hint)
    elif given is not None:
        draft.add(given.text if given.verbatim else given.text.strip(), given.start)


def _agent(agent: Agent, id_tag: str, catalogue: Catalogue) -> str:
    workflow = catalogue.workflow(agent.workflow)
    if workflow is None:
        what = f"workflow {agent.workflow!r} has no agent_name, not being in the catalogue"
        hint = "Hand over the catalogue that holds it."
        raise OrchestrationError("unknown-workflow", what, f"agent {agent.id!r}", hint)
    is_plain = not agent.goal or agent.goal.strip() not in _ORIGINAL_QUESTION
    lines = [
        "<agent>",
        f"  <{id_tag}>{agent.id}</{id_tag}>",
        f"  <agent_name>{workflow.xml_name}</agent_name>",
        f"  <agent_description>{_text(agent.role)}</agent_description>",
        "  <required_arguments>",
        f"    <agent_input>{_text(agent.goal, is_plain)}</agent_input>",
        f"    <debate_roles>{_json_list(agent.roles)}</debate_roles>" if agent.roles else "",
        "  </required_arguments>",
        f"  <agent_tools>{_json_list(agent.tools)}</agent_tools>" if agent.tools else "",
        f"  <agent_backbone>{_text(agent.backbone)}</agent_backbone>" if agent.backbone is not None else "",
        "</agent>",
    ]
    return "\n".join(line for line in lines if line)


def _edge(flow: Flow, is_referred: bool) -> str:
    payload = "" if is_referred and not flow.payload else f"<payload>{_text(flow.payload)}</payload>"
    return f"<from>{flow.source}</from><to>{flow.target}</to>{payload}"


def _text(text: str, is_plain: bool = True) -> str:
    return text if is_plain and not is_marked(text) and not _OWN_TAG.search(text) else verbatim(text)


def _json_list(items: tuple[str, ...]) -> str:
    """JSON without ``<``, so that no item can hold a tag."""
    return json.dumps(items, ensure_ascii=False).replace("<", "\\u003c")
