"""What an implementer writes: the model of each agent, phi: R -> L of MAS² (arXiv 2509.24323, section 3.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from masrepro.orchestration.body import Body, body_of
from masrepro.orchestration.errors import OrchestrationError

_LINE = re.compile(r"\s*([A-Za-z0-9_]+)\s*:\s*(\S(?:.*\S)?)\s*")


def read_assignment(text: str, agents: Iterable[str], models: Iterable[str]) -> dict[str, str]:
    """Model by agent id: a line ``a1: name`` for each agent, or one JSON object.

    Parameters
    ----------
    text : str
        The whole reply; thinking in front and a fence around are tolerated.
    agents, models : iterable of str
        Ids and names that there are; every agent gets one model.

    Raises
    ------
    OrchestrationError
        ``syntax``, ``unknown-agent``, ``unknown-backbone``, ``repeated-agent``, ``missing-agent``: where, and how to
        mend it.
    """
    agents, models = list(agents), list(models)
    body = body_of(text)
    pairs = _object(body) if body.text.lstrip().startswith("{") else _lines(body)
    assigned: dict[str, str] = {}
    for agent, model, place in pairs:
        if agent not in agents:
            hint = f"The agents are {', '.join(agents)}."
            raise OrchestrationError("unknown-agent", f"there is no agent {agent!r}", place, hint)
        if agent in assigned:
            raise OrchestrationError("repeated-agent", f"{agent!r} comes twice", place, "Give each agent once.")
        if model not in models:
            hint = f"Use one of: {', '.join(models)}."
            raise OrchestrationError("unknown-backbone", f"the model {model!r} is not in the pool", place, hint)
        assigned[agent] = model
    missing = [agent for agent in agents if agent not in assigned]
    if missing:
        hint = f"Add a line such as {missing[0]}: {models[0]}"
        raise OrchestrationError("missing-agent", f"no model is assigned to {', '.join(missing)}", "the end", hint)
    return assigned


def write_assignment(assigned: Mapping[str, str]) -> str:
    """Models by agent id as lines that `read_assignment` reads back to the same."""
    return "\n".join(f"{agent}: {model}" for agent, model in assigned.items())


def _lines(body: Body) -> list[tuple[str, str, str]]:
    """Agent, model and place of each line."""
    pairs, offset = [], 0
    for line in body.text.splitlines(keepends=True):
        found = _LINE.fullmatch(line)
        if found:
            pairs.append((found[1], found[2], body.place(offset)))
        elif line.strip():
            raise body.error("syntax", f"{line.strip()[:40]!r} is no assignment", offset, "Write a1: name, one a line.")
        offset += len(line)
    return pairs


def _object(body: Body) -> list[tuple[str, str, str]]:
    """Agent, model and place of each pair of a JSON object."""
    place = body.place(0)
    hint = 'Write an object of texts, such as {"a1": "name"}, or lines such as a1: name'
    try:
        pairs = json.loads(body.text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise OrchestrationError("syntax", f"this is no JSON: {error}", place, hint) from None
    for pair in pairs:
        if not (isinstance(pair, tuple) and isinstance(pair[1], str)):
            raise OrchestrationError("syntax", "not every value is the name of a model", place, hint)
    return [(agent, model, place) for agent, model in pairs]
