from __future__ import annotations

import asyncio

import pytest

from masrepro.agents import Output, standard_workflow
from masrepro.models.model import Message, ModelError, Unavailable
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Budget, run

pytestmark = pytest.mark.usefixtures("no_task_is_left")


def system(*flows: str, alone: str = "") -> Orchestration:
    """A plan from arrows such as ``"a>b"``; every agent's goal is its id."""
    pairs = [flow.split(">") for flow in flows]
    ids = dict.fromkeys([*(id for pair in pairs for id in pair), *([alone] if alone else [])])
    return Orchestration(tuple(Agent(id, "", id) for id in ids), tuple(Flow(*pair) for pair in pairs))


def star(n_workers: int) -> Orchestration:
    return system(*(f"w{i}>sink" for i in range(n_workers)))


async def until(condition) -> None:
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0)


async def test_an_agent_starts_when_its_own_inputs_are_there_not_when_the_level_is(backend):
    gate = asyncio.Event()
    model = backend({"slow": {"until": gate}})
    running = asyncio.create_task(run(system("a>b", "b>sink", "slow>sink"), "Q", models=model))
    await until(lambda: "b" in model.goals("end"))
    assert "slow" not in model.goals("end")
    assert "sink" not in model.goals("start")
    gate.set()
    assert (await running).answer == "sink!"


async def test_independent_agents_run_at_once(backend):
    model = backend()
    await run(star(8), "Q", models=model)
    assert model.peak == 8
    assert model.goals("start")[-1] == "sink"


async def test_orchestrations_run_at_once(backend):
    model = backend()
    await asyncio.gather(*(run(system("a>b", "b>c"), "Q", models=model) for _ in range(20)))
    assert model.peak == 20


async def test_what_flows_on_is_the_answer_and_a_bounded_rationale_and_nothing_else(backend):
    model = backend({"a": {"text": "0123456789\nAnswer: \\boxed{4}"}})
    plan = Orchestration((Agent("a", "secret role", "a"), Agent("b", "", "b")), (Flow("a", "b", "the x"),))
    await run(plan, "Q?", models=model, rationale_chars=4)
    assert model.calls[1][0][-1].content == "Q?\n\nFrom a (the x): 4\n0123\n\nGoal: b"
    await run(plan, "Q?", models=model, rationale_chars=0)
    assert model.calls[3][0][-1].content == "Q?\n\nFrom a (the x): 4\n\nGoal: b"


async def test_a_long_chain_and_a_wide_sink_run(backend):
    n = 1500
    chain = system(*(f"a{i}>a{i + 1}" for i in range(n)))
    assert (await run(chain, "Q", models=backend())).usage.calls == n + 1
    assert (await run(star(n), "Q", models=backend())).usage.calls == n + 1


async def test_a_model_error_cancels_the_siblings_and_keeps_what_was_finished(backend):
    model = backend(
        {
            "bad": {"seconds": 0.01, "error": Unavailable("HTTP 503 five times")},
            "slow": {"until": asyncio.Event()},
        },
        name="tiny",
    )
    result = await run(system("good>sink", "bad>sink", "slow>sink"), "Q", models=model)
    assert (result.status, result.answer) == ("error", None)
    assert result.error == "agent bad on model tiny: Unavailable: HTTP 503 five times"
    assert set(result.outputs) == {"good"}
    assert model.goals("CancelledError") == ["slow"]
    assert "sink" not in model.goals("start")
    errors = {(span.agent, span.kind): span.error for span in result.trace}
    assert errors["slow", "call"] == errors["slow", "agent"] == "cancelled"
    assert errors["bad", "call"] == errors["bad", "agent"] == "Unavailable: HTTP 503 five times"
    assert errors["good", "agent"] is None


async def test_nothing_starts_after_an_error_and_what_ends_in_that_moment_is_kept(backend):
    model = backend({"bad": {"error": Unavailable("down")}})
    result = await run(system("bad>sink", "good>next", "next>sink"), "Q", models=model)
    assert (result.status, set(result.outputs)) == ("error", {"good"})
    assert model.goals("start") == ["bad", "good"]


async def test_a_time_out_inside_an_agent_is_a_fault_not_the_budgets(backend):
    model = backend({"a": {"error": TimeoutError("mine")}})
    with pytest.raises(TimeoutError, match="mine"):
        await run(system("a>b"), "Q", models=model, budget=Budget(seconds=60))


async def test_of_two_errors_at_once_the_first_is_named_and_both_are_in_the_trace(backend):
    model = backend({"x": {"error": ModelError("one")}, "y": {"error": ModelError("two")}})
    result = await run(system("x>sink", "y>sink"), "Q", models=model)
    assert result.error == "agent x on model backend: ModelError: one"
    assert [s.error for s in result.trace if s.kind == "call"] == ["ModelError: one", "ModelError: two"]


async def test_a_fault_in_a_program_propagates_as_itself(backend):
    model = backend({"bad": {"error": ZeroDivisionError("oops")}, "slow": {"until": asyncio.Event()}})
    with pytest.raises(ZeroDivisionError, match="oops"):
        await run(system("bad>sink", "slow>sink"), "Q", models=model)
    assert model.goals("CancelledError") == ["slow"]


async def test_a_fault_beside_a_model_error_is_not_hidden_by_it(backend):
    model = backend({"x": {"error": ModelError("down")}, "y": {"error": KeyError("fault")}})
    with pytest.raises(KeyError, match="fault"):
        await run(system("x>sink", "y>sink"), "Q", models=model)


async def test_cancelling_a_run_cancels_every_call(backend):
    model = backend({f"w{i}": {"until": asyncio.Event()} for i in range(8)})
    running = asyncio.create_task(run(star(8), "Q", models=model))
    await until(lambda: model.n_in_flight == 8)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert sorted(model.goals("CancelledError")) == [f"w{i}" for i in range(8)]


@pytest.mark.parametrize("seconds", [None, 0.02])
async def test_a_back_end_that_answers_a_cancellation_with_an_error_does_no_harm(backend, seconds):
    class Turning(backend):
        async def complete(self, messages, sampling):
            try:
                return await super().complete(messages, sampling)
            except asyncio.CancelledError:
                raise Unavailable("connection closed") from None

    first = {"until": asyncio.Event()} if seconds else {"error": ModelError("down")}
    model = Turning({"x": first, "y": {"until": asyncio.Event()}})
    result = await run(system("x>sink", "y>sink"), "Q", models=model, budget=Budget(seconds=seconds))
    assert (result.status, result.outputs) == ("error", {})


async def test_a_failed_run_leaves_the_callers_time_limit_in_force(backend):
    failing = backend({"a": {"error": ModelError("down")}, "slow": {"until": asyncio.Event()}})
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            assert (await run(system("a>sink", "slow>sink"), "Q", models=failing)).status == "error"
            assert asyncio.current_task().cancelling() == 0
            await asyncio.sleep(60)


async def test_a_call_cancelled_by_something_else_is_a_fault_not_an_empty_answer(backend):
    model = backend({"a": {"error": asyncio.CancelledError()}})
    with pytest.raises(RuntimeError, match="agent a: its call was cancelled, its run was not"):
        await run(system("a>b"), "Q", models=model)


async def test_faults_of_several_agents_are_all_raised(backend):
    model = backend({"x": {"error": KeyError("one")}, "y": {"error": ValueError("two")}})
    with pytest.raises(ExceptionGroup) as raised:
        await run(system("x>sink", "y>sink"), "Q", models=model)
    assert [type(fault) for fault in raised.value.exceptions] == [KeyError, ValueError]


async def test_a_cancellation_is_not_lost_when_an_agent_has_just_failed(backend):
    class SlowToStop(backend):
        async def complete(self, messages, sampling):
            try:
                return await super().complete(messages, sampling)
            except asyncio.CancelledError:
                stopping.set()
                await released.wait()
                raise

    stopping, released = asyncio.Event(), asyncio.Event()
    model = SlowToStop({"bad": {"error": ModelError("down")}, "slow": {"until": asyncio.Event()}})
    running = asyncio.create_task(run(system("bad>sink", "slow>sink"), "Q", models=model))
    await stopping.wait()
    running.cancel()
    await asyncio.sleep(0)
    released.set()
    with pytest.raises(asyncio.CancelledError):
        await running


class Twice:
    """A sub-agent that makes two calls at once."""

    workflow = standard_workflow("cot")

    def n_calls(self, agent: Agent) -> int:
        return 2

    async def act(self, task, call) -> Output:
        async with asyncio.TaskGroup() as group:
            drawn = [group.create_task(call(_ask(goal), temperature=0.7)) for goal in ("first", "second")]
        return Output(" ".join(one.result().text for one in drawn), "", "stop")


def _ask(goal: str) -> tuple[Message, ...]:
    return (Message("user", f"Goal: {goal}"),)


async def test_a_sub_agent_may_make_calls_at_once(backend):
    model = backend({"first": {"text": "1"}, "second": {"text": "2"}})
    result = await run(system(alone="a"), "Q", models=model, sub_agents={"cot": Twice()})
    assert (result.answer, model.peak) == ("1 2", 2)
    assert [sampling.temperature for _, sampling in model.calls] == [0.7, 0.7]


@pytest.mark.parametrize("swapped", [False, True])
async def test_a_fault_in_a_sub_agents_own_group_goes_before_a_model_error(backend, swapped):
    errors = [{"error": ModelError("down")}, {"error": KeyError("fault")}]
    model = backend(dict(zip(("first", "second"), errors[::-1] if swapped else errors, strict=True)))
    with pytest.raises(KeyError, match="fault"):
        await run(system(alone="a"), "Q", models=model, sub_agents={"cot": Twice()})


async def test_the_budget_may_be_reached_in_a_sub_agents_own_group(backend):
    result = await run(system(alone="a"), "Q", models=backend(), sub_agents={"cot": Twice()}, budget=Budget(calls=1))
    assert (result.status, result.usage.calls) == ("limit", 1)


async def test_a_model_error_in_a_sub_agents_own_group_is_still_an_error_of_the_run(backend):
    model = backend({"first": {"error": ModelError("down")}, "second": {"until": asyncio.Event()}})
    result = await run(system(alone="a"), "Q", models=model, sub_agents={"cot": Twice()})
    assert result.error == "agent a on model backend: ModelError: down"
