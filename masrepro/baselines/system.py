"""What a system is to an evaluation: a name, and a design for each item."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from masrepro.bench.item import Item
from masrepro.orchestration.plan import Orchestration
from masrepro.runtime.growing import Conditions, Unfolded


class System(Protocol):
    """Designs one orchestration an item. Evaluation runs it and scores the answer."""

    @property
    def name(self) -> str:
        """Under which it is evaluated."""
        ...

    def design(self, item: Item) -> Orchestration:
        """The orchestration for that item.

        Raises
        ------
        OrchestrationError
            The system wrote none that is valid; the sample's outcome is then ``invalid``.
        """
        ...


@runtime_checkable
class Unfolding(Protocol):
    """A design that depends on what its agents answer: it is known only at the end of its run.

    What a system's ``design``, being a coroutine, may give in place of an orchestration.
    """

    async def unfold(self, conditions: Conditions) -> Unfolded:
        """Design and run, step by step.

        Raises
        ------
        ModelError
            Never: what could not be asked is in the result.
        """
        ...


def system(name: str) -> System:
    """The system of that name.

    Raises
    ------
    ValueError
        No such system; lists those there are.
    """
    from masrepro.baselines.oracle import Oracle, Star
    from masrepro.baselines.single_agent import SingleAgent

    known: dict[str, type[System]] = {"single_agent": SingleAgent, "star": Star, "oracle": Oracle}
    if name not in known:
        raise ValueError(f"no system {name!r}; there are: {', '.join(known)}")
    return known[name]()
