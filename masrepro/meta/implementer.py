"""A language model as implementer (MAS², arXiv 2509.24323, section 3.1): it assigns a backbone to each agent.

It sees the template and the pool L, and writes phi: R -> L, a line an agent. The paper's implementer copies the whole
program with names filled in, and its prompt has a few words on each model but no prices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from masrepro.models.model import Completion, Message, Model, Pool, Sampling
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.assignment import read_assignment
from masrepro.runtime.briefing import staffing_request
from masrepro.runtime.change import Edit, changed

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
        asked = staffing_request(question, template, {name: model.price for name, model in self.pool.items()})
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
