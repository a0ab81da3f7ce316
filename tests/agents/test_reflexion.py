from __future__ import annotations

import pytest

from masrepro.agents import Output, Reflexion, Task, cot_messages
from masrepro.agents.reflexion import is_satisfied
from masrepro.models.model import Completion, Sampling, Usage
from masrepro.orchestration import Agent, Orchestration
from masrepro.runtime import run

TASK = Task("Q?", Agent("a", "solver", "Go.", workflow="reflexion"))
SOLVED = "I add.\nAnswer: 4"
SATISFIED = "All right.\nAnswer: satisfied"


async def test_a_satisfied_critic_ends_it_after_two_calls(scripted):
    call = scripted([SOLVED, SATISFIED])
    output = await Reflexion().act(TASK, call)
    assert output == Output("4", "The critic was satisfied after 0 of 5 revisions.\nI add.", "stop")
    assert call.sent[0] == (cot_messages(TASK), {})
    assert call.user_turns()[1] == "Q?\n\nFrom attempt: 4\nI add.\n\nGoal: Go."


async def test_a_critic_that_is_never_satisfied_is_heard_five_times(scripted):
    turns = iter(range(100))
    call = scripted(answer=lambda messages: f"Thought.\nAnswer: {next(turns)}")
    output = await Reflexion().act(TASK, call)
    assert len(call.sent) == Reflexion().n_calls(TASK.agent) == 11
    assert output == Output("10", "No critic has looked at this last of 5 revisions.\nThought.", "stop")


async def test_a_revision_sees_the_attempt_and_the_critique_with_their_reasons(scripted):
    call = scripted([SOLVED, "You forgot one.\nAnswer: 5", "I add anew.\nAnswer: 5", SATISFIED])
    output = await Reflexion().act(TASK, call)
    assert call.user_turns()[2] == "Q?\n\nFrom attempt: 4\nI add.\nFrom critic: 5\nYou forgot one.\n\nGoal: Go."
    assert call.user_turns()[3] == "Q?\n\nFrom attempt: 5\nI add anew.\n\nGoal: Go."
    assert output.rationale.startswith("The critic was satisfied after 1 of 5 revisions.")


@pytest.mark.parametrize(
    ("critique", "satisfied"),
    [
        ("satisfied", True),
        ("Satisfied.", True),
        ("**satisfied**, nothing to mend", True),
        (r"\boxed{satisfied}", True),
        (r"\boxed{4}", True),
        ("4.0", True),
        ("5", False),
        ("not satisfied", False),
        ("dissatisfied", False),
        ("True", False),
        (None, False),
    ],
)
def test_a_critic_is_satisfied_when_it_says_so_or_gives_the_same_answer(critique, satisfied):
    assert is_satisfied(Output(critique, "", "stop"), Output("4", "", "stop")) is satisfied


def test_nobody_is_satisfied_with_no_answer():
    assert not is_satisfied(Output("satisfied", "", "stop"), Output(None, "", "length"))


async def test_an_attempt_that_was_cut_off_is_revised(scripted):
    cut = Completion("so \\boxed{7} perhaps", "length", Usage(1, 1, 1))
    call = scripted([cut, SATISFIED, SOLVED, SATISFIED])
    assert (await Reflexion().act(TASK, call)).answer == "4"
    assert call.user_turns()[1].startswith("Q?\n\nFrom attempt: no answer\n")


async def test_reasons_are_shown_up_to_a_bound(scripted):
    call = scripted([SOLVED, SATISFIED])
    await Reflexion(rationale_chars=0).act(TASK, call)
    assert call.user_turns()[1] == "Q?\n\nFrom attempt: 4\n\nGoal: Go."


def test_reflexion_without_a_round_is_refused():
    with pytest.raises(ValueError, match="at least one round"):
        Reflexion(rounds=0)


async def test_a_real_model_reflects(desk):
    model, item = desk
    plan = Orchestration((Agent("a", "", "", workflow="reflexion"),))
    reflexion = Reflexion(rounds=2, rationale_chars=0)
    result = await run(
        plan, item.question, models=model, sampling=Sampling(max_tokens=48), sub_agents={"reflexion": reflexion}
    )
    calls = [span for span in result.trace if span.kind == "call"]
    assert 2 <= len(calls) <= reflexion.n_calls(plan.agents[0]) == 5
    assert "\n\nFrom attempt: " in calls[1].messages[-1].content
    assert result.status in ("done", "truncated")
