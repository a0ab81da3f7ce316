"""``compat="paper"``: the ``xml`` notation as the released MAS-Orchestra parser takes it, leniencies and all.

For measuring released checkpoints as their authors did. What their parser lets pass is read as it reads it,
and each leniency becomes a warning of the plan: agents quoted inside the thinking count; of several agents
with one id, several fields of one name or several edge blocks the first is taken; ``<from>`` and ``<to>``
pair up in order, and surplus ones are dropped; unclosed fields end at the next tag; agents with neither id
nor name, or with bad debate roles, are dropped; text between tags and the tags of our own are ignored;
at `DoM.LOW` only the first agent is used, whatever the answer says.

A plan has to run, so three things are put in our terms: a character that an id cannot hold becomes ``_``; a
reference to an agent that ran before without an edge, which the released code fills in, gets its flow; an
edge without a reference, which there only orders two agents, is a flow like any other. A reference that the
released code leaves as it is stays plain text.

What passes the released parser only to fail when it runs is rejected: unknown agent names, and a DebateAgent
without roles. So is a reply with neither agent nor answer, which the released code grades whole, as if it
were the answer.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace

from masrepro.orchestration import loose_tags
from masrepro.orchestration.body import Body, check_length
from masrepro.orchestration.catalogue import Catalogue, Workflow
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.draft import Draft
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.loose_tags import Field, field
from masrepro.orchestration.plan import Agent, Flow
from masrepro.orchestration.topology import references, topology_of

_FINAL_MARKER = re.compile(r"\\?(?:<\|?)?\bassistant[\s_-]*final\b(?:\|?>)?", re.IGNORECASE)
_ANY_CASE = re.compile(r"</?(?:agent|edge|from|to|answer|thinking|required_|debate_)[a-z_]*>", re.IGNORECASE)
_OURS = re.compile(r"<payload>|<agent_tools>|<agent_backbone>|<!\[CDATA\[")
_NOT_IN_ID = re.compile(r"[^A-Za-z0-9_]")
_LOOSE_REFERENCE = re.compile(r"\$\{([^{}]*)\}")
_FIELDS = ("agent_id", "agent_name", "agent_description", "required_arguments", "agent_input", "debate_roles")


def read_as_released(reply: str, dom: DoM, catalogue: Catalogue) -> Draft[int]:
    """Read a reply in the manner of the released parser.

    Raises
    ------
    OrchestrationError
        The released parser would refuse the reply too, or its plan would fail as soon as it runs.
    """
    check_length(reply)
    markers = list(_FINAL_MARKER.finditer(reply))
    start = markers[-1].end() if markers and reply[markers[-1].end() :].strip() else 0
    body = Body(reply[start:], reply, start)
    draft: Draft[int] = Draft(body.place)
    if start:
        draft.warn("everything before the last assistantfinal marker is ignored")
    if odd := next((tag for tag in _ANY_CASE.findall(body.text) if tag != tag.lower()), None):
        draft.warn(f"tags count in any case: {odd}")
    if ours := _OURS.search(body.text):
        draft.warn(f"{ours[0]} means nothing to the released parser")
    if dom == DoM.LOW:
        _read_low(body, draft, catalogue)
    else:
        _read_high(body, draft, catalogue)
    if loose_tags.has_stray_text(body.text):
        draft.warn("text outside of the tags is ignored")
    return draft


def _read_low(body: Body, draft: Draft[int], catalogue: Catalogue) -> None:
    name = field(body.text, "agent_name")
    if not name or not name.text:
        _read_direct_answer(body, draft)
        return
    arguments = field(body.text, "required_arguments")
    if not arguments or not arguments.text:
        hint = "Write <required_arguments> with an <agent_input>."
        raise body.error("missing-tag", "the agent lacks <required_arguments>", name.start, hint)
    workflow = catalogue.workflow_of_xml(name.text)
    if workflow is None:
        raise _unknown_name(body, name, catalogue)
    output = field(body.text, "agent_output_id")
    agent = _agent(output.text if output and output.text else "agent", workflow, body.text, draft)
    if agent is None:
        hint = "Write a JSON list of two or more names."
        raise body.error("too-few-roles", "the debate roles are no list of names", name.start, hint)
    agent = replace(agent, id=_plain_id(agent.id, set(), draft))
    _note_thinking(body, draft, [(name.start, agent.id)])
    if loose_tags.count(body.text, "agent_name") > 1:
        draft.warn("only the first agent is used")
    answer = field(body.text, "answer")
    if answer is None or output is None or answer.text != output.text:
        draft.warn("the answer does not name the agent's output, which is taken all the same")
    draft.add(agent, name.start)


def _read_high(body: Body, draft: Draft[int], catalogue: Catalogue) -> None:
    ids: dict[str, str] = {}
    taken: set[str] = set()
    counted: list[tuple[int, str]] = []
    blocks = list(loose_tags.spans(body.text, "agent"))
    for start, end in blocks:
        agent = _agent_of_block(body, start, end, draft, catalogue)
        if agent is None:
            continue
        counted.append((start, agent.id))
        if agent.id in ids:
            draft.warn(f"a second agent {agent.id!r} is dropped")
            continue
        ids[agent.id] = _plain_id(agent.id, taken, draft)
        draft.add(agent, start)
    if len(blocks) < loose_tags.count(body.text, "agent"):
        draft.warn("an <agent> that is not closed, or opens within another, is ignored")
    if not counted:
        _read_direct_answer(body, draft)
        return
    _note_thinking(body, draft, counted)
    if field(body.text, "answer"):
        draft.warn("the answer beside agents is ignored")
    _read_edges(body, draft, ids)
    if len(counted) > 1 and not draft.flows:
        hint = "Write the pairs of <from> and <to> that join them into one <edge>."
        raise body.error("disconnected", f"there are {len(counted)} agents but no edge", counted[0][0], hint)
    draft.agents = [_with_plain_ids(agent, ids) for agent in draft.agents]
    _resolve_references(draft)


def _agent_of_block(body: Body, start: int, end: int, draft: Draft[int], catalogue: Catalogue) -> Agent | None:
    block = body.text[start:end]
    agent_id, name = field(block, "agent_id"), field(block, "agent_name")
    if not agent_id or not agent_id.text or not name or not name.text:
        draft.warn("an agent without id or name is dropped")
        return None
    workflow = next((w for w in catalogue.workflows if w.xml_name.lower() == name.text.lower()), None)
    if workflow is None:
        raise _unknown_name(body, name._replace(start=start + name.start), catalogue)
    if name.text != workflow.xml_name:
        draft.warn(f"the agent name {name.text!r} counts as {workflow.xml_name}")
    return _agent(agent_id.text, workflow, block, draft)


def _read_direct_answer(body: Body, draft: Draft[int]) -> None:
    answer = field(body.text, "answer")
    if answer is None or not answer.text:
        hint = "Write at least one whole <agent>, or an <answer>."
        raise body.error("nothing-built", "there is neither an agent nor an answer", 0, hint)
    if not answer.closed:
        draft.warn("the answer is not closed and ends at the next tag or with the text")
    draft.add(answer.text, answer.start)


def _agent(agent_id: str, workflow: Workflow, block: str, draft: Draft[int]) -> Agent | None:
    """The agent of a block; None if its debate roles are not what the released parser requires."""
    description = field(block, "agent_description")
    arguments = field(block, "required_arguments")
    within = arguments.text if arguments else ""
    given = field(within, "agent_input")
    roles = field(within, "debate_roles")
    for name in _FIELDS:
        found = field(block, name)
        if found and not found.closed:
            draft.warn(f"<{name}> of {agent_id!r} is not closed and ends at the next tag")
        if loose_tags.count(block, name) > 1:
            draft.warn(f"<{name}> comes more than once, and the first counts for {agent_id!r}")
    agent = Agent(
        agent_id,
        description.text if description else "",
        "" if given is None or given.text == '""' else given.text,
        workflow.name,
    )
    if roles is None or not roles.text:
        return agent
    if not workflow.needs_roles:
        draft.warn(f"the debate roles of {agent_id!r}, a {workflow.xml_name}, are ignored")
        return agent
    names, is_json = loose_tags.list_in(roles.text)
    if names and not is_json:
        draft.warn(f"the debate roles of {agent_id!r} are a Python list, not JSON")
    if len(names) < 2 or not all(isinstance(name, str) and len(name) > 1 for name in names):
        draft.warn(f"agent {agent_id!r} is dropped for its debate roles")
        return None
    return replace(agent, roles=tuple(map(str, names)))


def _read_edges(body: Body, draft: Draft[int], ids: dict[str, str]) -> None:
    edge = field(body.text, "edge")
    if edge is None:
        return
    if not edge.closed:
        draft.warn("the edge block is not closed and ends at the next tag")
    if loose_tags.count(body.text, "edge") > 1:
        draft.warn("a second edge block is ignored")
    ends = {name: list(loose_tags.spans(edge.text, name)) for name in ("from", "to")}
    if len(ends["from"]) != len(ends["to"]):
        draft.warn("surplus <from> or <to> tags are dropped")
    seen: set[tuple[str, str]] = set()
    last_end = 0
    for source_span, target_span in zip(ends["from"], ends["to"], strict=False):
        if not last_end <= source_span[0] < target_span[0]:
            draft.warn("<from> and <to> do not alternate, and are paired in order")
        last_end = target_span[1]
        source, target = (edge.text[slice(*span)].strip() for span in (source_span, target_span))
        flow = Flow(ids.get(source, source), ids.get(target, target))
        if (flow.source, flow.target) in seen:
            draft.warn(f"a second {_edge(flow)} is dropped")
            continue
        seen.add((flow.source, flow.target))
        draft.add(flow, edge.start)


def _resolve_references(draft: Draft[int]) -> None:
    """Add the flows that references without an edge stand for, where the agent they name has run before."""
    try:
        topology = topology_of(draft.agents, draft.flows)
    except OrchestrationError:
        return  # the plan is refused for that very reason once it is built
    rank = {agent: n for n, agent in enumerate(agent for level in topology.levels for agent in level)}
    for index, agent in enumerate(draft.agents):
        sources = {flow.source for flow in topology.inputs[agent.id]}
        referred = dict.fromkeys(references(agent.goal))
        for name in referred:
            if name not in sources and rank.get(name, len(rank)) < rank[agent.id]:
                draft.warn(f"${{{name}}} in {agent.id!r} has no edge, but {name!r} ran before: a flow")
                draft.add(Flow(name, agent.id), draft.agent_marks[index])
            elif name not in sources:
                draft.warn(f"${{{name}}} in {agent.id!r} refers to nothing and stays as it is")
        for flow in topology.inputs[agent.id]:
            if flow.source not in referred:
                draft.warn(f"{_edge(flow)} has no reference: there it only orders the two")


def _note_thinking(body: Body, draft: Draft[int], counted: list[tuple[int, str]]) -> None:
    thoughts = list(loose_tags.spans(body.text, "thinking"))
    begins = [begin for begin, _ in thoughts]
    for start, agent_id in counted:
        before = bisect_right(begins, start)
        if before and start < thoughts[before - 1][1]:
            draft.warn(f"agent {agent_id!r} is only quoted in the thinking, and counts")


def _plain_id(written: str, taken: set[str], draft: Draft[int]) -> str:
    base = _NOT_IN_ID.sub("_", written)
    plain, number = base, len(taken) + 1
    while plain in taken:
        plain, number = f"{base}_{number}", number + 1
    taken.add(plain)
    if plain != written:
        draft.warn(f"the id {written!r} becomes {plain!r}")
    return plain


def _with_plain_ids(agent: Agent, ids: dict[str, str]) -> Agent:
    def plain(reference: re.Match[str]) -> str:
        return f"${{{ids.get(reference[1], reference[1])}}}"

    return replace(agent, id=ids[agent.id], goal=_LOOSE_REFERENCE.sub(plain, agent.goal))


def _edge(flow: Flow) -> str:
    return f"edge {flow.source!r} -> {flow.target!r}"


def _unknown_name(body: Body, name: Field, catalogue: Catalogue) -> OrchestrationError:
    hint = f"Use one of {', '.join(workflow.xml_name for workflow in catalogue.workflows)}."
    what = f"there is no agent_name {name.text!r}, so the released code fails when it comes to run it"
    return body.error("unknown-workflow", what, name.start, hint)
