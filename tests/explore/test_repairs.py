"""A run that was repaired, as pictures and as a table."""

from __future__ import annotations

from masrepro.baselines.rectifiers import SwapFailed
from masrepro.explore.repairs import attempt_rows, attempt_svgs
from masrepro.models import FREE, Completion, Unavailable, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import Budget, run_with_repairs

PLAN = Orchestration((Agent("a", "", "one"), Agent("b", "", "two")), (Flow("a", "b"),))


class Model:
    revision, context_tokens, price = "1", 100, FREE

    def __init__(self, name: str, down_at: str = "") -> None:
        self.name, self.down_at = name, down_at

    async def complete(self, messages, sampling):
        if self.down_at and messages[-1].content.endswith(self.down_at):
            raise Unavailable("HTTP 503")
        return Completion("Answer: \\boxed{7}", "stop", Usage(1, 1, 1))


async def test_each_attempt_is_drawn_as_it_ended():
    run = await run_with_repairs(
        PLAN, "Q", models={"s": Model("s", down_at="two"), "m": Model("m")}, rectifier=SwapFailed()
    )
    before, after = attempt_svgs(run)
    assert "failed: Unavailable" in before
    assert "· m<" not in before
    assert "failed" not in after
    assert "b · cot · sink · m<" in after
    assert after.count("= 7") == 2
    rows = attempt_rows(run)
    assert [(row["attempt"], row["who"], row["backbone"]) for row in rows] == [
        (0, "a", "the default"),
        (0, "b", "the default"),
        (0, "rectifier", ""),
        (1, "b", "m"),
    ]
    assert [row["what came of it"] for row in rows][1:3] == [
        "Unavailable: HTTP 503",
        "repaired: b (s): Unavailable: HTTP 503",
    ]


async def test_a_run_that_went_on_without_a_repair_is_drawn_as_it_was():
    run = await run_with_repairs(PLAN, "Q", models=Model("s"), rectifier=SwapFailed(), repair_at=Budget(calls=0))
    assert (run.n_attempts, run.repairs) == (2, ())
    assert len(attempt_svgs(run)) == 2
