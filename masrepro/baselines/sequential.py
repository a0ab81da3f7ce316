"""The sequential orchestrator, ToolOrchestra's kind (arXiv 2511.21689): one agent a turn, after it has heard the last.

The rival of MAS-Orchestra's holistic orchestrator, which writes the whole system before any agent has acted
(arXiv 2601.14652, tables 1 and 3). Both write the same notation under the same rules and are answered by the same
sub-agents; see `masrepro.orchestration.turns` for what a turn is, and `masrepro.train.sequential` for its training.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from masrepro.agents.draws import derived_seeds
from masrepro.bench.item import Item
from masrepro.models.model import Message, Model, Sampling
from masrepro.orchestration.briefing import request, turn_rules
from masrepro.orchestration.catalogue import STANDARD, Catalogue
from masrepro.orchestration.dom import DoM
from masrepro.runtime.growing import TURNS, Conditions, GrowingRun, Unfolded


@dataclass(frozen=True, slots=True)
class Sequential:
    """A model that builds a system turn by turn, as an evaluation's system.

    Its calls are on each sample's record, as those of ``orchestrator`` (`masrepro.runtime.growing.BUILDER`): a sample's
    usage is what sub-agents and orchestrator cost together. The sample's budget is the sub-agents' alone.

    Parameters
    ----------
    name : str
        Of the orchestrator, and of the draw if there are several.
    model : Model
        Who builds.
    sampling : Sampling
        Its ``max_tokens`` bounds all turns of a conversation together. A seed, where set, is used with each item.
    dom, catalogue
        What may be built.
    turns : int
        Turns of a conversation, at most.
    """

    name: str
    model: Model
    sampling: Sampling
    dom: DoM = DoM.HIGH
    catalogue: Catalogue = STANDARD
    turns: int = TURNS

    async def design(self, item: Item) -> Conversation:
        """The conversation that is to be held about that item: what it builds is known at its end."""
        return Conversation(self, item)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A design that unfolds while it runs; see `masrepro.baselines.system.Unfolding`."""

    system: Sequential
    item: Item

    async def unfold(self, conditions: Conditions) -> Unfolded:
        """Hold the conversation."""
        system = self.system
        run = GrowingRun(self.item.question, conditions, system.dom, system.catalogue, system.turns)
        messages = list(turn_messages(self.item.question, system.dom, system.catalogue))
        repeat = conditions.sampling.repeat
        (seed,) = derived_seeds(system.sampling.seed, f"{self.item.id}/{repeat}", 1)
        sampling = replace(system.sampling, seed=seed, repeat=repeat)
        left = system.sampling.max_tokens
        while run.unfolded is None:
            reply = await run.ask(system.model, messages, replace(sampling, max_tokens=left))
            if reply is None:
                break
            left -= reply.usage.completion_tokens
            told = await run.take(reply.text, cut_off=reply.finish == "length", is_last=left < 1)
            messages += [Message("assistant", reply.text), Message("user", told)]
        assert run.unfolded is not None
        return run.unfolded


def turn_messages(question: str, dom: DoM = DoM.HIGH, catalogue: Catalogue = STANDARD) -> tuple[Message, Message]:
    """What a sequential orchestrator is told before its first turn; see `masrepro.orchestration.briefing`."""
    return Message("system", turn_rules(catalogue)), Message("user", request(question, dom, catalogue))
