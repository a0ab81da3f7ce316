"""What a rectifier is to a run: something that sees the state of a run that has paused, and changes its system.

Not here: particular rectifiers (`masrepro.meta.rectifier`, `masrepro.baselines.rectifiers`).
"""

from __future__ import annotations

from typing import Protocol

from masrepro.agents.agent import Call
from masrepro.models.model import Model
from masrepro.runtime.change import Change
from masrepro.runtime.state import State

RECTIFIER = "<rectifier>"
"""Who causes a repair and its calls, in the trace; no agent can be called so."""


class Rectifier(Protocol):
    """Changes a system that has failed, or is about to cost too much."""

    @property
    def model(self) -> Model | None:
        """What its calls go to; None is the default of the run's pool."""
        ...

    async def repair(self, state: State, call: Call) -> Change | None:
        """The change, or None for nothing to change.

        Parameters
        ----------
        state : State
        call : Call
            To its model; admitted against the run's budget and recorded in its trace. Exceptions are left to the
            runtime.

        Raises
        ------
        OrchestrationError
            What the model wrote is no change.
        """
        ...
