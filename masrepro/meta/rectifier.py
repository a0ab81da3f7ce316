"""A language model as rectifier (MAS², arXiv 2509.24323, section 3.1): it reads the state of a run and repairs it.

The first turn holds the rules, for models that follow instructions. The second is the state itself, and all that a
model needs which knows the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from masrepro.agents.agent import Call, Output
from masrepro.agents.cot import NO_ANSWER, unboxed
from masrepro.meta.changes import CHANGE_AGENT, NOTHING, read_change
from masrepro.models.model import Message, Model, Price, Usage
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.errors import OrchestrationError
from masrepro.runtime.change import Change
from masrepro.runtime.state import State

_ANSWER_CHARS = 80
_FAILURE_CHARS = 200


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


def told(state: State) -> str:
    """The state as a model sees it; a line that would be empty is left out."""
    done = ", ".join(_answered(id, output) for id, output in state.outputs.items())
    failed = "; ".join(" ".join(str(failure).split())[:_FAILURE_CHARS] for failure in state.failures)
    lines = (
        f"Done: {done}" if done else "",
        f"Failed: {failed}" if failed else "",
        f"Spent: {_spent(state.spent)}" + (f"; {state.overspent}" if state.overspent else ""),
        f"Models: {offered(state.models, state.down_models)}",
        f"Tools: {', '.join(_marked(tool, state.down_tools) for tool in state.tools)}" if state.tools else "",
        *(f"Changed before: {' '.join(repair.why.split())[:_FAILURE_CHARS]}" for repair in state.repairs),
    )
    told = "\n".join(line for line in lines if line)
    return f"{state.question}\n\nSystem:\n{state.plan.to('calls')}\n\n{told}"


def offered(models: Mapping[str, Price | None], down: frozenset[str] = frozenset()) -> str:
    """Models with their prices in US dollars per million tokens, prompt / completion; those that are down say so."""
    return ", ".join(_marked(name, down) + _priced(price) for name, price in models.items())


def _answered(id: str, output: Output) -> str:
    answer = NO_ANSWER if output.answer is None else unboxed(output.answer)
    return f"{id} = {' '.join(answer.split())[:_ANSWER_CHARS]}"


def _spent(usage: Usage) -> str:
    cost = "cost unknown" if usage.cost_usd is None else f"{usage.cost_usd} USD"
    return f"{usage.calls} calls, {usage.tokens} tokens, {cost}"


def _marked(name: str, down: frozenset[str]) -> str:
    return f"{name} is down" if name in down else name


def _priced(price: Price | None) -> str:
    return f" ({price.prompt_usd} / {price.completion_usd})" if price and price.completion_usd else ""
