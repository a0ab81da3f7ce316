"""What is told of a system that is to be staffed, or of a run that has paused: all that a trained model needs.

Small models are trained on exactly these texts. Not here: what a system's writer is told
(`masrepro.orchestration.briefing`), and the rules for models that were not trained, which are each meta-agent's own.
"""

from __future__ import annotations

from collections.abc import Mapping

from masrepro.agents.agent import Output
from masrepro.agents.cot import NO_ANSWER, unboxed
from masrepro.models.model import Price, Usage
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.state import State

_ANSWER_CHARS = 80
_FAILURE_CHARS = 200


def staffing_request(question: str, template: Orchestration, models: Mapping[str, Price | None]) -> str:
    """The question, a system without backbones, and the models of the pool."""
    return f"{question}\n\nSystem:\n{template.to('calls')}\n\nModels: {offered(models)}"


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
