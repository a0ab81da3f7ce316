"""The ``calls`` notation: ``create_agent(...)`` and ``create_flow(...)`` in Python call syntax, never run as
Python.

The text is read with `ast`, and only calls of the primitives with literal, named arguments are understood.
Two liberties make the literals those that a language model means: a backslash that starts no Python escape
stays a backslash (``\\sqrt``), and a carriage return within a triple-quoted text stays one. ``from`` and
``to``, the paper's own names, stand for ``source`` and ``target``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial

from masrepro.orchestration.body import Body
from masrepro.orchestration.draft import Draft
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Agent, Flow, Orchestration
from masrepro.orchestration.script import Script, script_of
from masrepro.orchestration.signature import PRIMITIVES

Mark = Callable[[], str]

_PLAIN_CALL = re.compile(
    r'\n*(create_agent|create_flow)\(((?:[a-z]+="[^"\\\r\n\0\ud800-\udfff]*"(?:, |(?=\))))+)\)(?:\n+|\Z)'
)
_PLAIN_ARGUMENT = re.compile(r'([a-z]+)="([^"]*)"')
_PIECE_CHARS = 8_000
_PIECE_START = re.compile(r"(?:(?<=\)\n)|(?<=\)\r\n))(?=create_(?:agent|flow)\()")


def read(body: Body) -> Draft[Mark]:
    """Read calls, one after the other.

    Plain calls, whose texts need no syntax tree to be understood, are read at once; anything else goes
    through `ast` in pieces, because the tree of a whole 1,000-agent plan does not fit into a processor's
    cache. A piece begins where a line begins a call after one that ended, and so can go wrong only inside a
    text: then the piece before lacks its closing quote, and the rest is read as one.

    Raises
    ------
    OrchestrationError
        The text is no Python, or holds anything but calls of the primitives with literal, named arguments.
    """
    try:
        return _read(body, _PIECE_CHARS)
    except OrchestrationError as error:
        if error.rule != "syntax":
            raise
    return _read(body, len(body.text))


def write(plan: Orchestration) -> str:
    """The plan as calls, one a line; arguments that are at their defaults are left out, save the workflow."""
    if plan.answer is not None:
        return f"answer(text={_quoted(plan.answer)})"
    return "\n".join([*map(agent_call, plan.agents), *map(flow_call, plan.flows)])


def _read(body: Body, piece_chars: int) -> Draft[Mark]:
    draft: Draft[Mark] = Draft(lambda mark: mark())
    at = 0
    while at < len(body.text):
        plain = _PLAIN_CALL.match(body.text, at)
        if plain and _add_plain(plain, draft, body):
            at = plain.end()
        else:
            next_piece = _PIECE_START.search(body.text, at + piece_chars)
            end = next_piece.start() if next_piece else len(body.text)
            _add_calls(script_of(body, at, end), draft)
            at = end
    return draft


def _add_plain(call: re.Match[str], draft: Draft[Mark], body: Body) -> bool:
    """Add what a plain call builds; False for one that breaks a rule, which a `Script` can explain."""
    pairs = _PLAIN_ARGUMENT.findall(call[2])
    arguments = dict(pairs)
    if len(arguments) < len(pairs):
        return False
    try:
        part = PRIMITIVES[call[1]].bind(arguments, lambda argument: "")
    except OrchestrationError:
        return False
    draft.add(part, partial(body.place, call.start(1)))
    return True


def _add_calls(script: Script, draft: Draft[Mark]) -> None:
    for call, primitive in script.calls():
        part = primitive.bind(script.arguments(call), partial(script.place_of_argument, call))
        draft.add(part, partial(script.place, call.lineno, call.col_offset))


def agent_call(agent: Agent) -> str:
    """The call that creates an agent."""
    arguments = [f"id={_quoted(agent.id)}", f"role={_quoted(agent.role)}", f"goal={_quoted(agent.goal)}"]
    arguments.append(f"workflow={_quoted(agent.workflow)}")
    if agent.tools:
        arguments.append(f"tools=[{', '.join(map(_quoted, agent.tools))}]")
    if agent.roles:
        arguments.append(f"roles=[{', '.join(map(_quoted, agent.roles))}]")
    if agent.backbone is not None:
        arguments.append(f"backbone={_quoted(agent.backbone)}")
    return f"create_agent({', '.join(arguments)})"


def flow_call(flow: Flow) -> str:
    """The call that creates a flow."""
    payload = f", payload={_quoted(flow.payload)}" if flow.payload else ""
    return f"create_flow(source={_quoted(flow.source)}, target={_quoted(flow.target)}{payload})"


def _quoted(text: str) -> str:
    """A Python literal: every JSON text is one, and means the same."""
    return json.dumps(text, ensure_ascii=False)
