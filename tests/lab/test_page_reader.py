"""Agents that fetch the question with a tool."""

from __future__ import annotations

import pytest

from masrepro.lab.page_reader import QUESTION, Page, PageReader
from masrepro.models import FREE, Completion, Usage
from masrepro.orchestration import Agent, Orchestration
from masrepro.runtime import run
from masrepro.tools.python import Python


class Recording:
    name, revision, context_tokens, price = "recording", "1", 10_000, FREE

    async def complete(self, messages, sampling):
        self.asked = messages[-1].content
        return Completion("Answer: 7", "stop", Usage(1, 1, 1))


async def test_what_a_page_holds_is_put_to_the_model_in_the_place_of_the_question():
    plan, model = Orchestration((Agent("a", "", "Find it.", tools=("page",)),)), Recording()
    tools = {"page": Page("page", "How many?")}
    result = await run(plan, "It is elsewhere.", models=model, tools=tools, sub_agents={"cot": PageReader()})
    assert (result.answer, model.asked) == ("7", "How many?\n\nGoal: Find it.")


async def test_the_wrong_tool_is_a_failure_of_the_run():
    plan = Orchestration((Agent("a", "", "", tools=("python",)),))
    result = await run(plan, "Q", models=Recording(), tools={"python": Python()}, sub_agents={"cot": PageReader()})
    assert result.status == "error"
    assert "bad_arguments" in result.error


@pytest.mark.parametrize(("page", "kind"), [(QUESTION, None), ("other", "not_found")])
async def test_a_page_knows_its_name(page, kind):
    result = await Page("page", "text").use({"page": page})
    assert (result.failure.kind if result.failure else None) == kind
