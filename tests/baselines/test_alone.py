"""One sub-agent as a system of its own."""

import pytest

from masrepro.baselines import Alone
from masrepro.bench.item import Item
from masrepro.lab.evaluate import evaluate
from masrepro.models.model import FREE, Completion, Pool, Usage
from masrepro.runtime.budget import UNLIMITED
from masrepro.runtime.staff import PlanNotRunnable, calls_bound, staff
from masrepro.tools.corpus import Corpus, Passage
from masrepro.tools.search import OpenPassage, Search

ITEM = Item(id="q", question="Where does the comet rest?", answer="Basel", scorer="qa_em")


class Librarian:
    """Searches until it has a note, then answers from it."""

    name, revision, context_tokens, price = "librarian", "1", 4096, FREE

    async def complete(self, messages, sampling):
        user, system = messages[-1].content, messages[0].content
        if "From search" in user:
            text = "The comet rests in Basel." if "Basel" in user else "Nothing."
        elif "From notes" in user and "Basel" in user:
            text = "Read in the notes.\nAnswer: Basel"
        else:
            text = 'Tool: search {"query": "comet"}' if "search" in system else "Answer: somewhere"
        return Completion(text, "stop", Usage(1, 10, 5, FREE.of(10, 5)))


def test_one_agent_without_a_goal_named_after_its_workflow():
    system = Alone("debate", ("proponent", "critic"))
    (agent,) = system.design(ITEM).agents
    assert (system.name, agent.workflow, agent.roles, agent.goal) == ("debate", "debate", ("proponent", "critic"), "")
    assert calls_bound(system.design(ITEM)) == 11


def test_debate_without_roles_is_refused_before_a_call():
    with pytest.raises(PlanNotRunnable, match="roles"):
        staff(Alone("debate").design(ITEM), Pool.of(Librarian()), UNLIMITED)


async def test_an_evaluation_gives_research_its_tools():
    corpus = Corpus([Passage("1", "Comet", "The comet rests in Basel."), Passage("2", "Hen", "A hen lays eggs.")])
    tools = {"search": Search(corpus), "open_page": OpenPassage(corpus)}
    done = await evaluate(Alone("deep_research"), [ITEM], models=Librarian(), benchmark="own", tools=tools)
    (sample,) = done.samples
    assert sample.outcome == "correct"
    assert [span.tool for span in sample.trace if span.kind == "tool"] == ["search"]


async def test_research_without_tools_is_invalid_and_costs_nothing():
    done = await evaluate(Alone("deep_research"), [ITEM], models=Librarian(), benchmark="own")
    (sample,) = done.samples
    assert sample.outcome == "invalid" and "search" in sample.error
    assert sample.usage.calls == 0
