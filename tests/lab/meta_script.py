"""A small world in which everything is known: solvers that are right or wrong, and meta-agents that write what a script
says. For tests of schedules, costs and trees.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from decimal import Decimal

from masrepro.bench import Item
from masrepro.models import Completion, Pool, Price, Usage
from masrepro.orchestration import Agent, Flow, Orchestration

ITEMS = tuple(Item(f"item-{k}", f"What is {k} plus {k}?", f"{2 * k}", "exact_int") for k in range(1, 5))
ONE = Orchestration((Agent("a1", "solver", "Add."),)).to("calls")
TWO = Orchestration(
    (Agent("a1", "solver", "Add."), Agent("a2", "checker", "Check.")), (Flow("a1", "a2", "the sum"),)
).to("calls")
CHEAP, DEAR = Price(Decimal(1), Decimal(1)), Price(Decimal(10), Decimal(10))
_ANSWERS = {item.question: item.answer for item in ITEMS}


@dataclass
class Scripted:
    """A model that says what a function makes of the messages and the seed; 10 tokens in, 10 out, a call."""

    name: str
    says: object
    price: Price | None = CHEAP
    wait: asyncio.Event | None = None
    asked: list = field(default_factory=list)
    revision = "scripted"
    context_tokens = 100_000

    async def complete(self, messages, sampling):
        self.asked.append((tuple(messages), sampling))
        await asyncio.sleep(0)
        text = self.says(messages, sampling)
        if isinstance(text, Exception):
            raise text
        cost = self.price.of(10, 10) if self.price else None
        return Completion(text, "stop", Usage(1, 10, 10, cost))


def solver(name, price, *, right):
    """A sub-agent that adds rightly, or is one off."""

    def says(messages, sampling):
        question = next(q for q in _ANSWERS if any(q in message.content for message in messages))
        return f"Answer: \\boxed{{{int(_ANSWERS[question]) + (not right)}}}"

    return Scripted(name, says, price)


def pool():
    """One that is dear and right, one that is cheap and wrong."""
    return Pool({"weak": solver("weak", CHEAP, right=False), "strong": solver("strong", DEAR, right=True)})


def cycling(name, *texts):
    """A meta-agent whose draw depends on the seed alone."""
    return Scripted(name, lambda messages, sampling: texts[(sampling.seed or 0) % len(texts)])
