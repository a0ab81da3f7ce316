"""Tools that fail on a schedule, to see how agents and rectifiers bear it: down, failing at first, slow, lying.

A schedule says what goes wrong with the k-th use, from a generator that depends on the seed and k alone; the same uses
in the same order go wrong in the same way in every process.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from masrepro.tools.tool import Arguments, Tool, ToolFailure, ToolResult

DOWN = ToolFailure("unavailable", "the service is down")


@dataclass(frozen=True, slots=True)
class Fault:
    """What goes wrong with one use.

    Parameters
    ----------
    failure : ToolFailure or None
        Takes the place of the result; the tool itself is not used.
    delay_s : float
        Seconds that the use takes longer.
    corrupts : bool
        Whether the result's text is changed, without a word.
    """

    failure: ToolFailure | None = None
    delay_s: float = 0.0
    corrupts: bool = False


Schedule = Callable[[int, Random], Fault | None]
"""What goes wrong with the use of that number, from 0; None is nothing."""


@dataclass(slots=True)
class Failing:
    """A tool that fails on a schedule and is otherwise the tool that it was made of.

    Parameters
    ----------
    tool : Tool
        What it was made of.
    schedule : callable
        For example ``down()``.
    seed : int
        Of the schedule's chances and of what is corrupted.
    sleep : callable
        Waits so many seconds.
    n_uses : int
        Uses so far.
    """

    tool: Tool
    schedule: Schedule
    seed: int = 0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    n_uses: int = field(default=0, init=False)

    @property
    def name(self) -> str:
        """The tool's own."""
        return self.tool.name

    @property
    def description(self) -> str:
        """The tool's own."""
        return self.tool.description

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The tool's own."""
        return self.tool.parameters

    async def use(self, arguments: Arguments) -> ToolResult:
        """Use the tool, or fail as the schedule says."""
        rng = Random(f"{self.seed}/{self.n_uses}")
        fault = self.schedule(self.n_uses, rng) or Fault()
        self.n_uses += 1
        if fault.delay_s:
            await self.sleep(fault.delay_s)
        if fault.failure is not None:
            return ToolResult(self.name, "", fault.failure, fault.delay_s)
        result = await self.tool.use(arguments)
        text = corrupted(result.text, rng) if fault.corrupts else result.text
        return replace(result, text=text, seconds=result.seconds + fault.delay_s)


def down(failure: ToolFailure = DOWN) -> Schedule:
    """Fails for ever."""
    return lambda use, rng: Fault(failure)


def at_first(n: int, failure: ToolFailure = DOWN) -> Schedule:
    """Fails ``n`` times, then works."""
    return lambda use, rng: Fault(failure) if use < n else None


def after(n: int, schedule: Schedule) -> Schedule:
    """Works ``n`` times, then goes by another schedule, which counts from there."""
    return lambda use, rng: schedule(use - n, rng) if use >= n else None


def now_and_then(share: float, failure: ToolFailure = DOWN) -> Schedule:
    """Fails with this probability."""
    return lambda use, rng: Fault(failure) if rng.random() < share else None


def slow(seconds: float) -> Schedule:
    """Works, but takes so many seconds longer."""
    return lambda use, rng: Fault(delay_s=seconds)


def lying(share: float = 1.0) -> Schedule:
    """Works, but with this probability the text is wrong, and nothing says so."""
    return lambda use, rng: Fault(corrupts=True) if rng.random() < share else None


def corrupted(text: str, rng: Random) -> str:
    """A text like this one with other facts: every digit is another digit, and names have changed places.

    A text that has neither two names nor a digit has its words in another order; a single word is left out.
    """
    names = sorted(set(_NAME.findall(text)))
    shift = rng.randrange(1, len(names)) if len(names) > 1 else 0
    others = dict(zip(names, names[shift:] + names[:shift], strict=True))
    changed = _NAME.sub(lambda found: others[found[0]], text)
    changed = _DIGIT.sub(lambda found: str((int(found[0]) + rng.randrange(1, 10)) % 10), changed)
    return changed if changed != text else " ".join(text.split()[:0:-1])


_NAME = re.compile(r"\b[A-Z][a-z]{2,}\b")
_DIGIT = re.compile(r"[0-9]")
