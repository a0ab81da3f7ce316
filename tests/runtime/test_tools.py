"""Tools in a run: who gets which, and what the trace says of every use."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from masrepro.agents import Output, standard_workflow
from masrepro.models.model import Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Budget, PlanNotRunnable, Trace, run
from masrepro.tools.tool import ToolFailure, ToolResult, schema

pytestmark = pytest.mark.usefixtures("no_task_is_left")

CHAIN = Orchestration((Agent("a", "", "a", tools=("look",)), Agent("b", "", "b")), (Flow("a", "b"),))


class Look:
    """A tool that answers as it is told to."""

    name = "its own name"
    description = "Looks."
    parameters = schema({"at": {"type": "string", "description": "what"}})

    def __init__(self, text: str = "seen", failure: ToolFailure | None = None, error: Exception | None = None) -> None:
        self.text, self.failure, self.error = text, failure, error

    async def use(self, arguments) -> ToolResult:
        if arguments["at"] == "for ever":
            await asyncio.Event().wait()
        if self.error:
            raise self.error
        return ToolResult(self.name, self.text, self.failure, 99.0)


class Looking:
    """A sub-agent that uses whatever tool it has once."""

    workflow = standard_workflow("cot")

    def __init__(self, at: str = "it") -> None:
        self.at = at
        self.results: list[ToolResult] = []

    def n_calls(self, agent: Agent) -> int:
        return 0

    async def act(self, task, call) -> Output:
        self.results += [await tool.use({"at": self.at}) for tool in task.tools.values()]
        return Output(" ".join(task.tools) or "nothing", "", "stop")


async def looked(tool, model, worker=None, plan=CHAIN, **options):
    worker = worker or Looking()
    return await run(plan, "Q", models=model, tools={"look": tool}, sub_agents={"cot": worker}, **options), worker


def uses(trace: Trace):
    return [span for span in trace if span.kind == "tool"]


async def test_an_agent_gets_the_tools_that_it_lists_under_the_runs_names(backend):
    result, worker = await looked(Look(), backend())
    assert {id: output.answer for id, output in result.outputs.items()} == {"a": "look", "b": "nothing"}
    assert [(given.tool, given.text) for given in worker.results] == [("look", "seen")]


async def test_every_use_is_a_span_under_its_agent(backend):
    result, worker = await looked(Look(), backend(), clock=iter(range(100)).__next__)
    act = next(span for span in result.trace if span.kind == "agent" and span.agent == "a")
    (use,) = uses(result.trace)
    assert (use.parent, use.agent, use.tool, use.model) == (act.id, "a", "look", None)
    assert (json.loads(use.arguments), use.text, use.error) == ({"at": "it"}, "seen", None)
    assert act.start_s < use.start_s < use.end_s < act.end_s
    assert worker.results[0].seconds > 0
    assert use.usage == result.usage == Usage()
    assert Trace.from_json(result.trace.to_json()) == result.trace


async def test_a_failure_is_in_the_trace_with_its_kind(backend):
    result, worker = await looked(Look("", ToolFailure("timeout", "no reply")), backend())
    assert result.status == "done"
    assert uses(result.trace)[0].error == "timeout: no reply"
    assert worker.results[0].failure.kind == "timeout"


async def test_long_results_and_arguments_are_cut_in_the_trace_alone(backend):
    result, worker = await looked(Look("x" * 10_000), backend(), Looking("y" * 10_000))
    assert len(uses(result.trace)[0].text) == len(uses(result.trace)[0].arguments) == 8_000
    assert len(worker.results[0].text) == 10_000


async def test_a_use_that_takes_too_long_is_ended_as_a_failure(backend):
    result, worker = await looked(Look(), backend(), Looking("for ever"), tool_timeout_s=0.01)
    assert result.status == "done"
    assert uses(result.trace)[0].error == "timeout: no result within 0.01 s"
    assert worker.results[0].failure.kind == "timeout"


@pytest.mark.parametrize("error", [ZeroDivisionError("oops"), TimeoutError("mine")])
async def test_a_fault_in_a_tools_program_propagates(backend, error):
    with pytest.raises(type(error), match=str(error)):
        await looked(Look(error=error), backend())


async def test_seconds_of_the_budget_end_a_use(backend):
    result, _ = await looked(Look(), backend(), Looking("for ever"), budget=Budget(seconds=0.01))
    assert result.status == "limit"
    assert uses(result.trace)[0].error == "cancelled"


async def test_a_tool_that_the_run_does_not_have_is_refused_before_the_first_call(backend):
    model = backend()
    plan = Orchestration((Agent("a", "", "a"), Agent("b", "", "b", tools=("look", "see"))), (Flow("a", "b"),))
    with pytest.raises(PlanNotRunnable, match="agent b: the tool 'see' is not available in this run") as refused:
        await run(plan, "Q", models=model, tools={"look": Look()})
    assert refused.value.rule == "no-such-tool"
    assert "the run has look." in str(refused.value)
    assert model.calls == []


async def test_cot_uses_a_tool_in_a_run(backend):
    class Curious(backend):
        async def complete(self, messages, sampling):
            completion = await super().complete(messages, sampling)
            has_looked = messages[-1].content.startswith("Result:")
            may_look = 'Tool: look {"at": "..."}' in messages[0].content
            return replace(completion, text='Tool: look {"at": "it"}') if may_look and not has_looked else completion

    result = await run(CHAIN, "Q", models=Curious(), tools={"look": Look("the light")})
    assert (result.status, result.usage.calls) == ("done", 3)
    calls = [span for span in result.trace if span.kind == "call"]
    assert [span.agent for span in calls] == ["a", "a", "b"]
    assert calls[1].messages[-1].content == "Result: the light"
