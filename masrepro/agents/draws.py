"""Several draws at once, each with a seed of its own, so that equal prompts do not give equal texts."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from hashlib import sha256
from typing import Any, TypeVar

from masrepro.agents.agent import SamplingChange
from masrepro.models.model import Sampling

T = TypeVar("T")

_N_SEEDS = 2**31  # servers differ in how large a seed may be; all take 31 bits


def apart(sampling: Sampling, of: str, n: int, temperature: float) -> tuple[SamplingChange, ...]:
    """What sets ``n`` draws apart that are to be made at once.

    Parameters
    ----------
    sampling : Sampling
        The run's own. Without a seed the draws have none either, and only ``repeat`` tells them apart.
    of : str
        Who draws, so that agents with equal prompts draw apart too.
    n : int
        How many.
    temperature : float
        Of the draws; the run's own where that is higher.
    """
    hot = max(temperature, sampling.temperature)
    return tuple(
        SamplingChange(temperature=hot, seed=seed, repeat=sampling.repeat * n + index)
        for index, seed in enumerate(derived_seeds(sampling.seed, of, n))
    )


def derived_seeds(seed: int | None, of: str, n: int) -> tuple[int | None, ...]:
    """``n`` distinct seeds in 0..2**31-1, the same in every process; None n times where there is none."""
    if seed is None:
        return (None,) * n
    first = int.from_bytes(sha256(f"{seed}/{of}".encode("utf-8", "surrogatepass")).digest()[:8], "big")
    return tuple((first + index) % _N_SEEDS for index in range(n))


async def at_once(coroutines: Iterable[Coroutine[Any, Any, T]]) -> tuple[T, ...]:
    """Results in the order of the coroutines.

    When one fails the others come to their end before it is raised: what is in flight is paid for in any case, and a
    call that is cut off has an unknown cost. Cancelling cancels all.

    Raises
    ------
    ExceptionGroup
        Of all failures.
    """
    results = await asyncio.gather(*coroutines, return_exceptions=True)
    done = [result for result in results if not isinstance(result, BaseException)]
    if len(done) == len(results):
        return tuple(done)
    failures = [result for result in results if isinstance(result, Exception)]
    if failures:
        raise ExceptionGroup("some of several at once failed", failures)
    raise next(result for result in results if isinstance(result, BaseException))
