"""What a rectifier writes: edits in Python call syntax, a whole new system, or that there is nothing to change.

``change_agent(id="a1", goal="...", backbone="...")`` names an agent and the fields that get other values; it is read as
``create_agent`` is, with `ast` and literals only, and never run. The published rectifier of MAS² (arXiv 2509.24323,
appendix B) writes the whole corrected program instead, whatever small part of it was at fault.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from functools import partial

from masrepro.orchestration.body import body_of
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.parse import parse
from masrepro.orchestration.plan import Orchestration
from masrepro.orchestration.script import script_of
from masrepro.orchestration.signature import Parameter, Primitive
from masrepro.runtime.change import Change, Edit

NOTHING = "nothing to change"
CHANGE_AGENT = Primitive(
    "change_agent",
    "Give an agent other values; what is left out stays as it is.",
    (
        Parameter("id", "text", True, "The agent's."),
        Parameter("role", "text", False, "Who the agent is."),
        Parameter("goal", "text", False, "What it is to find out."),
        Parameter("workflow", "text", False, "How it works."),
        Parameter("tools", "texts", False, "The tools that it may use; an empty list for none."),
        Parameter("roles", "texts", False, "The debaters, for a workflow that needs them."),
        Parameter("backbone", "text", False, "The model that it runs on."),
    ),
    Edit,
)

_CHANGES = re.compile(r"\s*change_agent\b")
_HINT = f"Write nothing but calls of change_agent, one a line; or a whole new system; or: {NOTHING}"


def read_change(text: str, *, catalogue: Catalogue = STANDARD) -> Change | None:
    """Read a rectifier's reply; None where it says that there is nothing to change.

    Parameters
    ----------
    text : str
        The whole reply; thinking in front and a fence around are tolerated.
    catalogue : Catalogue
        The workflows and tools that a new system may name.

    Raises
    ------
    OrchestrationError
        It is none of the three: which rule is broken, where, and how to mend it.
    """
    body = body_of(text)
    if body.text.strip().rstrip(".").casefold() == NOTHING:
        return None
    if not _CHANGES.match(body.text):
        return parse(text, catalogue=catalogue)
    script = script_of(body, 0, len(body.text), {CHANGE_AGENT.name: CHANGE_AGENT}, _HINT)
    edits: dict[str, Edit] = {}
    for call, primitive in script.calls():
        place = script.place(call.lineno, call.col_offset)
        edit: Edit = primitive.bind(script.arguments(call), partial(script.place_of_argument, call))
        if edit.id in edits:
            hint = "Put all changes of one agent into one call."
            raise OrchestrationError("repeated-agent", f"{edit.id!r} is changed twice", place, hint)
        if edit == Edit(edit.id):
            hint = f"Give a field and its new value, or write: {NOTHING}"
            raise OrchestrationError("no-change", f"nothing of {edit.id!r} is changed", place, hint)
        edits[edit.id] = edit
    return list(edits.values())


def write_change(change: list[Edit] | Orchestration | None) -> str:
    """A change as text that `read_change` reads back to the same."""
    if change is None:
        return NOTHING
    return change.to("calls") if isinstance(change, Orchestration) else "\n".join(map(_call, change))


def _call(edit: Edit) -> str:
    values = {field.name: getattr(edit, field.name) for field in fields(edit)}
    given = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in values.items() if value is not None)
    return f"change_agent({', '.join(given)})"
