"""One system on one item: from a sample, from a run, and each attempt of a run that was repaired."""

from __future__ import annotations

from xml.etree import ElementTree

from masrepro import Agent, Flow, Orchestration, run_sync
from masrepro.baselines.rectifiers import SwapFailed
from masrepro.bench import Item
from masrepro.explore.case import case_of, case_of_run, case_svg, comparison_rows, repair_cases
from masrepro.lab.sample import Sample
from masrepro.models import FREE, Completion, Unavailable, Usage
from masrepro.runtime import run_with_repairs

PLAN = Orchestration((Agent("a", "", "one"), Agent("b", "", "two")), (Flow("a", "b"),))
ITEM = Item("x", "How many?", "7", "exact_int")


class Model:
    revision, context_tokens, price = "1", 100, FREE

    def __init__(self, name: str = "m", down_at: str = "") -> None:
        self.name, self.down_at = name, down_at

    async def complete(self, messages, sampling):
        if self.down_at and messages[-1].content.endswith(self.down_at):
            raise Unavailable("HTTP 503")
        return Completion("Answer: \\boxed{7}", "stop", Usage(1, 1, 1))


def sample(**more):
    return Sample(**{"system": "s", "benchmark": "b", "item_id": "x", "repeat": 0, "outcome": "correct", **more})


def test_a_sample_on_record_is_drawn_with_what_its_agents_answered():
    result = run_sync(PLAN, ITEM.question, models=Model())
    case = case_of(
        sample(answer="7", extracted="7", gold=("7",), orchestration=PLAN.to("calls"), trace=result.trace, seconds=0.5)
    )
    assert (case.plan, case.gold) == (PLAN, "7")
    assert case_svg(case).count("= 7") == 2


def test_what_is_no_system_says_why():
    case = case_of(sample(outcome="invalid", answer=None, extracted=None, gold="7", error="line 3: no such agent"))
    said = " ".join(ElementTree.fromstring(case_svg(case)).itertext())
    assert "line 3: no such agent" in said
    unreadable = case_of(sample(answer="7", extracted="7", gold="7", orchestration="create_agent("))
    assert unreadable.plan is None
    assert unreadable.error


def test_a_run_is_scored_as_in_an_evaluation():
    assert case_of_run("mine", PLAN, run_sync(PLAN, "Q", models=Model()), ITEM).outcome == "correct"
    other = Item("x", "How many?", "8", "exact_int")
    assert case_of_run("mine", PLAN, run_sync(PLAN, "Q", models=Model()), other).outcome == "wrong"
    failed = case_of_run("mine", PLAN, run_sync(PLAN, "Q", models=Model(down_at="two")), ITEM)
    assert failed.outcome == "error"
    assert "503" in failed.error


def test_cases_side_by_side_have_a_column_each_even_under_one_name():
    case = case_of_run("mine", PLAN, run_sync(PLAN, "Q", models=Model()), ITEM)
    rows = comparison_rows([case, case])
    assert list(rows[0]) == ["case", "mine (1)", "mine (2)"]
    assert {row["case"]: row["mine (1)"] for row in rows}["calls"] == "2"


async def test_a_repaired_run_is_a_case_an_attempt():
    run = await run_with_repairs(
        PLAN, "Q", models={"s": Model("s", down_at="two"), "m": Model("m")}, rectifier=SwapFailed()
    )
    before, after = repair_cases(run, ITEM)
    assert (before.outcome, after.outcome) == ("paused", "correct")
    assert "503" in before.error
    assert before.usage.calls < after.usage.calls == run.usage.calls
    assert "failed" in case_svg(before)
    assert "failed" not in case_svg(after)
