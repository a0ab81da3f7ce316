"""A language model as rectifier (MAS², arXiv 2509.24323, section 3.1): it reads the state of a run and repairs it.

The first turn holds the rules, for models that follow instructions. The second is the state itself, and all that a
model needs which knows the form.
"""

from __future__ import annotations

from dataclasses import dataclass

from masrepro.agents.agent import Call
from masrepro.models.model import Message, Model
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.errors import OrchestrationError
from masrepro.runtime.briefing import told
from masrepro.runtime.change import Change
from masrepro.runtime.edits import CHANGE_AGENT, NOTHING, read_change
from masrepro.runtime.state import State


@dataclass(frozen=True, slots=True)
class ModelRectifier:
    """Asks a model what to change.

    Parameters
    ----------
    model : Model or None
        None asks the default of the run's pool.
    catalogue : Catalogue
        What a system may draw on.
    temperature : float
    max_tokens : int
        Of its reply.
    """

    model: Model | None
    catalogue: Catalogue = STANDARD
    temperature: float = 0.0
    max_tokens: int = 512

    async def repair(self, state: State, call: Call) -> Change | None:
        """The change that the model writes; see `masrepro.runtime.rectifier.Rectifier`."""
        messages = rectifier_messages(state, self.catalogue)
        completion = await call(messages, temperature=self.temperature, max_tokens=self.max_tokens)
        if completion.finish == "length":
            hint = "Write less, or allow more tokens."
            raise OrchestrationError("cut-off", "the change met its token limit", "its end", hint)
        return read_change(completion.text, catalogue=self.catalogue)


def rectifier_messages(state: State, catalogue: Catalogue = STANDARD) -> tuple[Message, Message]:
    """What a rectifier is told."""
    return Message("system", rectifier_rules(catalogue)), Message("user", told(state))


def rectifier_rules(catalogue: Catalogue = STANDARD) -> str:
    """What it may write, for a model that has never done it."""
    parts = (
        "A team of agents works on the question, and its run has paused. Repair the team. Its system is given as calls "
        "of create_agent and create_flow; then what is done, what has failed, what was spent, and which models and "
        "tools there are. What is done and stays unchanged is not run again, so change little.",
        "Write nothing but calls, one on a line for each agent that is to change, with the fields that get other "
        f"values:\nchange_agent({', '.join(f'{field.name}=...' for field in CHANGE_AGENT.parameters)})",
        f"Or write a whole new system, as calls of create_agent and create_flow. Or write: {NOTHING}",
        "\n".join(["Workflows:", *(f"- {one.name}: {one.description}" for one in catalogue.workflows)]),
        'Example:\nchange_agent(id="a2", goal="Find the year in which the bridge was opened.", backbone="large")',
    )
    return "\n\n".join(parts)
