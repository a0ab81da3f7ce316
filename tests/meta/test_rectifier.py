"""A model as rectifier: what it is told of a state, and what becomes of what it writes."""

from __future__ import annotations

from decimal import Decimal

import pytest

from masrepro.agents import Output
from masrepro.meta.rectifier import ModelRectifier, rectifier_messages
from masrepro.models import FREE, Completion, Price, Unavailable, Usage
from masrepro.models.desk import load_desk_model
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Failure, State, run_with_repairs
from masrepro.runtime.briefing import told
from masrepro.tools.tool import ToolFailure
from masrepro.train.desk_words import phrases

PLAN = Orchestration((Agent("a1", "solver", "x"), Agent("a2", "solver", "y")), (Flow("a1", "a2"),))


class Writing:
    """Answers agents that it is down, and the rectifier's request with a text."""

    revision, context_tokens, price = "1", 100_000, FREE

    def __init__(self, text: str, name: str, finish: str = "stop") -> None:
        self.text, self.name, self.finish = text, name, finish

    async def complete(self, messages, sampling):
        if "change_agent" not in messages[0].content:
            raise Unavailable("down")
        return Completion(self.text, self.finish, Usage(1, 9, 9, Decimal(0)))


class Answering(Writing):
    """Works."""

    async def complete(self, messages, sampling):
        return Completion("Answer: 7", "stop", Usage(1, 1, 1, Decimal(0)))


def state(**fields) -> State:
    return State(
        question="Q?",
        plan=PLAN,
        outputs={"a1": Output("\\boxed{3}", "", "stop")},
        failures=(Failure("a2", "s", Unavailable("HTTP 503\nagain"), is_final=True),),
        spent=Usage(2, 10, 5, Decimal("0.5")),
        models={"s": Price(Decimal("0.1"), Decimal("0.2")), "m": None},
        default="s",
        **fields,
    )


def test_the_state_is_told_in_words_that_a_desk_model_knows():
    text = told(state(overspent="15 tokens are spent, more than 14", down_models=frozenset({"s"}), tools=("search",)))
    assert text == (
        f"Q?\n\nSystem:\n{PLAN.to('calls')}\n\n"
        "Done: a1 = 3\n"
        "Failed: a2 (s): Unavailable: HTTP 503 again\n"
        "Spent: 2 calls, 15 tokens, 0.5 USD; 15 tokens are spent, more than 14\n"
        "Models: s is down (0.1 / 0.2), m\n"
        "Tools: search"
    )
    assert {"System:\n", "Done: ", "Failed: ", "Spent: ", "Models: "} <= set(phrases())


def test_a_tool_that_failed_is_named():
    failure = Failure("a2", "s", ToolFailure("timeout", "no result"), "search", is_final=True)
    assert str(failure) == "a2 (tool search): tool timeout: no result"


def test_the_rules_say_what_may_be_written():
    system, _ = rectifier_messages(state())
    assert all(words in system.content for words in ("change_agent(id=", "create_agent", "nothing to change", "cot"))


@pytest.mark.parametrize(
    ("text", "ended", "answer"),
    [
        ('change_agent(id="a1", backbone="other")\nchange_agent(id="a2", backbone="other")', "done", "7"),
        ('answer(text="8")', "done", "8"),
        ("nothing to change", "nothing to change", None),
        ("I am sorry.", "invalid", None),
    ],
)
async def test_what_a_model_writes_is_done(text, ended, answer):
    bad = Writing(text, "bad")
    run = await run_with_repairs(
        PLAN, "Q?", models={"bad": bad, "other": Answering("", "other")}, rectifier=ModelRectifier(None)
    )
    assert (run.ended, run.result.answer) == (ended, answer)


async def test_a_change_that_was_cut_off_is_none():
    bad = Writing('change_agent(id="a1", backbone="oth', "bad", finish="length")
    run = await run_with_repairs(PLAN, "Q?", models=bad, rectifier=ModelRectifier(None))
    assert (run.ended, "cut-off" in run.why) == ("invalid", True)


async def test_a_real_model_is_asked_and_paid_for():
    solver = load_desk_model("desk-solver-s")
    run = await run_with_repairs(
        PLAN, "Q?", models={"bad": Writing("", "bad")}, rectifier=ModelRectifier(solver, max_tokens=8)
    )
    assert run.ended == "invalid"  # a solver solves; it knows nothing of repairs
    assert run.usage.calls == 1  # the back-end that was down charges nothing
