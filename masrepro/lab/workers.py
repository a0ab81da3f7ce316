"""Many jobs, a bounded number of them at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

Job = TypeVar("Job")


async def work_through(jobs: Sequence[Job], work: Callable[[Job], Awaitable[None]], concurrency: int) -> None:
    """Do every job, begun in order, at most ``concurrency`` at once.

    Raises
    ------
    Exception
        The first that a job raised, as itself; the jobs in flight are cancelled first.
    """
    waiting = iter(jobs)

    async def worker() -> None:
        for job in waiting:
            await work(job)

    fault: Exception | None = None
    try:
        async with asyncio.TaskGroup() as workers:
            for _ in range(min(concurrency, len(jobs))):
                workers.create_task(worker())
    except ExceptionGroup as faults:
        fault = faults.exceptions[0]
    if fault is not None:
        # Outside the handler, so that the group is not its context: IPython shows no group as an error.
        raise fault
