"""Models that fail on a schedule, to see how a run bears it: down, failing at first, answering nonsense, lying.

A schedule says what goes wrong with the k-th call, from a generator that depends on the seed and k alone; equal calls
in equal order go wrong in the same way in every process. The same for tools: `masrepro.tools.faults`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from masrepro.models.model import (
    Completion,
    MalformedReply,
    Message,
    Model,
    ModelError,
    Price,
    Sampling,
    Unavailable,
    Usage,
)


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with one call.

    Parameters
    ----------
    error : type of ModelError or None
        Raised in the place of a reply; the model itself is not asked. A `MalformedReply` is asked for, paid for, and
        thrown away.
    corrupts : bool
        Whether the last number of the reply is changed, without a word.
    """

    error: type[ModelError] | None = None
    corrupts: bool = False


Schedule = Callable[[int, Random], Fault | None]
"""What goes wrong with the call of that number, from 0; None is nothing."""


@dataclass(slots=True)
class Failing:
    """A model that fails on a schedule and is otherwise the model that it was made of.

    Parameters
    ----------
    model : Model
        What it was made of.
    schedule : callable
        For example ``down()``.
    seed : int
        Of the schedule's chances and of what is corrupted.
    n_calls : int
        Calls so far.
    n_faults : int
        Those of them that went wrong.
    """

    model: Model
    schedule: Schedule
    seed: int = 0
    n_calls: int = field(default=0, init=False)
    n_faults: int = field(default=0, init=False)
    name: str = field(init=False)
    revision: str = field(init=False)
    context_tokens: int = field(init=False)
    price: Price | None = field(init=False)

    def __post_init__(self) -> None:
        self.name, self.revision = self.model.name, self.model.revision
        self.context_tokens, self.price = self.model.context_tokens, self.model.price

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        """The model's reply, or what the schedule says."""
        number = self.n_calls
        rng = Random(f"{self.seed}/{number}")
        fault = self.schedule(number, rng) or Fault()
        self.n_calls += 1
        self.n_faults += fault != Fault()
        if fault.error is not None and not issubclass(fault.error, MalformedReply):
            raise fault.error(f"{self.name}: call {number} finds nobody there", usage=Usage(calls=1))
        completion = await self.model.complete(messages, sampling)
        if fault.error is not None:
            raise fault.error(f"{self.name}: the reply to call {number} is no completion", usage=completion.usage)
        return replace(completion, text=corrupted(completion.text, rng)) if fault.corrupts else completion


def down(first: int = 0, error: type[ModelError] = Unavailable) -> Schedule:
    """Fails for ever, from the call of that number on."""
    return lambda call, rng: Fault(error) if call >= first else None


def some(first: int, n: int = 1, error: type[ModelError] = Unavailable) -> Schedule:
    """Fails ``n`` times, from the call of that number on."""
    return lambda call, rng: Fault(error) if first <= call < first + n else None


def now_and_then(share: float, error: type[ModelError] = Unavailable) -> Schedule:
    """Fails with this probability."""
    return lambda call, rng: Fault(error) if rng.random() < share else None


def lying(first: int, n: int = 1) -> Schedule:
    """Answers, but wrongly, ``n`` times from the call of that number on, and nothing says so."""
    return lambda call, rng: Fault(corrupts=True) if first <= call < first + n else None


def corrupted(text: str, rng: Random) -> str:
    """The text with another last number; without any number, with its words in another order."""
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return " ".join(text.split()[::-1]) + " not"
    last = numbers[-1]
    return f"{text[: last.start()]}{int(last[0]) + rng.randrange(1, 10)}{text[last.end() :]}"


_NUMBER = re.compile(r"[0-9]+")
