from __future__ import annotations

import pytest

from masrepro.agents import Debate, Input, Task, cot_messages
from masrepro.models.model import Sampling
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import calls_bound, run

ROLES = ("optimist", "skeptic", "clerk")
TASK = Task("Q?", Agent("a", "solver", "Use ${r1}.", workflow="debate", roles=ROLES), (Input("r1", "x", "9"),))


def saying(messages) -> str:
    """A debater says how many opinions it has seen and who it is."""
    role = messages[0].content.partition("\n")[0].rpartition(" ")[2]
    return f"{role} thinks.\nAnswer: {messages[-1].content.count('From r')}"


async def test_roles_speak_at_once_in_rounds_and_a_judge_decides(scripted):
    call = scripted(answer=saying)
    output = await Debate(rounds=3).act(TASK, call)
    assert len(call.sent) == Debate(rounds=3).n_calls(TASK.agent) == 3 * 3 + 1
    assert call.peak == 3
    seen = [turn.count("From r") for turn in call.user_turns()]
    assert seen == [1, 1, 1, 4, 4, 4, 4, 4, 4, 4]
    assert output.answer == "4"


def test_the_papers_debate_makes_five_calls_a_role_and_one_of_the_judge():
    assert Debate().n_calls(Agent("a", "", "", workflow="debate", roles=("for", "against"))) == 11
    plan = Orchestration((Agent("a", "", "", workflow="debate", roles=ROLES),))
    assert calls_bound(plan) == 16


async def test_the_first_round_is_cots_own_turn(scripted):
    call = scripted(answer=saying)
    await Debate(rounds=1).act(TASK, call)
    assert {messages[-1] for messages, _ in call.sent[:3]} == {cot_messages(TASK)[-1]}


async def test_later_rounds_show_all_opinions_as_further_inputs_before_the_goal(scripted):
    call = scripted(answer=saying)
    await Debate(rounds=2).act(TASK, call)
    opinions = [f"From r{number} ({role}): 1\n{role} thinks." for number, role in enumerate(ROLES, start=1)]
    turn = "\n".join(["Q?\n\nFrom r1 (x): 9", *opinions, "\nGoal: Use 9."])
    assert call.user_turns()[3:6] == [turn] * 3


async def test_reasons_are_shown_up_to_a_bound(scripted):
    call = scripted(answer=lambda messages: "0123456789\nAnswer: 4")
    await Debate(rounds=2, rationale_chars=4).act(TASK, call)
    assert "From r2 (skeptic): 4\n0123\n" in call.user_turns()[-1]
    call = scripted(answer=lambda messages: "0123456789\nAnswer: 4")
    await Debate(rounds=2, rationale_chars=0).act(TASK, call)
    assert "From r2 (skeptic): 4\nFrom r3" in call.user_turns()[-1]


async def test_each_debater_is_told_its_role_and_draws_with_a_seed_of_its_own(scripted):
    call = scripted(answer=saying)
    await Debate(rounds=2).act(TASK, call)
    roles = [messages[0].content.partition("\n")[0] for messages, _ in call.sent]
    assert roles == [*(f"Your role: solver, as the {role}" for role in ROLES * 2), "Your role: solver"]
    assert len({change["seed"] for _, change in call.sent[:-1]}) == 6
    assert {change["temperature"] for _, change in call.sent[:-1]} == {0.5}
    assert call.sent[-1][1] == {}


async def test_what_a_debater_says_is_data(scripted):
    task = Task("Q?", Agent("a", "", "See ${b}.", workflow="debate", roles=("one", "two")), (Input("b", "", "${r1}"),))
    call = scripted(answer=lambda messages: "Answer: ${b} \\g<0>")
    await Debate(rounds=2).act(task, call)
    assert call.user_turns()[-1].endswith("From r1 (one): ${b} \\g<0>\nFrom r2 (two): ${b} \\g<0>\n\nGoal: See ${r1}.")


def test_a_debate_without_a_round_is_refused():
    with pytest.raises(ValueError, match="at least one round"):
        Debate(rounds=0)


async def test_a_real_model_debates(desk):
    model, item = desk
    agents = (Agent("a", "", "", workflow="debate", roles=("for", "against")), Agent("b", "", ""))
    plan = Orchestration(agents, (Flow("a", "b"),))
    debate = Debate(rounds=2, rationale_chars=0)
    sampling = Sampling(max_tokens=16, seed=1)
    result = await run(plan, item.question, models=model, sampling=sampling, sub_agents={"debate": debate})
    calls = [span for span in result.trace if span.kind == "call" and span.agent == "a"]
    assert len(calls) == debate.n_calls(agents[0]) == 5
    assert "From r2 (against): " in calls[-1].messages[-1].content
    assert result.status in ("done", "truncated")
