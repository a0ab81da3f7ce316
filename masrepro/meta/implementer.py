"""A language model as implementer (MAS², arXiv 2509.24323, section 3.1): it assigns a backbone to each agent.

It sees the template and the pool L, and writes phi: R -> L, a line an agent. The paper's implementer copies the whole
program with names filled in, and its prompt has a few words on each model but no prices.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from masrepro.meta.rectifier import offered
from masrepro.models.model import Completion, Message, Model, Pool, Sampling
from masrepro.orchestration.body import Body, body_of
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.change import Edit, changed

_LINE = re.compile(r"\s*([A-Za-z0-9_]+)\s*:\s*(\S(?:.*\S)?)\s*")
_RULES = (
    "Each agent of the system below is to run on one of the models. Assign a model to every agent: able enough for its "
    "goal, and no dearer than that takes. Prices are in US dollars per million tokens, prompt / completion. Write one "
    "line for each agent and nothing else, such as\na1: {name}"
)


@dataclass(frozen=True, slots=True)
class Implementer:
    """A model that is asked for assignments.

    Parameters
    ----------
    model : Model
    pool : Pool
        What may be assigned.
    abilities : mapping of str to str
        What each is good at, in words, by name; may be empty.
    """

    model: Model
    pool: Pool
    abilities: Mapping[str, str] = field(default_factory=dict)

    async def ask(self, question: str, template: Orchestration, sampling: Sampling) -> Completion:
        """What the model writes for a template.

        Raises
        ------
        ModelError
            It could not be asked.
        """
        return await self.model.complete(self.messages(question, template), sampling)

    def messages(self, question: str, template: Orchestration) -> tuple[Message, Message]:
        """What it is told: rules and abilities; then question, template and pool, all that a trained one needs."""
        able = "\n".join(f"- {name}: {words}" for name, words in self.abilities.items() if name in self.pool)
        rules = _RULES.format(name=next(iter(self.pool))) + (f"\n\nModels:\n{able}" if able else "")
        models = offered({name: model.price for name, model in self.pool.items()})
        asked = f"{question}\n\nSystem:\n{template.to('calls')}\n\nModels: {models}"
        return Message("system", rules), Message("user", asked)

    def read(self, completion: Completion, template: Orchestration) -> Orchestration:
        """The template with the backbones that were written.

        Raises
        ------
        OrchestrationError
            The text was cut off, or is no assignment: see `read_assignment`.
        """
        if completion.finish == "length":
            hint = "Write less, or allow more tokens."
            raise OrchestrationError("cut-off", "the assignment met its token limit", "its end", hint)
        assigned = read_assignment(completion.text, [agent.id for agent in template.agents], self.pool)
        return changed(template, [Edit(id, backbone=name) for id, name in assigned.items()])


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
