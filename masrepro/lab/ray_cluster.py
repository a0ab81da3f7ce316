"""Jobs on the machines of a Ray cluster: one process of ours a node, each with many jobs at once.

Models are reached over HTTP from there, or loaded by name (`portable`). A node that dies takes its jobs in flight with
it, and nothing else: results come back one by one, and only the process that started the run writes them down. Not
here: how a cluster is started (``ray start``), and what becomes of a lost job (`job`).
"""

from __future__ import annotations

import asyncio
import os
import socket
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from masrepro.lab.executor import ExecutorUnavailable, Job, JobLost, Result, Work
from masrepro.lab.home import PACKAGE
from masrepro.lab.portable import pack, unpack
from masrepro.lab.provenance import source_hash
from masrepro.lab.workers import work_through

ADDRESS = "RAY_ADDRESS"
START_S = 180.0
"""Longest wait for a process to start on a node and make its models."""
ANSWER_S = 5.0
AT_ONCE = 4096
"""Most jobs in flight in one process; far above what an evaluation has."""


class RayCluster:
    """A running Ray cluster that this machine belongs to.

    Parameters
    ----------
    address : str or None
        ``host:port`` of its head. None takes what ``RAY_ADDRESS`` names, else the cluster of this machine.

    Raises
    ------
    ExecutorUnavailable
        Ray is not installed, or no cluster answers.

    Notes
    -----
    The calls of one process of ours share its clients, so a server is sent at most their ``concurrency`` times the
    number of nodes at once. Each process takes one CPU as Ray counts them.
    """

    apart = True

    def __init__(self, address: str | None = None) -> None:
        _connect(address or os.environ.get(ADDRESS) or "auto")
        self._source = _source()
        self._workers: dict[str, _Worker] = {}

    @asynccontextmanager
    async def spread(self, work: Work[Job, Result]) -> AsyncIterator[Work[Job, Result]]:
        """See `masrepro.lab.executor.Executor`."""
        import ray

        packed = pack(work)
        post = _Post(self, sha256(packed).hexdigest(), ray.put(packed))
        try:
            await post.man()
            yield post.do
        finally:
            post.close()

    def workers(self) -> list[_Worker]:
        """A process for every node that is up, started where there is none yet."""
        import ray

        nodes = {node["NodeID"]: node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1}
        self._workers = {id: worker for id, worker in self._workers.items() if id in nodes}
        for id, node in nodes.items():
            if id not in self._workers:
                self._workers[id] = _Worker(id, node["NodeManagerAddress"], _started(id, self._source))
        return list(self._workers.values())

    def lose(self, worker: _Worker) -> None:
        """Give a process up, and see to it that it does no more."""
        import ray

        if self._workers.get(worker.node_id) is worker:
            del self._workers[worker.node_id]
            ray.kill(worker.actor)

    def close(self) -> None:
        """End the processes; the connection stays, since others may use it."""
        for worker in list(self._workers.values()):
            self.lose(worker)


@dataclass(eq=False, slots=True)
class _Worker:
    """A process of ours on a node."""

    node_id: str
    address: str
    actor: Any
    n_in_flight: int = 0


@dataclass(eq=False, slots=True)
class _Post:
    """One work, on all processes that are ready for it."""

    cluster: RayCluster
    key: str
    packed: Any
    ready: list[_Worker] = field(default_factory=list)
    manning: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def man(self) -> None:
        """Get every node's process ready; a node where that cannot be is left out, and a warning says so.

        Raises
        ------
        ExecutorUnavailable
            No node is left, or one of them refuses the work.
        """
        workers = self.cluster.workers()
        reasons: list[str] = []

        async def prepare(worker: _Worker) -> None:
            why = await self._why_not(worker)
            if why is None:
                self.ready.append(worker)
            else:
                reasons.append(f"{worker.address}: {why}")
                self._lose(worker)

        await work_through(workers, prepare, len(workers))
        if not self.ready:
            found = "; ".join(reasons) or "no node with a CPU is up"
            raise ExecutorUnavailable(
                f"no node of the Ray cluster can be used: {found}. What is finished is kept; when `ray status` shows "
                "nodes again, the same command goes on"
            )
        for why in reasons:
            warnings.warn(f"left out of the Ray cluster: {why}", stacklevel=2)

    async def do(self, job: Job) -> Any:
        """Do one job on the process with the fewest in flight."""
        import ray

        while not self.ready:
            async with self.manning:
                if not self.ready:
                    await self.man()
        worker = min(self.ready, key=lambda worker: worker.n_in_flight)
        worker.n_in_flight += 1
        coming = worker.actor.do.remote(self.key, job)
        try:
            return await coming
        except asyncio.CancelledError:
            ray.cancel(coming)
            raise
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except ray.exceptions.RayError as error:
            self._lose(worker)
            raise JobLost(f"{worker.address}: {type(error).__name__}: {_first_line(error)}") from error
        finally:
            worker.n_in_flight -= 1

    def close(self) -> None:
        """Have the processes forget this work."""
        for worker in self.ready:
            worker.actor.forget.remote(self.key)

    async def _why_not(self, worker: _Worker) -> str | None:
        """Why a process cannot be used; None if it is ready."""
        import ray

        try:
            await asyncio.wait_for(_result(worker.actor.prepare.remote(self.key, self.packed)), START_S)
        except ray.exceptions.RayTaskError as error:
            raise ExecutorUnavailable(f"node {worker.address} of the Ray cluster: {error.cause}") from error
        except ray.exceptions.RayError as error:
            return f"{type(error).__name__}: {_first_line(error)}"
        except TimeoutError:
            return f"no process started within {START_S:.0f} s; `ray status` shows whether a CPU is free"
        return None

    def _lose(self, worker: _Worker) -> None:
        self.cluster.lose(worker)
        if worker in self.ready:
            self.ready.remove(worker)


class Station:
    """Our process on a node: does jobs of the works that it was given."""

    def __init__(self, source: str) -> None:
        self._works: dict[str, Any] = {}
        self._source = source

    async def prepare(self, key: str, packed: bytes) -> None:
        """Unpack a work, which makes its models."""
        if self._source != _source():
            raise ExecutorUnavailable(
                "it has another masrepro than the machine where the run was started: install the same there"
            )
        self._works[key] = unpack(packed)

    async def do(self, key: str, job: Any) -> Any:
        """Do one job."""
        return await self._works[key](job)

    async def forget(self, key: str) -> None:
        """Drop a work; models are kept."""
        self._works.pop(key, None)


def _started(node_id: str, source: str) -> Any:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    there = NodeAffinitySchedulingStrategy(node_id, soft=False)
    # A job that is lost is done again by whoever gave it out, so that it is counted.
    options = {"num_cpus": 1, "max_concurrency": AT_ONCE, "max_restarts": 0, "max_task_retries": 0}
    return ray.remote(Station).options(scheduling_strategy=there, **options).remote(source)


def _connect(address: str) -> None:
    if find_spec("ray") is None:
        raise ExecutorUnavailable(
            "executor is ray, and Ray is not installed: pip install 'masrepro[ray]' on every node"
        )
    import ray

    if ray.is_initialized():
        return
    how = (
        "start one with `ray start --head`, join it from other machines with `ray start --address HOST:6379`, and "
        f"start the run on one of them; {ADDRESS} names a cluster where there are several"
    )
    if address != "auto" and not _answers(address):
        raise ExecutorUnavailable(f"executor is ray, and no cluster answers at {address}: {how}")
    try:
        ray.init(address=address, namespace="masrepro", log_to_driver=False, configure_logging=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ExecutorUnavailable(f"executor is ray, and no cluster was found: {how}") from error


def _answers(address: str) -> bool:
    """Whether anything listens there: Ray itself would try for minutes, then end this process."""
    parts = urlsplit(f"//{address}")
    try:
        socket.create_connection((parts.hostname or "", parts.port or 6379), timeout=ANSWER_S).close()
    except OSError:
        return False
    return True


@cache
def _source() -> str:
    """Hash of the package that this process runs; no notebook takes part in a job."""
    return source_hash(PACKAGE / "no.ipynb")


async def _result(reference: Any) -> Any:
    return await reference


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else "no reason given"
