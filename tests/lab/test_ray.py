"""Evaluations on a Ray cluster of two nodes on loopback: the same samples, and a node that is killed in mid-run."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from held_server import HeldServer

from masrepro.baselines import SingleAgent
from masrepro.bench import Item, benchmark
from masrepro.lab.evaluate import evaluate
from masrepro.lab.executor import Executor, ExecutorUnavailable
from masrepro.lab.sample import Sample
from masrepro.lab.sample_store import SampleStore, read_samples
from masrepro.models import FREE, OpenAICompatible
from masrepro.models.desk import load_desk_model
from masrepro.runtime import Trace

pytest.importorskip("ray", reason="Ray is not installed: pip install 'masrepro[ray]'")

# Ray gives the processes of a node 15 s to start, whatever the machine is busy with.
pytestmark = pytest.mark.timeout(900)
N_STARTS = 3
NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_log_monitor": False}


class Nodes:
    """A head and another node, of one CPU each."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        # The head's dashboard and autoscaler are of no use here.
        head = {**NODE, "include_dashboard": False, "no_monitor": True}
        self.cluster = started(lambda: Cluster(initialize_head=True, head_node_args=head))
        self.other = started(lambda: self.cluster.add_node(**NODE))

    def kill_other(self) -> None:
        """As if its plug were pulled."""
        self.cluster.remove_node(self.other, allow_graceful=False)


def started(start: Callable[[], Any]) -> Any:
    for _ in range(N_STARTS):
        try:
            return start()
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
            why = str(error)
    pytest.skip(f"Ray did not start a node within its own limits, {N_STARTS} times: {why}")


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    import ray

    # Of all that Ray imports in each of its processes, a checker of addresses takes longest, and is not needed.
    site = tmp_path_factory.mktemp("site")
    (site / "sitecustomize.py").write_text("import sys\n\nsys.modules['rfc3987_syntax'] = None\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])]))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        both = Nodes()
        patch.setenv("RAY_ADDRESS", both.cluster.address)
        yield both
        ray.shutdown()
        both.cluster.shutdown()


@pytest.fixture(scope="module")
def executor(nodes: Nodes) -> Iterator[Executor]:
    from masrepro.lab.ray_cluster import RayCluster

    cluster = RayCluster()
    yield cluster
    cluster.close()


def items(n: int) -> list[Item]:
    return [Item(f"i{index}", f"Question {index}?", "4", "exact_int") for index in range(n)]


def client(server: HeldServer, **options: Any) -> OpenAICompatible:
    return OpenAICompatible(server.base_url, "m", context_tokens=4096, api_key_env=None, price=FREE, **options)


async def until(there: Callable[[], bool]) -> None:
    """For conditions that come about by themselves; the test's own time limit ends the wait."""
    while not there():
        await asyncio.sleep(0.05)


def timeless(sample: Sample) -> Sample:
    spans = (replace(span, start_s=0.0, end_s=0.0) for span in sample.trace)
    return replace(sample, seconds=0.0, trace=Trace(spans))


async def test_desk_models_give_the_same_samples_on_the_cluster_as_here(executor: Executor) -> None:
    some = benchmark("masbench/depth/2", n=3)
    model = load_desk_model("desk-solver-s")
    there = await evaluate(SingleAgent(), some, models=model, benchmark="b", executor=executor)
    here = await evaluate(SingleAgent(), some, models=model, benchmark="b")
    assert [*map(timeless, there.samples)] == [*map(timeless, here.samples)]
    assert {sample.outcome for sample in there.samples} <= {"correct", "wrong"}


async def test_a_model_that_cannot_be_made_on_a_node_ends_the_run_before_its_first_call(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY_OF_THIS_PROCESS", "sk-only-here")
    model = OpenAICompatible(
        "https://models.example/v1", "m", context_tokens=99, api_key_env="A_KEY_OF_THIS_PROCESS", retries=0
    )
    with pytest.raises(ExecutorUnavailable, match="set the environment variable A_KEY_OF_THIS_PROCESS"):
        await evaluate(SingleAgent(), items(1), models=model, benchmark="b", executor=executor)


async def test_cancelling_cancels_the_jobs_on_all_nodes(executor: Executor, tmp_path: Path) -> None:
    with HeldServer(n_at_once=2) as server, SampleStore(tmp_path) as store:
        running = evaluate(
            SingleAgent(),
            items(9),
            models=client(server),
            benchmark="b",
            executor=executor,
            store=store,
            concurrency=4,
        )
        task = asyncio.create_task(running)
        await until(lambda: task.done() or len(server.in_flight) == 4)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: server.n_abandoned == 4)
        assert len(store.samples) == 2 and server.asked.total() == 6


async def test_when_a_node_dies_only_its_jobs_in_flight_run_again(
    nodes: Nodes, executor: Executor, tmp_path: Path
) -> None:
    with HeldServer(n_at_once=6) as server, SampleStore(tmp_path) as store:
        running = evaluate(
            SingleAgent(),
            items(14),
            models=client(server),
            benchmark="b",
            executor=executor,
            store=store,
            concurrency=4,
        )
        task = asyncio.create_task(running)
        await until(lambda: task.done() or (len(server.in_flight) == 4 and len(store.samples) == 6))
        in_flight, began = set(server.in_flight), time.monotonic()
        await asyncio.to_thread(nodes.kill_other)
        await until(lambda: task.done() or server.asked.total() == 6 + 4 + 2)
        print(f"lost jobs were asked again after {time.monotonic() - began:.1f} s")
        server.release()
        evaluation = await task
    again = {question for question, times in server.asked.items() if times > 1}
    assert len(again) == 2 and again < in_flight and server.asked.total() == 14 + 2
    assert evaluation.outcomes["correct"] == 14 and evaluation.usage.calls == 14
    assert sorted(sample.item_id for sample in read_samples(tmp_path / "samples.jsonl")) == sorted(
        item.id for item in items(14)
    )
