"""A run that is repaired: when it pauses, what goes on from where, what is paid for, and how it ends."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rules import Scripted
from test_random_systems import REPLIES, systems

from masrepro.agents import AgentFailed, Output, standard_workflow
from masrepro.models.model import ContextOverflow, Message, ModelError, Pool, Price, Unavailable, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Again, Budget, Edit, PlanNotRunnable, Trace, run_with_repairs
from masrepro.runtime.rectifier import RECTIFIER
from masrepro.tools.faults import Failing, at_first, down
from masrepro.tools.tool import ToolResult, attempt, schema

pytestmark = pytest.mark.usefixtures("no_task_is_left")

CHAIN = Orchestration((Agent("a", "", "a"), Agent("b", "", "b"), Agent("c", "", "c")), (Flow("a", "b"), Flow("b", "c")))
ONCE = Usage(1, 10, 5, Decimal(0))


def down_once(n: int = 1):
    """An error that is raised the first ``n`` times; a reply of the back-end's, which reads it anew each time."""

    class Reply(dict):
        left = n

        def __contains__(self, key):
            if key == "error" and self.left:
                self.left -= 1
                return True
            return key != "error" and super().__contains__(key)

    return Reply(error=Unavailable("HTTP 503"))


async def test_a_run_without_a_failure_is_an_ordinary_run(backend):
    model, rectifier = backend(), Scripted([])
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=rectifier)
    assert (run.result.answer, run.ended, run.n_attempts, run.repairs) == ("c!", "done", 1, ())
    assert run.usage == ONCE + ONCE + ONCE
    assert {span.attempt for span in run.trace} == {0}
    assert rectifier.states == []


async def test_an_edit_resumes_and_finished_work_is_not_paid_for_twice(backend):
    bad = backend({"b": {"error": Unavailable("down")}}, name="bad")
    pool = {"bad": bad, "good": backend(name="good")}
    rectifier = Scripted([[Edit("b", backbone="good"), Edit("c", goal="better")]])
    run = await run_with_repairs(CHAIN, "Q", models=pool, rectifier=rectifier)
    assert (run.result.answer, run.result.status, run.ended) == ("better!", "done", "done")
    assert bad.goals("start") == ["a", "b", "better"]
    assert pool["good"].goals("start") == ["b"]
    (repair,) = run.repairs
    assert (repair.before, repair.after, repair.kind, repair.n_kept) == (CHAIN, run.plan, "local", 1)
    assert repair.why == "b (bad): Unavailable: down"


async def test_the_state_says_what_is_done_what_failed_and_what_was_spent(backend):
    bad = backend({"b": {"error": Unavailable("down", usage=Usage(3, 30, 0, Decimal(2)))}}, name="bad")
    pool = Pool({"bad": bad, "good": backend(name="good", price=None)})
    rectifier = Scripted([None])
    run = await run_with_repairs(CHAIN, "Q?", models=pool, rectifier=rectifier, budget=Budget(calls=9))
    (state,) = rectifier.states
    assert (state.question, state.plan, set(state.outputs), state.unfinished) == ("Q?", CHAIN, {"a"}, ("b", "c"))
    (failure,) = state.failures
    assert isinstance(failure.cause, Unavailable)
    assert (failure.agent, failure.backbone, failure.is_final) == ("b", "bad", True)
    assert state.spent == ONCE + Usage(3, 30, 0, Decimal(2))
    assert (state.models["bad"], state.models["good"], state.default) == (bad.price, None, "bad")
    assert (run.result.status, run.ended) == ("error", "nothing to change")


async def test_what_is_at_work_when_something_fails_comes_to_its_end_and_counts(backend):
    plan = Orchestration(
        (Agent("bad", "", "bad"), Agent("slow", "", "slow"), Agent("sink", "", "sink")),
        (Flow("bad", "sink"), Flow("slow", "sink")),
    )
    model = backend({"bad": down_once(), "slow": {"seconds": 0.02}})
    run = await run_with_repairs(plan, "Q", models=model, rectifier=Scripted([Again()]))
    assert Counter(model.goals("start")) == {"bad": 2, "slow": 1, "sink": 1}
    assert (run.result.answer, run.usage.cost_usd) == ("sink!", Decimal(0))


async def test_another_system_takes_over_what_is_the_same_in_it(backend):
    model = backend({"b": {"error": Unavailable("down")}})
    other = Orchestration(
        (Agent("d", "", "d"), Agent("a", "", "a"), Agent("e", "", "e")), (Flow("a", "e"), Flow("d", "e"))
    )
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([other]))
    assert model.goals("start") == ["a", "b", "d", "e"]
    assert (run.result.answer, run.repairs[0].kind, run.plan) == ("e!", "global", other)


async def test_a_direct_answer_may_take_the_place_of_a_system(backend):
    model = backend({"b": {"error": Unavailable("down")}})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([Orchestration(answer="7")]))
    assert (run.result.answer, run.ended) == ("7", "done")


async def test_a_changed_payload_makes_another_agent_of_the_receiver_and_of_all_behind(backend):
    model = backend({"c": down_once()})
    other = replace(CHAIN, flows=(Flow("a", "b", "the number"), Flow("b", "c")))
    await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([other]))
    assert model.goals("start") == ["a", "b", "c", "b", "c"]


async def test_naming_the_default_backbone_changes_nothing(backend):
    model = backend({"c": down_once()})
    edits = [Edit("a", backbone="backend"), Edit("c", goal="d")]
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([edits]))
    assert model.goals("start") == ["a", "b", "c", "d"]
    assert run.repairs[0].n_kept == 2


async def test_retrying_the_call_runs_what_failed_and_nothing_else(backend):
    model = backend({"b": down_once()})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([Again()]))
    assert model.goals("start") == ["a", "b", "b", "c"]
    assert run.repairs[0].kind == "again"


async def test_from_scratch_and_without_resuming_everything_is_paid_for_again(backend):
    for changes, resume in (([Again(from_scratch=True)], True), ([[Edit("b", goal="b2")]], False)):
        model = backend({"b": down_once()})
        run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted(changes), resume=resume)
        assert [goal[0] for goal in model.goals("start")] == ["a", "b", "a", "b", "c"]
        assert run.repairs[0].n_kept == 0


async def test_a_back_end_that_stays_down_is_not_tried_again(backend):
    model = backend({"b": {"error": Unavailable("down")}})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([Again()] * 9), max_repairs=9)
    assert model.goals("start") == ["a", "b", "b"]
    assert (run.ended, run.why) == ("down", "agent b would run on backend, which is down")
    assert run.result.error.startswith("agent b on model backend: Unavailable")


async def test_a_rectifier_is_told_what_is_down_and_a_system_that_needs_it_is_refused(backend):
    bad = backend({"b": {"error": Unavailable("down")}}, name="bad")
    rectifier = Scripted([Again(), [Edit("c", goal="c2")]])
    run = await run_with_repairs(
        CHAIN, "Q", models={"bad": bad, "good": backend(name="good")}, rectifier=rectifier, max_repairs=9
    )
    assert [state.down_models for state in rectifier.states] == [frozenset(), {"bad"}]
    assert (run.ended, bad.goals("start")) == ("down", ["a", "b", "b"])


async def test_a_back_end_that_works_in_between_is_not_down(backend):
    model = backend({"a": down_once(), "b": down_once(), "c": down_once()})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([Again()] * 9), max_repairs=9)
    assert (run.result.answer, run.n_attempts) == ("c!", 4)


async def test_a_prompt_that_does_not_fit_speaks_against_no_back_end(backend):
    model = backend({"b": {"error": ContextOverflow("too long")}})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([Again()] * 9), max_repairs=4)
    assert (run.ended, model.goals("start").count("b")) == ("most repairs", 5)


async def test_a_repair_that_was_tried_before_ends_the_run(backend):
    model = backend({"b": {"error": ModelError("down")}, "b2": {"error": ModelError("down")}})
    flip = [[Edit("b", goal="b2")], [Edit("b", goal="b")]]
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted(flip), down_after=99, max_repairs=9)
    assert (run.ended, len(run.repairs), run.result.status) == ("repeated", 1, "error")
    assert CHAIN.content_hash in run.why
    same = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([[Edit("b", role="")]]))
    assert (same.ended, same.repairs) == ("repeated", ())


async def test_repairs_are_bounded(backend):
    model = backend({"b": {"error": ModelError("no")}} | {f"b{i}": {"error": ModelError("no")} for i in range(9)})
    changes = [[Edit("b", goal=f"b{i}")] for i in range(9)]
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted(changes), down_after=99, max_repairs=3)
    assert (run.ended, len(run.repairs), run.n_attempts) == ("most repairs", 3, 4)
    none = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([]), max_repairs=0)
    assert (none.ended, none.n_attempts) == ("most repairs", 1)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ([Edit("zz", goal="")], "unknown-agent"),
        ([Edit("b", backbone="gpt-9")], "unknown-backbone"),
        ([Edit("b", workflow="guessing")], "no-implementation"),
        ([Edit("b", goal="${c}")], "reference-without-flow"),
    ],
)
async def test_a_change_that_gives_no_system_ends_the_run_and_says_why(backend, change, rule):
    model = backend({"b": {"error": Unavailable("down")}})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([change]))
    assert (run.ended, run.result.status, run.repairs) == ("invalid", "error", ())
    assert rule in run.why
    assert [span.error for span in run.trace if span.kind == "repair"] == [f"invalid: {run.why}"]


async def test_the_first_system_must_be_able_to_run(backend):
    with pytest.raises(PlanNotRunnable):
        await run_with_repairs(
            Orchestration((Agent("a", "", "", backbone="x"),)), "Q", models=backend(), rectifier=Scripted([])
        )


async def test_the_soft_bound_is_beyond_what_was_spent_not_at_it(backend):
    model, cheap = backend(), backend(name="cheap")
    edits = [Edit("b", backbone="cheap"), Edit("c", backbone="cheap")]
    rectifier = Scripted([edits])
    pool = {"backend": model, "cheap": cheap}
    run = await run_with_repairs(CHAIN, "Q", models=pool, rectifier=rectifier, repair_at=Budget(tokens=14))
    assert (model.goals("start"), cheap.goals("start")) == (["a"], ["b", "c"])
    assert (run.repairs[0].why, run.ended) == ("15 tokens are spent, more than 14", "done")
    assert len(rectifier.states) == 1  # once, though all later spend is beyond the bound too
    at_it = Scripted([edits])
    await run_with_repairs(CHAIN, "Q", models=backend(), rectifier=at_it, repair_at=Budget(tokens=45))
    assert at_it.states == []


async def test_a_rectifier_that_changes_nothing_at_the_soft_bound_lets_the_run_go_on(backend):
    model = backend()
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([None]), repair_at=Budget(tokens=14))
    assert (run.result.answer, run.ended, model.goals("start")) == ("c!", "done", ["a", "b", "c"])
    assert run.n_attempts == 2


async def test_the_hard_budget_holds_over_all_attempts(backend):
    model = backend({"b": down_once(3)})
    run = await run_with_repairs(
        CHAIN, "Q", models=model, rectifier=Scripted([Again()] * 9), down_after=9, max_repairs=9, budget=Budget(calls=1)
    )
    assert (run.result.status, run.ended) == ("limit", "budget")
    assert run.usage.calls == 1


async def test_the_time_is_that_of_all_attempts(backend):
    model = backend({"b": down_once(), "c": {"until": asyncio.Event()}})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([Again()]), budget=Budget(seconds=0.05))
    assert (run.result.status, run.ended, set(run.result.outputs)) == ("limit", "budget", {"a", "b"})


async def test_an_output_that_fails_a_check_is_made_again_and_what_depends_on_it_waits(backend):
    model = backend({"b": {"text": "Answer: 99"}})
    rectifier = Scripted([[Edit("b", goal="b2")]])
    run = await run_with_repairs(
        CHAIN,
        "Q",
        models=model,
        rectifier=rectifier,
        check=lambda agent, output: "too large" if output.answer == "99" else None,
    )
    assert model.goals("start") == ["a", "b", "b2", "c"]
    assert (run.result.answer, run.ended, run.unrepaired) == ("c!", "done", ())
    assert rectifier.states[0].unfinished == ("b", "c")
    assert run.repairs[0].why == "b (backend): check: too large"


async def test_a_doubted_answer_that_nobody_repairs_stands_and_the_doubt_is_kept(backend):
    model = backend()
    run = await run_with_repairs(
        CHAIN,
        "Q",
        models=model,
        rectifier=Scripted([None]),
        check=lambda agent, output: "odd" if agent.id == "b" else None,
    )
    assert (run.result.answer, run.result.status, run.ended) == ("c!", "done", "nothing to change")
    assert [failure.agent for failure in run.unrepaired] == ["b"]
    assert model.goals("start") == ["a", "b", "c"]


class Page:
    """A tool that gives a page."""

    name, description, parameters = "page", "Gives a page.", schema({})

    async def use(self, arguments) -> ToolResult:
        async def text(_):
            return "It is 7."

        return await attempt(self, arguments, text)


class Reader:
    """A sub-agent that needs its tool, or only tries it."""

    workflow = standard_workflow("cot")

    def __init__(self, must: bool) -> None:
        self.must = must

    def n_calls(self, agent: Agent) -> int:
        return 1

    async def act(self, task, call) -> Output:
        for tool in task.tools.values():
            result = await tool.use({})
            if result.failure is not None and self.must:
                raise AgentFailed("no page", result.failure)
        completion = await call((Message("user", f"Goal: {task.agent.id}"),))
        return Output(completion.text, "", "stop")


@pytest.mark.parametrize("must", [True, False])
async def test_a_tool_that_fails_once_is_used_again_by_the_agent_that_needed_it(backend, must):
    plan = Orchestration((Agent("a", "", "a"), Agent("b", "", "b", tools=("page",))), (Flow("a", "b"),))
    tool, rectifier = Failing(Page(), at_first(1)), Scripted([Again()])
    run = await run_with_repairs(
        plan, "Q", models=backend(), rectifier=rectifier, tools={"page": tool}, sub_agents={"cot": Reader(must)}
    )
    assert (tool.n_uses, run.result.status, run.ended, run.unrepaired) == (2, "done", "done", ())
    (failure,) = rectifier.states[0].failures
    assert (failure.agent, failure.tool, failure.kind, failure.is_final) == ("b", "page", "tool unavailable", must)


async def test_a_tool_that_stays_down_is_not_tried_again_and_another_serves(backend):
    plan = Orchestration((Agent("b", "", "b", tools=("page",)),))
    tool = Failing(Page(), down())
    rectifier = Scripted([Again(), [Edit("b", tools=("copy",))]])
    run = await run_with_repairs(
        plan,
        "Q",
        models=backend(),
        rectifier=rectifier,
        tools={"page": tool, "copy": Page()},
        sub_agents={"cot": Reader(must=True)},
        max_repairs=9,
    )
    assert (tool.n_uses, run.ended) == (2, "done")
    assert rectifier.states[1].down_tools == {"page"}
    stubborn = await run_with_repairs(
        plan,
        "Q",
        models=backend(),
        rectifier=Scripted([Again()] * 9),
        tools={"page": tool},
        sub_agents={"cot": Reader(must=True)},
        max_repairs=9,
    )
    assert (tool.n_uses, stubborn.ended) == (4, "down")


class Asking:
    """A rectifier with a model of its own, or that of the run."""

    def __init__(self, model) -> None:
        self.model = model

    async def repair(self, state, call):
        await call((Message("user", "Goal: repair"),))
        return [Edit("b", goal="b2")]


async def test_what_the_rectifier_spends_is_admitted_recorded_and_counted(backend):
    price = Usage(1, 100, 7, Decimal("0.25"))
    own = backend({"repair": {"usage": price}}, name="own", price=Price(Decimal(1), Decimal(1)))
    model = backend({"b": {"error": Unavailable("down", usage=ONCE)}})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Asking(own))
    assert run.repairs[0].usage == price == run.trace.usage_of(RECTIFIER)
    assert run.usage == price + ONCE + ONCE + ONCE + ONCE
    assert [span.model for span in run.trace if span.agent == RECTIFIER and span.kind == "call"] == ["own"]
    stopped = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Asking(own), budget=Budget(calls=2))
    assert (stopped.ended, stopped.result.status, stopped.usage.calls) == ("budget", "error", 2)


async def test_a_rectifier_whose_model_fails_ends_the_run(backend):
    own = backend({"repair": {"error": Unavailable("gone", usage=ONCE)}}, name="own")
    model = backend({"b": {"error": Unavailable("down")}})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Asking(own))
    assert (run.ended, run.why) == ("rectifier failed", "Unavailable: gone")
    assert run.usage == ONCE + ONCE


async def test_a_slow_rectifier_does_not_outlast_the_budget(backend):
    own = backend({"repair": {"until": asyncio.Event()}}, name="own")
    model = backend({"b": {"error": Unavailable("down")}})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Asking(own), budget=Budget(seconds=0.05))
    assert run.ended == "budget"


async def test_the_trace_shows_before_after_and_why_and_survives_as_json(backend):
    model = backend({"b": down_once()})
    run = await run_with_repairs(CHAIN, "Q", models=model, rectifier=Scripted([[Edit("b", goal="b2")]]))
    (repair,) = [span for span in run.trace if span.kind == "repair"]
    assert (repair.arguments, repair.text) == (CHAIN.to("calls"), run.plan.to("calls"))
    assert repair.reasoning == "b (backend): Unavailable: HTTP 503"
    assert [(s.agent, s.attempt) for s in run.trace if s.kind == "agent"] == [("a", 0), ("b", 0), ("b", 1), ("c", 1)]
    assert Trace.from_json(run.trace.to_json()) == run.trace


async def test_cancelling_cancels_agents_and_rectifier(backend):
    own = backend({"repair": {"until": asyncio.Event()}}, name="own")
    model = backend({"b": {"error": Unavailable("down")}})
    running = asyncio.create_task(run_with_repairs(CHAIN, "Q", models=model, rectifier=Asking(own)))
    async with asyncio.timeout(5):
        while not own.n_in_flight:
            await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert own.n_in_flight == 0


async def test_counts_out_of_range_are_refused(backend):
    with pytest.raises(ValueError, match="max_repairs"):
        await run_with_repairs(CHAIN, "Q", models=backend(), rectifier=Scripted([]), max_repairs=-1)


EDITS = st.sampled_from(["goal", "role", "backbone"])


@st.composite
def scenarios(draw):
    """A system, who fails at first, and what a rectifier then changes."""
    plan = draw(systems())
    ids = [agent.id for agent in plan.agents]
    failing = draw(st.sets(st.sampled_from(ids), min_size=1))
    edited = draw(st.dictionaries(st.sampled_from(ids), EDITS, min_size=1))
    return plan, failing, edited


def edit(id: str, what: str) -> Edit:
    """An edit that leaves the goal's first word, by which the back-end knows the agent."""
    return {"goal": Edit(id, goal=f"{id} anew"), "role": Edit(id, role="x"), "backbone": Edit(id, backbone="other")}[
        what
    ]


@given(scenarios())
@settings(max_examples=25)
def test_what_is_unchanged_is_not_paid_for_twice(backend, scenario):
    plan, failing, edited = scenario

    class Ids(backend):
        """Answers by the agent's id, and fails once for some."""

        async def complete(self, messages, sampling):
            id = messages[-1].content.rpartition("Goal: ")[2].split()[0]
            started.append(id)
            if id in left:
                left.discard(id)
                raise Unavailable("down")
            return await super().complete(messages, sampling)

    started: list[str] = []
    left = set(failing)
    pool = {"main": Ids(name="main"), "other": Ids(name="other")}
    changes = [[edit(id, what) for id, what in edited.items()], *[Again()] * 20]
    run = asyncio.run(
        run_with_repairs(plan, "Q", models=pool, rectifier=Scripted(changes), max_repairs=20, down_after=99)
    )
    assert run.result.status == "done"
    touched = set(edited)
    for id in plan.order:
        if any(flow.source in touched for flow in plan.inputs(id)):
            touched.add(id)
    for agent in plan.agents:
        # One try that failed, where it fails; one more where it or an ancestor was changed; the one that counts.
        most = 1 + (agent.id in failing) + (agent.id in touched)
        assert started.count(agent.id) <= most
        if agent.id not in touched:
            assert started.count(agent.id) == 1 + (agent.id in failing)
    assert run.usage.calls == len(started) - len(failing)  # a failed call of this back-end costs nothing
    assert run.usage == run.trace.usage


@given(systems(), st.data())
@settings(max_examples=20)
def test_costs_sum_exactly_over_attempts_repairs_and_agents(backend, plan, data):
    replies = {f"{agent.id}{mark}": data.draw(REPLIES) for agent in plan.agents for mark in ("", "+")}
    spends = data.draw(REPLIES)
    model = backend(replies)
    own = backend({"repair": spends}, name="own")

    class Renaming(Asking):
        async def repair(self, state, call):
            await call((Message("user", "Goal: repair"),))
            return [Edit(failure.agent, goal=f"{failure.agent}+") for failure in state.failures]

    run = asyncio.run(run_with_repairs(plan, "Q", models=model, rectifier=Renaming(own), max_repairs=5, down_after=99))
    spent = [replies[goal]["usage"] for goal in model.goals("end")]
    spent += [replies[goal]["error"].usage for goal in model.goals("ModelError")]
    spent += [spends["error"].usage if "error" in spends else spends["usage"]] * len(own.goals("start"))
    assert run.usage == sum(spent, Usage()) == run.trace.usage
    by_agent = sum((run.trace.usage_of(agent.id) for agent in plan.agents), Usage())
    assert run.usage == by_agent + run.trace.usage_of(RECTIFIER)
    by_attempt = [sum((s.usage for s in run.trace if s.attempt == k), Usage()) for k in range(run.n_attempts)]
    assert run.usage == sum(by_attempt, Usage())
