from __future__ import annotations

import pytest

from masrepro.agents import AgentFailed, DeepResearch, Input, Task
from masrepro.models.model import Completion, Sampling, ToolCall, Usage
from masrepro.orchestration import Agent, Orchestration
from masrepro.runtime import run
from masrepro.tools.corpus import Corpus, Passage
from masrepro.tools.faults import Failing, at_first, down
from masrepro.tools.search import OpenPassage, Search
from masrepro.tools.tool import ToolFailure

AGENT = Agent("a", "", "Find the ${b}.", workflow="deep_research")
RESEARCH = DeepResearch(pause_s=0)
DOWN = ToolFailure("unavailable", "the service is down")
CORPUS = Corpus(
    [
        Passage("p1", "Old Harbor", "The old harbor was dug in 1874 by Ada Brink."),
        Passage("p2", "Ada Brink", "Ada Brink was born in Velden."),
        Passage("p3", "Mill", "A mill grinds corn."),
    ]
)
TOOLS = {"search": Search(CORPUS), "open_page": OpenPassage(CORPUS)}
PLAN = Orchestration((Agent("a", "", "", workflow="deep_research"),))


def search_for(*queries: str) -> str:
    return "\n".join(["Let me see.", *(f'Tool: search {{"query": "{query}"}}' for query in queries)])


def task(tool) -> Task:
    return Task("Q?", AGENT, (Input("b", "", "harbor"),), {"search": tool})


async def test_plan_search_note_and_stop(scripted, echo_tool):
    tool = echo_tool()
    call = scripted([search_for("Harbor", "Mill"), "Harbor is old [7].", "I know.\nAnswer: 1874"])
    output = await RESEARCH.act(task(tool), call)
    assert (output.answer, output.rationale) == ("1874", "I know.")
    assert tool.uses == [{"query": "Harbor", "hits": 5}, {"query": "Mill", "hits": 5}]
    plan, note, decision = call.user_turns()
    assert plan == "Q?\n\nFrom b: harbor\n\nGoal: Find the harbor."
    assert note == (
        "Q?\n\nFrom b: harbor\nFrom search (Harbor): [7] About Harbor\nFrom search (Mill): [7] About Mill"
        "\n\nGoal: Find the harbor."
    )
    assert decision == ("Q?\n\nFrom b: harbor\nFrom notes (iteration 1): Harbor is old [7].\n\nGoal: Find the harbor.")


async def test_it_always_looks_before_it_answers(scripted, echo_tool):
    tool = echo_tool()
    call = scripted(["Answer: 4", "Notes.", "Answer: 5"])
    assert (await RESEARCH.act(task(tool), call)).answer == "5"
    assert tool.uses == [{"query": "Find the harbor.", "hits": 5}]


async def test_a_model_that_always_wants_more_is_made_to_report(scripted, echo_tool):
    tool = echo_tool()

    def insatiable(messages) -> str:
        return search_for("more") if "You may use tools" in messages[0].content else "so far\nAnswer: 4"

    call = scripted(answer=insatiable)
    assert (await RESEARCH.act(task(tool), call)).answer == "4"
    assert len(call.sent) == RESEARCH.n_calls(AGENT) == 11
    assert len(tool.uses) == 5
    assert call.user_turns()[-1].count("From notes (iteration ") == 5


async def test_a_plan_that_neither_asks_nor_answers_leads_to_the_report(scripted, echo_tool):
    cut = Completion("I wonder", "length", Usage(1, 1, 1))
    call = scripted([search_for("x"), "Notes.", cut, "Answer: 4"])
    assert (await RESEARCH.act(task(echo_tool()), call)).answer == "4"


async def test_what_is_read_and_kept_is_bounded(scripted, echo_tool):
    call = scripted([search_for(*"abcdefg"), "n" * 100, "Answer: 4"])
    tool = echo_tool()
    await DeepResearch(uses=2, result_chars=6, note_chars=9).act(task(tool), call)
    assert [use["query"] for use in tool.uses] == ["a", "b"]
    assert "From search (a): [7] Ab... (cut at 6 of 11 characters)\n" in call.user_turns()[1]
    assert f"(iteration 1): {'n' * 9}\n" in call.user_turns()[2]


async def test_results_of_one_iteration_share_what_may_be_read(scripted, echo_tool):
    call = scripted([search_for("a", "b"), "Notes.", "Answer: 4"])
    await DeepResearch(read_chars=8).act(task(echo_tool()), call)
    assert "From search (a): [7] ... (cut at 4 of 11 characters)\nFrom search (b): [7] ..." in call.user_turns()[1]


async def test_a_report_that_still_asks_for_a_tool_holds_no_answer(scripted, echo_tool):
    call = scripted(answer=lambda messages: search_for("more"))
    output = await DeepResearch(iterations=1).act(task(echo_tool()), call)
    assert (output.answer, len(call.sent)) == (None, 3)


async def test_a_search_that_fails_twice_and_then_works_is_no_failure(scripted, echo_tool):
    tool = echo_tool(failures=[DOWN, DOWN])
    call = scripted([search_for("x"), "Notes.", "Answer: 4"])
    assert (await RESEARCH.act(task(tool), call)).answer == "4"
    assert len(tool.uses) == 3


async def test_a_search_that_fails_three_times_fails_the_agent(scripted, echo_tool):
    tool = echo_tool(failures=[DOWN] * 99)
    with pytest.raises(ExceptionGroup) as raised:
        await RESEARCH.act(task(tool), scripted([search_for("x")]))
    (failed,) = raised.value.exceptions
    assert isinstance(failed, AgentFailed)
    assert str(failed) == "the tool search failed 3 times: unavailable: the service is down"
    assert failed.failure == DOWN
    assert len(tool.uses) == 3


async def test_bad_arguments_are_the_models_affair_and_are_not_tried_again(scripted, echo_tool):
    tool = echo_tool(failures=[ToolFailure("bad_arguments", "the query is empty")])
    call = scripted([search_for(""), "Notes.", "Answer: 4"])
    await RESEARCH.act(task(tool), call)
    assert len(tool.uses) == 1
    assert "search failed (bad_arguments): the query is empty" in call.user_turns()[1]


async def test_other_tools_may_fail(scripted, echo_tool):
    page = echo_tool(name="open_page", failures=[DOWN])
    given = Task("Q?", AGENT, (), {"search": echo_tool(), "open_page": page})
    call = scripted(['Tool: open_page {"query": "p1"}', "Notes.", "Answer: 4"])
    assert (await RESEARCH.act(given, call)).answer == "4"
    assert "From open_page (p1): open_page failed (unavailable)" in call.user_turns()[1]


async def test_it_takes_native_tool_calls(scripted, echo_tool):
    tool = echo_tool()
    wish = Completion("", "stop", Usage(), tool_calls=(ToolCall("c", "search", '{"query": "x"}'),))
    call = scripted([wish, "Notes.", "Answer: 4"])
    await DeepResearch(native_tools=True).act(task(tool), call)
    assert [use["query"] for use in tool.uses] == ["x"]
    assert [signature.name for signature in call.sent[0][1]["tools"]] == ["search"]


@pytest.mark.parametrize(
    ("listed", "needed"),
    [
        ((), ("search", "open_page")),
        (("search",), ("search",)),
        (("python", "search"), ("search", "python")),
        (("python",), ("search", "python")),
    ],
)
def test_it_needs_a_search(listed, needed):
    assert RESEARCH.needs_tools(Agent("a", "", "", workflow="deep_research", tools=listed)) == needed


@pytest.mark.parametrize("knob", ["iterations", "hits", "uses", "tries"])
def test_a_bound_below_one_is_refused(knob):
    with pytest.raises(ValueError, match=f"{knob} of at least 1, got 0"):
        DeepResearch(**{knob: 0})


async def test_a_real_model_really_searches(desk):
    model, item = desk
    result = await run(PLAN, item.question, models=model, sampling=Sampling(max_tokens=16), tools=TOOLS)
    searches = [span for span in result.trace if span.kind == "tool"]
    assert searches and {span.tool for span in searches} == {"search"}
    assert 3 <= result.usage.calls <= 11
    assert result.status in ("done", "truncated")


async def searched(desk, schedule):
    """A run whose search fails on a schedule, and the errors of its searches."""
    model, item = desk
    result = await run(
        PLAN,
        item.question,
        models=model,
        sampling=Sampling(max_tokens=16),
        sub_agents={"deep_research": DeepResearch(iterations=1, pause_s=0, note_chars=40)},
        tools={**TOOLS, "search": Failing(TOOLS["search"], schedule)},
    )
    return result, [span.error for span in result.trace if span.kind == "tool"]


async def test_a_search_that_stays_down_ends_the_run_with_the_agents_typed_failure(desk):
    result, errors = await searched(desk, down())
    assert errors == ["unavailable: the service is down"] * 3
    assert result.status == "error"
    assert result.error == "agent a: AgentFailed: the tool search failed 3 times: unavailable: the service is down"


async def test_a_search_that_comes_back_is_in_the_trace_with_its_failures(desk):
    result, errors = await searched(desk, at_first(2))
    assert errors == ["unavailable: the service is down"] * 2 + [None]
    assert result.status in ("done", "truncated")
    assert result.usage.calls == 3
