from __future__ import annotations

import pytest

from masrepro.agents import CoT, CoTSC, Debate, Output, Reflexion, Task, Thinking, cot_messages
from masrepro.agents.tool_use import ENOUGH, ToolRequest, requested, shown
from masrepro.models.model import Completion, Message, Sampling, ToolCall, Usage
from masrepro.orchestration import Agent
from masrepro.tools.tool import ToolFailure, ToolResult

NO_OBJECT = 'search failed (bad_arguments): the arguments are no JSON object; write Tool: search {"query": "..."}'
ASKING = 'I look.\nTool: search {"query": "Harbor"}'


def task(*tools) -> Task:
    agent = Agent("a", "", "Go.", tools=tuple(tool.name for tool in tools))
    return Task("Q?", agent, tools={tool.name: tool for tool in tools})


def asked(text: str) -> tuple[ToolRequest, ...]:
    return requested(Completion(text, "stop", Usage()))


async def test_a_line_asks_and_the_next_turn_tells(scripted, echo_tool):
    tool, call = echo_tool(), scripted([ASKING, "I see.\nAnswer: 7"])
    assert await CoT().act(task(tool), call) == Output("7", "I see.", "stop")
    assert tool.uses == [{"query": "Harbor"}]
    (first, _), (second, change) = call.sent
    assert second == (*first, Message("assistant", ASKING), Message("user", "Result: [7] About Harbor"))
    assert change == {"stop": ("\nResult:",)}


async def test_the_tools_are_described_in_the_system_turn_and_nowhere_else(scripted, echo_tool):
    call = scripted(["Answer: 7"])
    await CoT().act(task(echo_tool()), call)
    plain = cot_messages(task())
    system, user = call.sent[0][0]
    assert user == plain[1]
    assert system.content.startswith(plain[0].content + "\n\nYou may use tools")
    assert 'Tool: search {"query": "..."}' in system.content
    assert "hits: how many" in system.content


async def test_the_runs_own_stop_strings_are_kept(scripted, echo_tool):
    call = scripted(["Answer: 7"], sampling=Sampling(stop=("END",)))
    await CoT().act(task(echo_tool()), call)
    assert call.sent[0][1]["stop"] == ("END", "\nResult:")


async def test_turns_with_tools_are_bounded_and_the_last_one_must_answer(scripted, echo_tool):
    tool = echo_tool()
    call = scripted([ASKING, ASKING, "Answer: 7"])
    cot = CoT(Thinking(tool_turns=2))
    given = task(tool)
    assert (await cot.act(given, call)).answer == "7"
    assert len(call.sent) == cot.n_calls(given.agent) == 3
    assert call.user_turns()[-1].endswith(f"\n\n{ENOUGH}")
    assert ENOUGH not in call.user_turns()[-2]


async def test_a_model_that_never_answers_ends_without_an_answer(scripted, echo_tool):
    tool = echo_tool()
    call = scripted(answer=lambda messages: ASKING)
    output = await CoT(Thinking(tool_turns=3)).act(task(tool), call)
    assert (output.answer, len(call.sent), len(tool.uses)) == (None, 4, 3)


async def test_no_turn_with_tools_is_a_plain_chain_of_thought(scripted, echo_tool):
    given = task(echo_tool())
    call = scripted(["Answer: 7"])
    await CoT(Thinking(tool_turns=0)).act(given, call)
    assert call.sent == [(cot_messages(given), {})]


async def test_a_failure_is_told_and_the_agent_goes_on(scripted, echo_tool):
    tool = echo_tool(failures=[ToolFailure("unavailable", "the service is down")])
    call = scripted([ASKING, "Answer: 7"])
    assert (await CoT().act(task(tool), call)).answer == "7"
    assert call.user_turns()[1] == "Result: search failed (unavailable): the service is down"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("Tool: serach {}", "Result: serach failed (not_found): there is no tool 'serach'; there are: search"),
        (
            "Tool: search Harbor",
            f"Result: {NO_OBJECT}",
        ),
    ],
)
async def test_a_request_that_cannot_be_carried_out_comes_back(scripted, echo_tool, reply, told):
    tool, call = echo_tool(), scripted([reply, "Answer: 7"])
    await CoT().act(task(tool), call)
    assert call.user_turns()[1] == told
    assert tool.uses == []


@pytest.mark.parametrize(
    ("text", "requests"),
    [
        ('Tool: a {"x": 1}', [("a", {"x": 1})]),
        ('Tool: a: {"x": {"y": "}"}} and so on', [("a", {"x": {"y": "}"}})]),
        ('Tool: a\n{"x": "line\nbreak\nTool: b {}"}', [("a", {"x": "line\nbreak\nTool: b {}"})]),
        ('Tool: a {"x": 1}\nTool: b {}', [("a", {"x": 1}), ("b", {})]),
        ("Tool: a [1]\nTool: b {}", [("a", None), ("b", {})]),
        ('Answer: 4\nTool: a {"x": 1}', []),
        ('Tool: a {"x": 1}\nAnswer: 4', [("a", {"x": 1})]),
        ('I would use Tool: a {"x": 1}', []),
        ("Tool:", []),
        ("Tool: a", [("a", None)]),
        ("Tool: a " + '{"x":' * 5000, [("a", None)]),
        ("", []),
    ],
)
def test_what_a_reply_asks_for(text, requests):
    assert [(request.tool, request.arguments) for request in asked(text)] == requests


def test_requests_of_one_turn_are_bounded():
    assert len(asked("Tool: a {}\n" * 9)) == 5


def test_a_long_result_is_cut_and_says_so():
    assert shown(ToolResult("a", "0123456789"), 4) == "0123... (cut at 4 of 10 characters)"
    assert shown(ToolResult("a", "0123"), 4) == "0123"


async def test_tools_can_be_offered_and_asked_for_natively(scripted, echo_tool):
    tool = echo_tool()
    wishes = (ToolCall("c1", "search", '{"query": "Harbor"}'), ToolCall("c2", "search", "{"))
    call = scripted([Completion("", "stop", Usage(), tool_calls=wishes), "Answer: 7"])
    cot = CoT(Thinking(native_tools=True, tool_turns=1))
    assert (await cot.act(task(tool), call)).answer == "7"
    (first, change), (second, _) = call.sent
    assert first == cot_messages(task(tool))
    assert [(offered.name, offered.parameters) for offered in change["tools"]] == [("search", tool.parameters)]
    assert second == (
        *first,
        Message("assistant", "", tool_calls=wishes),
        Message("tool", "[7] About Harbor", tool_call_id="c1"),
        Message(
            "tool",
            NO_OBJECT,
            tool_call_id="c2",
        ),
        Message("user", ENOUGH),
    )


@pytest.mark.parametrize(
    ("workflow", "n_with_tools", "bound"),
    [(CoTSC(), 5, 30), (Debate(rounds=2), 4, 25), (Reflexion(), 1, 41)],
)
async def test_every_workflow_that_thinks_may_use_the_tools_of_its_agent(
    scripted, echo_tool, workflow, n_with_tools, bound
):
    """Each chain of thought looks once; critics and judges have no tools and come to the same answer."""
    tool = echo_tool()
    agent = Agent("a", "", "Go.", tools=("search",), roles=("for", "against"))

    def answer(messages) -> str:
        may_look = "You may use tools" in messages[0].content and not messages[-1].content.startswith("Result:")
        return ASKING if may_look else "Answer: 7"

    call = scripted(answer=answer)
    assert (await workflow.act(Task("Q?", agent, tools={"search": tool}), call)).answer == "7"
    assert len(tool.uses) == n_with_tools
    assert len(call.sent) <= workflow.n_calls(agent) == bound
