"""Where independent jobs run: in this process, or on the machines of a cluster; whoever has jobs does not see which.

Evaluations, sweeps and decision trees are lists of such jobs, done by `work_through` over what an executor makes of
their work. Not here: Ray (`ray_cluster`), and what travels to it (`portable`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Literal, Protocol, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")
Work = Callable[[Job], Awaitable[Result]]

ExecutorName = Literal["local", "ray"]


class ExecutorUnavailable(Exception):
    """The executor cannot run anything, or no longer; says why, and what to do."""


class JobLost(Exception):
    """The process that did a job is gone, and what it did with it; the job can be done again."""


class Executor(Protocol):
    """Where jobs run.

    ``apart`` says whether that is in other processes: what a job shares with this one then does not reach it.
    """

    @property
    def apart(self) -> bool:
        """See above."""
        ...

    def spread(self, work: Work[Job, Result]) -> AbstractAsyncContextManager[Work[Job, Result]]:
        """The same work, done where this executor does it.

        Parameters
        ----------
        work : callable
            Awaited with one job at a time, as often at once as the caller likes. With an executor that is ``apart``,
            it, the jobs and the results are pickled; make it a dataclass.

        Raises
        ------
        ExecutorUnavailable
            There is no machine to run on.
        NotPortable
            The work cannot be sent to other machines.

        Notes
        -----
        What is given raises `JobLost` where a machine was lost, what the work raised where the work is at fault.
        Cancelling a call cancels its job.
        """
        ...

    def close(self) -> None:
        """Let go of all processes and connections."""
        ...


class InProcess:
    """Jobs run on this process's event loop."""

    apart = False

    @asynccontextmanager
    async def spread(self, work: Work[Job, Result]) -> AsyncIterator[Work[Job, Result]]:
        """The work itself."""
        yield work

    def close(self) -> None:
        """Nothing to let go of."""


IN_PROCESS = InProcess()


def executor_named(name: ExecutorName) -> Executor:
    """The executor of that name, ready.

    Raises
    ------
    ExecutorUnavailable
        Ray is not installed, or no cluster answers.
    """
    if name == "local":
        return IN_PROCESS
    from masrepro.lab.ray_cluster import RayCluster

    return RayCluster()
