from __future__ import annotations

import pytest

from masrepro.agents import CoTSC, Output, Task, cot_messages
from masrepro.models.model import Completion, Sampling, Usage
from masrepro.orchestration import Agent, Orchestration
from masrepro.runtime import Budget, run

TASK = Task("What is 2 + 2?", Agent("a", "", "Go.", workflow="cot_sc"))


def replies(*answers: str) -> list[str]:
    return [f"I get {answer}.\nAnswer: {answer}" for answer in answers]


async def test_five_samples_of_cots_own_prompt_are_drawn_at_once_with_seeds_of_their_own(scripted):
    call = scripted(replies("4", "5", r"\boxed{4}", "4", "5"))
    output = await CoTSC().act(TASK, call)
    assert output == Output("4", "3 of 5 samples agree.\nI get 4.", "stop")
    assert call.peak == len(call.sent) == CoTSC().n_calls(TASK.agent) == 5
    assert {messages for messages, _ in call.sent} == {cot_messages(TASK)}
    assert [change["temperature"] for _, change in call.sent] == [0.5] * 5
    assert len({change["seed"] for _, change in call.sent}) == 5
    assert all(0 <= change["seed"] < 2**31 for _, change in call.sent)


@pytest.mark.parametrize(("own", "drawn"), [(0.0, 0.5), (0.5, 0.5), (0.9, 0.9)])
async def test_a_higher_temperature_of_the_run_counts(scripted, own, drawn):
    call = scripted(replies("4") * 5, sampling=Sampling(temperature=own))
    await CoTSC().act(TASK, call)
    assert {change["temperature"] for _, change in call.sent} == {drawn}


async def seeds(scripted, seed: int | None, id: str = "a") -> list[int | None]:
    call = scripted(replies("4") * 5, sampling=Sampling(seed=seed))
    await CoTSC().act(Task("Q", Agent(id, "", "")), call)
    return [change["seed"] for _, change in call.sent]


async def test_seeds_depend_on_the_runs_seed_and_on_the_agent(scripted):
    drawn = [await seeds(scripted, 1), await seeds(scripted, 2), await seeds(scripted, 1, "b")]
    assert len({seed for some in drawn for seed in some}) == 15
    assert await seeds(scripted, 1) == drawn[0]


async def test_without_a_seed_the_samples_have_none_and_are_told_apart_by_their_repeat(scripted):
    call = scripted(replies("4") * 5, sampling=Sampling(repeat=2))
    await CoTSC().act(TASK, call)
    assert [(change["seed"], change["repeat"]) for _, change in call.sent] == [(None, 10 + i) for i in range(5)]


async def test_a_sample_that_was_cut_off_does_not_vote(scripted):
    cut = Completion("so \\boxed{7} perhaps", "length", Usage(1, 1, 1))
    output = await CoTSC(n=3).act(TASK, scripted([cut, cut, "Answer: 4"]))
    assert (output.answer, output.rationale) == ("4", "1 of 3 samples agree.")
    assert await CoTSC(n=2).act(TASK, scripted([cut, "Answer:"])) == Output(
        None, "None of 2 samples holds an answer.", "length"
    )


def test_no_sample_at_all_is_refused():
    with pytest.raises(ValueError, match="at least one sample"):
        CoTSC(n=0)


async def test_samples_of_a_real_model_differ_and_are_the_same_again(desk):
    model, item = desk
    plan = Orchestration((Agent("a", "", "", workflow="cot_sc"),))
    sampling = Sampling(temperature=5.0, max_tokens=24, seed=3)  # hot enough for a model that is sure of itself
    first, again = [await run(plan, item.question, models=model, sampling=sampling) for _ in range(2)]
    texts = [span.text for span in first.trace if span.kind == "call"]
    assert len(texts) == 5
    assert len(set(texts)) > 1
    assert sorted(texts) == sorted(span.text for span in again.trace if span.kind == "call")
    assert first.outputs == again.outputs
    assert "samples" in first.outputs["a"].rationale


async def test_a_budget_stops_the_samples(desk):
    model, item = desk
    plan = Orchestration((Agent("a", "", "", workflow="cot_sc"),))
    result = await run(plan, item.question, models=model, sampling=Sampling(max_tokens=4), budget=Budget(calls=3))
    assert (result.status, result.usage.calls) == ("limit", 3)
