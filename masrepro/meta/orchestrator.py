"""A language model as orchestrator: it is told the question and writes a whole system in one shot (MAS-Orchestra)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from masrepro.bench.item import Item
from masrepro.models.model import Completion, Message, Model, Sampling
from masrepro.orchestration.briefing import request, rules
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.orchestration.errors import OrchestrationError
from masrepro.orchestration.parse import parse
from masrepro.orchestration.plan import Orchestration


def orchestrator_messages(
    question: str, dom: DoM = DoM.HIGH, catalogue: Catalogue = STANDARD
) -> tuple[Message, Message]:
    """What an orchestrator is told; see `masrepro.orchestration.briefing`."""
    return Message("system", rules(catalogue)), Message("user", request(question, dom, catalogue))


async def write_systems(
    model: Model,
    items: Sequence[Item],
    *,
    sampling: Sampling,
    dom: DoM = DoM.HIGH,
    catalogue: Catalogue = STANDARD,
) -> list[Completion]:
    """What the orchestrator writes for each item, all asked at once.

    Parameters
    ----------
    sampling : Sampling
        A seed, where set, is used with each item's question.

    Raises
    ------
    ModelError
        The model could not be asked.
    """
    asked = (orchestrator_messages(item.question, dom, catalogue) for item in items)
    return list(await asyncio.gather(*(model.complete(messages, sampling) for messages in asked)))


@dataclass(frozen=True, slots=True)
class Written:
    """Systems that were written before they are evaluated.

    Parameters
    ----------
    name : str
        Of the orchestrator, and of the draw if there are several.
    texts : mapping of str to str
        What was written, by item id.
    dom, catalogue
        What was allowed.
    backbone : str or None
        Assigned to every agent that has none.
    cut_off : frozenset of str
        Items whose text met its token limit, and is no system, however it begins.
    """

    name: str
    texts: Mapping[str, str]
    dom: DoM = DoM.HIGH
    catalogue: Catalogue = STANDARD
    backbone: str | None = None
    cut_off: frozenset[str] = frozenset()

    def design(self, item: Item) -> Orchestration:
        """The system that was written for that item.

        Raises
        ------
        OrchestrationError
            What was written is none.
        """
        if item.id in self.cut_off:
            raise OrchestrationError("cut-off", "the text met its token limit", "its end", "Write less, or allow more.")
        plan = parse(self.texts[item.id], dom=self.dom, catalogue=self.catalogue)
        agents = (replace(agent, backbone=agent.backbone or self.backbone) for agent in plan.agents)
        return replace(plan, agents=tuple(agents))
