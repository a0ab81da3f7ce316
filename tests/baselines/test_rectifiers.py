"""Rectifiers and implementers that go by rules."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest

from masrepro.agents import Output
from masrepro.baselines.implementers import at_random, on_cheapest, on_one
from masrepro.baselines.rectifiers import RerunFromScratch, RetryCall, RetryThenSwap, SwapFailed
from masrepro.models import Price, Unavailable, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Again, CheckFailed, Edit, Failure, Repair, State
from masrepro.tools.tool import ToolFailure

PLAN = Orchestration(
    (Agent("a", "", "a"), Agent("b", "", "b", tools=("page",)), Agent("c", "", "c", backbone="l")),
    (Flow("a", "b"), Flow("b", "c")),
)
DOWN = Failure("b", "s", Unavailable("down"), is_final=True)


def state(*failures: Failure, **fields) -> State:
    prices = {name: Price(Decimal(usd), Decimal(usd)) for name, usd in (("s", 1), ("m", 2), ("l", 4))}
    given = {"outputs": {"a": Output("1", "", "stop")}, "models": prices, "tools": ("page", "copy"), **fields}
    return State(question="Q", plan=PLAN, failures=failures, spent=Usage(), default="s", **given)


async def repaired(rectifier, state: State):
    return await rectifier.repair(state, None)


async def test_retry_and_rerun_try_the_same_system():
    assert await repaired(RetryCall(), state(DOWN)) == Again()
    assert await repaired(RerunFromScratch(), state(DOWN)) == Again(from_scratch=True)
    for rectifier in (RetryCall(), RerunFromScratch()):
        assert await repaired(rectifier, state(overspent="too much")) is None


async def test_a_back_end_that_failed_is_left_by_all_that_have_not_finished():
    assert await repaired(SwapFailed(), state(DOWN)) == [Edit("b", backbone="m")]
    early = Failure("a", "s", Unavailable("down"), is_final=True)
    assert await repaired(SwapFailed(), state(early, outputs={})) == [Edit("a", backbone="m"), Edit("b", backbone="m")]


async def test_what_is_down_is_passed_over_and_without_another_nothing_changes():
    assert await repaired(SwapFailed(), state(DOWN, down_models=frozenset({"m"}))) == [Edit("b", backbone="l")]
    assert await repaired(SwapFailed(), state(DOWN, down_models=frozenset({"m", "l"}))) is None


async def test_an_output_that_failed_a_check_is_made_on_another_model():
    doubted = Failure("a", "s", CheckFailed("odd"))
    assert await repaired(SwapFailed(), state(doubted)) == [Edit("a", backbone="m")]


async def test_a_tool_that_failed_gives_way_to_the_next():
    failure = Failure("b", "s", ToolFailure("unavailable", "down"), "page", is_final=True)
    assert await repaired(SwapFailed(), state(failure)) == [Edit("b", tools=("copy",))]
    assert await repaired(SwapFailed(), state(failure, down_tools=frozenset({"copy"}))) is None


async def test_a_tool_that_was_used_wrongly_is_left_by_the_agent_concerned_alone():
    both = Orchestration(
        (Agent("b", "", "b", tools=("page",)), Agent("c", "", "c", tools=("page",))), (Flow("b", "c"),)
    )
    for kind, left in (("bad_arguments", ["b"]), ("unavailable", ["b", "c"])):
        failure = Failure("b", "s", ToolFailure(kind, "no"), "page", is_final=True)
        edits = await repaired(SwapFailed(), replace(state(failure, outputs={}), plan=both))
        assert [edit.id for edit in edits] == left


async def test_where_a_run_starts_over_those_who_have_finished_swap_too():
    assert await repaired(SwapFailed(everywhere=True), state(DOWN)) == [
        Edit("a", backbone="m"),
        Edit("b", backbone="m"),
    ]


async def test_what_fails_once_is_tried_again_and_what_fails_twice_is_swapped():
    assert await repaired(RetryThenSwap(), state(DOWN)) == Again()
    again = Repair(PLAN, PLAN, Again(), "down", Usage(), 1)
    assert await repaired(RetryThenSwap(), state(DOWN, repairs=(again,))) == [Edit("b", backbone="m")]
    assert await repaired(RetryThenSwap(), state(overspent="too much")) == [Edit("c", backbone="s")]


async def test_past_the_soft_bound_the_rest_goes_to_the_cheapest():
    assert await repaired(SwapFailed(), state(overspent="too much")) == [Edit("c", backbone="s")]


class Priced:
    """A model that is only looked at."""

    name, revision, context_tokens = "priced", "1", 100

    def __init__(self, usd: int | None) -> None:
        self.price = None if usd is None else Price(Decimal(usd), Decimal(usd))


def backbones(plan: Orchestration) -> list[str | None]:
    return [agent.backbone for agent in plan.agents]


def test_assignments_by_rule():
    pool = {"l": Priced(4), "s": Priced(1), "m": Priced(2)}
    assert backbones(on_one(PLAN, "m")) == ["m", "m", "m"]
    assert backbones(on_cheapest(PLAN, pool)) == ["s", "s", "s"]
    drawn = [backbones(at_random(PLAN, pool, Random(seed))) for seed in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1]
    assert len({tuple(names) for names in drawn}) > 1
    with pytest.raises(ValueError, match="price of 'x' is unknown"):
        on_cheapest(PLAN, {"x": Priced(None)})
