"""A trace as a table: a row a call, in order, costs said as they are."""

from decimal import Decimal

from masrepro import Agent, Orchestration, run_sync
from masrepro.explore import call_rows
from masrepro.models import Completion, Price, Unavailable, Usage


class Fixed:
    """A model that always says the same, at a price or without one."""

    name = "fixed"
    revision = "1"
    context_tokens = 100

    def __init__(self, price, failure=None):
        self.price, self.failure = price, failure

    async def complete(self, messages, sampling):
        if self.failure:
            raise self.failure
        cost = self.price.of(10, 5) if self.price else None
        return Completion("Answer: 4", "stop", Usage(1, 10, 5, cost))


PLAN = Orchestration(agents=(Agent("a1", "solver", ""),))


def test_a_row_tells_tokens_cost_and_reply():
    (row,) = call_rows(run_sync(PLAN, "2 + 2?", models=Fixed(Price(Decimal(1), Decimal(2)))).trace)
    assert (row["agent"], row["model"], row["prompt tokens"], row["completion tokens"]) == ("a1", "fixed", 10, 5)
    assert row["USD"] == "0.00002"
    assert row["reply"] == "Answer: 4"


def test_an_unknown_cost_and_a_failure_are_said():
    assert call_rows(run_sync(PLAN, "q", models=Fixed(None)).trace)[0]["USD"] == "unknown"
    (row,) = call_rows(run_sync(PLAN, "q", models=Fixed(None, Unavailable("no server at 127.0.0.1:1"))).trace)
    assert "no server at 127.0.0.1:1" in row["reply"]
