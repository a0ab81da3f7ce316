"""What a run may spend, and the meter that admits its calls.

A `Budget` is data. A `Meter` belongs to one run: every call asks it for admission before it is sent and
settles with it when it has ended. Not here: prices (`masrepro.models.model.Price`) and the record of what was
spent (`trace`).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, fields
from decimal import Decimal

from masrepro.models.model import Usage


class BudgetReached(Exception):
    """The budget has no room for the call; the message says which limit, and what was spent."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Upper bounds on one run; None is no bound.

    Parameters
    ----------
    tokens : int or None
        Prompt plus completion tokens of all calls.
    calls : int or None
        Requests that reach a back-end.
    seconds : float or None
        Wall-clock time of the run. Calls in flight at that moment are cancelled.
    usd : Decimal, int, float or None
        US dollars. Kept as an exact Decimal; a float counts as the decimal that it prints as.

    Raises
    ------
    ValueError
        A bound is negative or not a number.

    Notes
    -----
    What holds at the end of a run, whatever runs at once:

    - calls: no call is started beyond the bound, so ``usage.calls <= calls`` + the retries made inside calls.
    - tokens: a call is admitted only while tokens spent, plus ``max_tokens`` of the calls in flight, plus its
      own ``max_tokens`` are within the bound; alone, it gets ``max_tokens`` cut to what is left. Prompts are
      counted when a call ends, so ``usage.tokens <= tokens`` + the prompt tokens of the calls that were in
      flight together last (for a back-end that keeps to ``max_tokens``, retries not counted).
    - usd: a call is admitted while the dollars spent are below the bound, so the excess is at most the cost
      of the calls that were in flight together last.

    A call that fits what is spent but not what the calls in flight hold back waits until some of them have
    ended. A neighbour's reservation therefore never cuts a reply short or ends a run.
    """

    tokens: int | None = None
    calls: int | None = None
    seconds: float | None = None
    usd: Decimal | float | None = None

    def __post_init__(self) -> None:
        if self.usd is not None:
            object.__setattr__(self, "usd", Decimal(str(self.usd)))
        for bound in fields(self):
            value = getattr(self, bound.name)
            if value is not None and not value >= 0:
                raise ValueError(f"a budget's {bound.name} must be 0 or more, got {value}")

    def exceeded(self, spent: Usage, seconds: float) -> str | None:
        """What is spent beyond a bound, in words; None where all is within. An unknown cost is beyond any bound."""
        for name, value in (("calls", spent.calls), ("tokens", spent.tokens), ("seconds", seconds)):
            bound = getattr(self, name)
            if bound is not None and value > bound:
                return f"{value:g} {name} are spent, more than {bound:g}"
        if self.usd is not None and (spent.cost_usd is None or spent.cost_usd > self.usd):
            cost = "an unknown cost" if spent.cost_usd is None else f"{spent.cost_usd}"
            return f"{cost} US dollars are spent, more than {self.usd}"
        return None


UNLIMITED = Budget()


class Meter:
    """What one run has spent and holds back, against its budget.

    ``clamped`` says whether a call was granted fewer tokens than it asked for.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.spent = Usage()
        self.clamped = False
        self._calls_in_flight = 0
        self._tokens_in_flight = 0
        self._settled: asyncio.Event | None = None

    async def admit(self, max_tokens: int) -> int:
        """Wait for room and reserve it.

        Parameters
        ----------
        max_tokens : int
            Completion tokens that the call asks for.

        Returns
        -------
        int
            Completion tokens granted, between 1 and ``max_tokens``. To be handed back through `settle`.

        Raises
        ------
        BudgetReached
            What is spent leaves no room.
        """
        while True:
            self._refuse_if_spent()
            granted = self._room(max_tokens)
            if granted is not None:
                self._calls_in_flight += 1
                self._tokens_in_flight += granted
                self.clamped = self.clamped or granted < max_tokens
                return granted
            self._settled = self._settled or asyncio.Event()
            await self._settled.wait()

    def settle(self, granted: int, usage: Usage) -> None:
        """A call that was granted so many tokens has ended, well or not, and cost this."""
        self.spent += usage
        self._calls_in_flight -= 1
        self._tokens_in_flight -= granted
        if self._settled is not None:
            self._settled.set()
            self._settled = None

    def _refuse_if_spent(self) -> None:
        budget, spent = self.budget, self.spent
        if budget.calls is not None and spent.calls >= budget.calls:
            raise BudgetReached(f"the budget of {budget.calls} calls is spent ({spent.calls} made)")
        if budget.tokens is not None and spent.tokens >= budget.tokens:
            raise BudgetReached(f"the budget of {budget.tokens} tokens is spent ({spent.tokens} used)")
        if budget.usd is not None and spent.cost_usd is None:
            raise BudgetReached(f"the budget is {budget.usd} US dollars and an earlier call's cost is unknown")
        if budget.usd is not None and spent.cost_usd is not None and spent.cost_usd >= budget.usd:
            raise BudgetReached(f"the budget of {budget.usd} US dollars is spent ({spent.cost_usd} used)")

    def _room(self, max_tokens: int) -> int | None:
        """Completion tokens to grant now; None while calls in flight hold back what this one needs."""
        budget = self.budget
        if budget.calls is not None and self.spent.calls + self._calls_in_flight >= budget.calls:
            return None
        if budget.tokens is None:
            return max_tokens
        left = budget.tokens - self.spent.tokens
        if self._tokens_in_flight == 0 or self._tokens_in_flight + max_tokens <= left:
            return min(max_tokens, left)
        return None
