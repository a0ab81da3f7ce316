"""How long 1,000 samples take against a server that fails one request in five, in every way that it knows.

The server is a real one on loopback that takes three to five seconds for a reply. Prints the wall time as a ratio to
the ideal: the same faults on the same places, without any overhead or pause but those that the server asks for. Checks
on the way that no sample was lost or doubled and that costs add up exactly. Takes two minutes.

    python tests/bench/bench_client.py
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent / "models"))
from chat_server import CUT, NO_CHOICES, STALL, ChatServer, Fault
from echo import Echo
from test_faulty_server import WAYS, billed, client, evaluated, faulty, items

from masrepro.lab import Evaluation, SampleStore
from masrepro.lab.sample_store import read_samples
from masrepro.models import Completion, Message, Sampling

N_SAMPLES, N_AT_ONCE, SHARE = 1000, 64, 0.2
TIMEOUT_S, RETRY_AFTER_S = 10.0, 2.0


class Slow(Echo):
    """Takes its time."""

    def __init__(self) -> None:
        self.replies_s = replies_s()

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        await asyncio.sleep(next(self.replies_s))
        return await super().complete(messages, sampling)


def main() -> None:
    slow_down = Fault("status", 429, '{"error": {"message": "slow down"}}', {"Retry-After": str(RETRY_AFTER_S)})
    schedule = list(faulty(2 * N_SAMPLES, SHARE, (slow_down, *WAYS[1:])))
    with ChatServer(Slow()) as server, tempfile.TemporaryDirectory() as folder:
        server.schedule(schedule)
        began, began_cpu = time.perf_counter(), time.process_time()
        evaluation = asyncio.run(evaluation_of(server, Path(folder)))
        took, took_cpu = time.perf_counter() - began, time.process_time() - began_cpu
        n_records = len(list(read_samples(Path(folder, "samples.jsonl"))))
    met = [fault for fault in schedule[: len(server.requests)] if fault is not None]
    assert [sample.item_id for sample in evaluation.samples] == [item.id for item in items(N_SAMPLES)]
    assert n_records == N_SAMPLES and evaluation.usage.calls == len(server.requests)
    assert evaluation.outcomes["correct"] == N_SAMPLES, evaluation.outcomes
    assert evaluation.usage == billed(server, n_empty=met.count(NO_CHOICES))
    ideal = ideal_s(schedule)
    n_timeouts = len(server.requests) - N_SAMPLES - len(met)
    print(f"{N_SAMPLES} samples, {N_AT_ONCE} at once, {len(server.requests)} requests, {len(met)} failed as scheduled,")
    print(f"{n_timeouts} because this machine was too slow; {took_cpu:.1f} s of processor time for both sides")
    print(f"{took:.1f} s, {took / ideal:.2f} x the ideal {ideal:.1f} s (hold <= 1.3)")
    print(f"all samples are there once and right; {evaluation.usage.cost_usd} USD, as the server counts")


async def evaluation_of(server: ChatServer, folder: Path) -> Evaluation:
    model = client(server, retries=9, timeout_s=TIMEOUT_S, backoff_s=0.25, concurrency=N_AT_ONCE)
    with SampleStore(folder) as store:
        asked = items(N_SAMPLES)
        return await evaluated(model, asked, sampling=Sampling(seed=1), store=store, concurrency=2 * N_AT_ONCE)


def replies_s() -> Iterator[float]:
    rng = Random(2)
    while True:
        yield rng.uniform(3.0, 5.0)


def ideal_s(schedule: Sequence[Fault | None]) -> float:
    """Each place takes the next sample as soon as it is free, and tries it again at once until it is answered."""
    faults, replies = iter(schedule), replies_s()
    places = [0.0] * N_AT_ONCE
    for _ in range(N_SAMPLES):
        now = heappop(places)
        while (fault := next(faults)) is not None:
            now += float(fault.headers.get("Retry-After", 0))
            now += {STALL.kind: TIMEOUT_S, CUT.kind: next(replies) if fault == CUT else 0.0}.get(fault.kind, 0.0)
        heappush(places, now + next(replies))
    return max(places)


if __name__ == "__main__":
    main()
