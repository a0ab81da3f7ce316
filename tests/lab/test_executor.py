"""Jobs that run elsewhere: what travels and what is refused, lost jobs, the cost limit for whole samples."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from masrepro.baselines import SingleAgent
from masrepro.bench import Item, benchmark
from masrepro.lab import notebook
from masrepro.lab.cost import CostLimit, UnknownPrice
from masrepro.lab.evaluate import Evaluation, evaluate
from masrepro.lab.executor import IN_PROCESS, ExecutorUnavailable, JobLost, Work, executor_named
from masrepro.lab.params import FiveAxesParams
from masrepro.lab.problem import BadInput
from masrepro.lab.sample import Sample
from masrepro.lab.sample_store import SampleStore, read_samples
from masrepro.models import Completion, Message, Price, Sampling, Usage
from masrepro.orchestration import Agent, Orchestration
from masrepro.runtime import Trace

PRICE = Price(Decimal(0), Decimal(2000))
"""512 tokens at most: 1.024 US dollars a call, and 0.01 for the five of a reply."""


def items(n: int) -> list[Item]:
    return [Item(f"i{index}", f"Question {index}?", "4", "exact_int") for index in range(n)]


@dataclass
class Four:
    """Always answers 4."""

    name: str = "four"
    revision: str = "1"
    context_tokens: int = 4096
    price: Price | None = PRICE

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        await asyncio.sleep(0.001)
        return Completion("Answer: \\boxed{4}", "stop", Usage(1, 10, 5, Decimal("0.01")))


@dataclass
class Elsewhere:
    """Does jobs on copies of everything, as another process would; loses those of some items, so many times each."""

    losses: dict[str, int] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    n_in_flight: int = 0
    most_in_flight: int = 0
    apart: bool = True

    @asynccontextmanager
    async def spread(self, work: Work[Any, Any]) -> AsyncIterator[Work[Any, Any]]:
        copied = pickle.loads(pickle.dumps(work))

        async def do(job: Any) -> Any:
            self.begun.append(job.item.id)
            self.n_in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.n_in_flight)
            try:
                done = pickle.dumps(await copied(pickle.loads(pickle.dumps(job))))
            finally:
                self.n_in_flight -= 1
            if self.losses.get(job.item.id, 0):
                self.losses[job.item.id] -= 1
                raise JobLost("10.0.0.2: its node died")
            return pickle.loads(done)

        yield do

    def close(self) -> None:
        """Nothing to let go of."""


async def on(executor: Elsewhere, n: int, **options: Any) -> Evaluation:
    return await evaluate(SingleAgent(), items(n), models=Four(), benchmark="b", executor=executor, **options)


def timeless(sample: Sample) -> Sample:
    spans = (replace(span, start_s=0.0, end_s=0.0) for span in sample.trace)
    return replace(sample, seconds=0.0, trace=Trace(spans))


async def test_samples_are_the_same_wherever_they_are_run() -> None:
    elsewhere = await on(Elsewhere(), 3, repeats=2, sampling=Sampling(seed=1))
    here = await evaluate(
        SingleAgent(), items(3), models=Four(), benchmark="b", repeats=2, sampling=Sampling(seed=1), executor=IN_PROCESS
    )
    assert [*map(timeless, elsewhere.samples)] == [*map(timeless, here.samples)]
    assert elsewhere.outcomes["correct"] == 6


async def test_only_a_lost_job_is_done_again_and_each_sample_is_written_once(tmp_path: Path) -> None:
    executor = Elsewhere({"i1": 1, "i3": 2})
    with SampleStore(tmp_path) as store:
        evaluation = await on(executor, 5, store=store)
    assert sorted(executor.begun) == ["i0", "i1", "i1", "i2", "i3", "i3", "i3", "i4"]
    assert evaluation.outcomes["correct"] == 5
    assert sorted(sample.item_id for sample in read_samples(tmp_path / "samples.jsonl")) == [f"i{k}" for k in range(5)]


async def test_a_job_that_is_lost_every_time_is_an_error_and_the_others_go_on(tmp_path: Path) -> None:
    with SampleStore(tmp_path) as store:
        evaluation = await on(Elsewhere({"i1": 99}), 3, store=store)
        assert [sample.outcome for sample in evaluation.samples] == ["correct", "error", "correct"]
        assert evaluation.samples[1].error == "lost 3 times, last: 10.0.0.2: its node died"
        again = Elsewhere()
        assert (await on(again, 3, store=store)).outcomes["correct"] == 3
    assert again.begun == ["i1"]


async def test_a_fault_in_a_program_ends_the_evaluation_and_says_where() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        await evaluate(Faulty(), items(1), models=Four(), benchmark="b", executor=Elsewhere())
    assert caught.value.__notes__ == ["while evaluating faulty on b, item i0, repeat 0"]


class Faulty:
    name = "faulty"

    def design(self, item: Item) -> Orchestration:
        raise ZeroDivisionError("division by zero")


async def test_a_job_is_handed_out_only_while_the_most_that_it_can_cost_is_left() -> None:
    executor = Elsewhere()
    limit = CostLimit(2.5)
    evaluation = await on(executor, 200, cost_limit=limit, concurrency=8)
    assert executor.most_in_flight == 2
    assert evaluation.outcomes == {**evaluation.outcomes, "correct": 148, "limit": 52}
    assert limit.spent_usd == Decimal("1.48") and limit.reached
    assert {sample.stopped for sample in evaluation.samples if sample.outcome == "limit"} == {True}


async def test_a_lost_job_counts_with_the_most_that_it_can_have_cost(tmp_path: Path) -> None:
    limit = CostLimit(9, tmp_path / "cost.jsonl")
    await on(Elsewhere({"i0": 1}), 2, cost_limit=limit)
    limit.close()
    assert limit.spent_usd == Decimal("1.024") + 2 * Decimal("0.01")
    again = CostLimit(9, tmp_path / "cost.jsonl")
    assert again.spent_usd == limit.spent_usd
    again.close()


async def test_a_limit_needs_prices_and_known_designs() -> None:
    class Writer:
        name = "writer"

        async def design(self, item: Item) -> Orchestration:
            return Orchestration((Agent("a1", "r", "g"),))

    with pytest.raises(ValueError, match="writer can cost is not known beforehand"):
        await evaluate(
            Writer(),
            items(1),
            models=Four(),
            benchmark="b",
            executor=executor_copying_nothing(),
            cost_limit=CostLimit(1),
        )
    with pytest.raises(UnknownPrice):
        await evaluate(
            SingleAgent(),
            items(1),
            models=Four(price=None),
            benchmark="b",
            executor=Elsewhere(),
            cost_limit=CostLimit(1),
        )


def executor_copying_nothing() -> Any:
    class Apart:
        apart = True
        spread = staticmethod(IN_PROCESS.spread)

    return Apart()


async def test_scoring_stays_in_this_process() -> None:
    lock = threading.Lock()  # a scorer that could not be sent anywhere

    def scorer(item: Item, answer: str) -> Any:
        from masrepro.bench import score

        with lock:
            return score("exact_int", answer, "4")

    assert (await on(Elsewhere(), 2, scorer=scorer)).outcomes["correct"] == 2


async def test_with_nothing_to_run_no_machine_is_asked_for(tmp_path: Path) -> None:
    class Nowhere(Elsewhere):
        def spread(self, work: Any) -> Any:
            raise ExecutorUnavailable("no node")

    with SampleStore(tmp_path) as store:
        await on(Elsewhere(), 2, store=store)
        assert (await on(Nowhere(), 2, store=store)).outcomes["correct"] == 2
        with pytest.raises(ExecutorUnavailable):
            await on(Nowhere(), 3, store=store)


def test_without_ray_the_run_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masrepro.lab.ray_cluster.find_spec", lambda name: None)
    with pytest.raises(ExecutorUnavailable, match=r"pip install 'masrepro\[ray\]'"):
        executor_named("ray")
    with pytest.raises(BadInput, match="Ray is not installed"):
        notebook._executor(FiveAxesParams(executor="ray"))
    assert notebook._executor(FiveAxesParams()) is IN_PROCESS


def test_without_a_cluster_the_run_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'masrepro[ray]'")
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(
        ExecutorUnavailable, match=r"no cluster answers at 127\.0\.0\.1:1: start one with `ray start --head`"
    ):
        executor_named("ray")


def test_a_cache_and_several_machines_are_refused_together_and_the_executor_makes_no_other_run() -> None:
    with pytest.raises(ValueError, match="cache is true, but replies are kept in a file of one machine"):
        FiveAxesParams(executor="ray", cache=True)
    assert FiveAxesParams(executor="ray").content_hash == FiveAxesParams().content_hash


def test_a_client_is_made_anew_once_with_the_key_of_the_place(monkeypatch: pytest.MonkeyPatch) -> None:
    portable = portable_module()
    from masrepro.models import OpenAICompatible
    from masrepro.models.breaker import Breaker

    monkeypatch.setenv("SOME_KEY", "sk-not-to-be-sent")
    breaker = Breaker(failures=2)
    client = OpenAICompatible(
        "https://models.example/v1", "m", context_tokens=99, api_key_env="SOME_KEY", price=PRICE, breaker=breaker
    )
    breaker.settle(asyncio.run(passed(breaker)), answered=False)
    breaker.settle(asyncio.run(passed(breaker)), answered=False)
    assert breaker.is_open
    packed = portable.pack([client, client])
    assert b"sk-not-to-be-sent" not in packed
    first, second = portable.unpack(packed)
    assert first is second is portable.unpack(packed)[0] is not client
    assert (repr(first), first.revision, first.price) == (repr(client), client.revision, PRICE)
    assert not first._breaker.is_open and first._breaker._failures == 2
    portable._client.cache_clear()
    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(ValueError, match="set the environment variable SOME_KEY"):
        portable.unpack(packed)


async def passed(breaker: Any) -> Any:
    return await breaker.admit()


def test_a_desk_model_travels_by_name_and_other_weights_are_refused() -> None:
    portable = portable_module()
    from masrepro.models.desk import folder_of, load_desk_model
    from masrepro.models.local import Local

    model = load_desk_model("desk-solver-s")
    packed = portable.pack(model)
    assert len(packed) < 300
    there = portable.unpack(packed)
    assert there is portable.unpack(packed) and there.revision == model.revision
    model.revision = "sha256:another"
    with pytest.raises(portable.NotPortable, match="the weights of desk-solver-s are"):
        portable.unpack(portable.pack(model))
    with pytest.raises(portable.NotPortable, match=r"mine runs inside this process.*serve it over HTTP"):
        portable.pack(Local(folder_of("desk-solver-s"), name="mine"))


def test_what_belongs_to_this_machine_is_refused_by_name(tmp_path: Path) -> None:
    portable = portable_module()
    from masrepro.lab.job import Attempts
    from masrepro.models import Pool
    from masrepro.models.cache import Cached
    from masrepro.runtime.budget import UNLIMITED
    from masrepro.tools.corpus import Corpus, Passage
    from masrepro.tools.search import Search

    attempts = Attempts(SingleAgent(), Pool.of(Four()), Sampling(), UNLIMITED, None, None, 400)
    portable.unpack(portable.pack(attempts))
    cached = Cached(Four(), tmp_path / "replies.sqlite")
    with pytest.raises(portable.NotPortable, match="replies of four are kept in a file of this machine"):
        portable.pack(replace(attempts, models=Pool.of(cached)))
    cached.close()
    limited = CostLimit(1).pool(Pool.of(Four()))
    with pytest.raises(portable.NotPortable, match="give the model itself"):
        portable.pack(replace(attempts, models=limited))
    tools: dict[str, Any] = {"search": Search(Corpus([Passage("1", "t", "a word")]))}
    there = portable.unpack(portable.pack(replace(attempts, tools=tools))).tools["search"]
    assert asyncio.run(there.use({"query": "word"})).text == asyncio.run(tools["search"].use({"query": "word"})).text
    with open(tmp_path / "open", "w") as file, pytest.raises(portable.NotPortable, match=r"^tools cannot be sent"):
        portable.pack(replace(attempts, tools={"a": file}))  # type: ignore[dict-item]


def test_items_of_masbench_travel_whole() -> None:
    (item,) = benchmark("masbench/parallel/2", n=1)
    assert pickle.loads(pickle.dumps(item)) == item


def portable_module() -> Any:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'masrepro[ray]'")
    from masrepro.lab import portable

    return portable
