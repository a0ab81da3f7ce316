"""An agent's card: what it was asked, what flowed in, what it answered, and what that took."""

from __future__ import annotations

from decimal import Decimal
from xml.etree import ElementTree

from masrepro import Agent, Flow, Orchestration, run_sync
from masrepro.explore.act import acts, card_html, card_rows
from masrepro.models import Completion, Price, Unavailable, Usage

PLAN = Orchestration((Agent("a", "solver", "one"), Agent("b", "", "two <x>")), (Flow("a", "b", "the first"),))


class Model:
    name, revision, context_tokens, price = "m", "1", 100, Price(Decimal(1), Decimal(2))

    def __init__(self, down_at: str = "") -> None:
        self.down_at = down_at

    async def complete(self, messages, sampling):
        if self.down_at and messages[-1].content.endswith(self.down_at):
            raise Unavailable("HTTP 503")
        return Completion("Because.\nAnswer: \\boxed{7}", "stop", Usage(1, 10, 5, self.price.of(10, 5)))


def card(act):
    return {row["agent"]: row[act.agent.id] for row in card_rows(act)}


def test_a_card_tells_goal_inputs_output_model_tokens_cost_and_time():
    done = acts(PLAN, run_sync(PLAN, "Q", models=Model()).trace)
    assert [act.state for act in done.values()] == ["finished", "finished"]
    facts = card(done["b"])
    assert facts["goal"] == "two <x>"
    assert facts["inputs"] == "from a (the first): 7"
    assert (facts["output"], facts["rationale"], facts["model"]) == ("7", "Because.", "m")
    assert facts["tokens"] == "10 in, 5 out"
    assert facts["cost, USD"] == "0.00002"
    assert facts["time"].endswith(" s")
    assert "error" not in facts
    assert "two <x>" in [cell.text for cell in ElementTree.fromstring(card_html(done["b"])).iter("td")]


def test_an_agent_that_failed_says_why_and_one_behind_it_was_not_run():
    done = acts(PLAN, run_sync(PLAN, "Q", models=Model(down_at="one")).trace)
    assert (done["a"].state, done["b"].state) == ("failed", "not run")
    assert "HTTP 503" in card(done["a"])["error"]
    assert done["a"].outcome.startswith("failed: Unavailable")
    assert done["b"].outcome == "not run"
    assert "time" not in card(done["b"])
