"""What a system is to an evaluation: a name, and a design for each item."""

from __future__ import annotations

from typing import Protocol

from masrepro.bench.item import Item
from masrepro.orchestration.plan import Orchestration


class System(Protocol):
    """Designs one orchestration an item. Evaluation runs it and scores the answer."""

    name: str

    def design(self, item: Item) -> Orchestration:
        """The orchestration for that item.

        Raises
        ------
        OrchestrationError
            The system wrote none that is valid; the sample's outcome is then ``invalid``.
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
