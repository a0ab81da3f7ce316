"""What a generator or implementer did when it was asked: its text, its cost, and what was read from it.

A text that cannot be read is an action too, which ends the way it is on; the rule that it broke is kept.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from masrepro.lab.cost import CostReached
from masrepro.models.model import Completion, ContextOverflow, ModelError, Usage
from masrepro.orchestration.errors import OrchestrationError
from masrepro.runtime.trace import NOTHING

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Action(Generic[Made]):
    """One action.

    Parameters
    ----------
    text : str
        What was written.
    usage : Usage
        Of the call.
    made : Made or None
        What was read from it.
    flaw : OrchestrationError, ModelError or None
        Why nothing was: the text breaks a rule, or the back-end gave none.
    """

    text: str
    usage: Usage
    made: Made | None = None
    flaw: OrchestrationError | ModelError | None = None


async def act(asking: Awaitable[Completion], read: Callable[[Completion], Made]) -> Action[Made]:
    """Await a reply and read it.

    A prompt that does not fit the model's context breaks the rule ``context``: it is the design that is too long.

    Raises
    ------
    CostReached
        The call was not sent, since the run's limit on cost is reached.
    """
    try:
        written = await asking
    except CostReached:
        raise
    except ContextOverflow as error:
        hint = "Ask about less, or allow fewer tokens for the reply."
        return Action("", error.usage, flaw=OrchestrationError("context", str(error), "the prompt", hint))
    except ModelError as failure:
        return Action("", failure.usage, flaw=failure)
    try:
        return Action(written.text, written.usage, read(written))
    except OrchestrationError as flaw:
        return Action(written.text, written.usage, flaw=flaw)


def by_rule(make: Callable[[], Made]) -> Action[Made]:
    """What a rule makes, at no cost."""
    try:
        return Action("", NOTHING, make())
    except OrchestrationError as flaw:
        return Action("", NOTHING, flaw=flaw)
