"""How close execution comes to the schedule that the model's latency alone would allow.

Prints two ratios: an 8-way fan-out with a sink against its critical path, and 1,000 chains of three agents,
128 at once and every trace written as a JSON line, against the ideal schedule. Bare asyncio (the same sleeps
under the same limit, nothing recorded) stands beside them, as what this machine allows.

    python tests/bench/bench_runtime.py
"""

from __future__ import annotations

import asyncio
import math
import tempfile
import time
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from masrepro.models.model import FREE, Completion, Message, Sampling, Usage
from masrepro.orchestration import Agent, Flow, Orchestration
from masrepro.runtime import run

CALL_S = 0.05
N_ORCHESTRATIONS, N_AT_ONCE, CHAIN = 1000, 128, 3
QUESTION = "The number of each Mill's Crate equals 5 more than each Harbor's Basket. " * 4


class Sleeper:
    """A back-end with a fixed latency and a reply of some length."""

    name, revision, context_tokens, price = "sleeper", "1", 4096, FREE

    async def complete(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        await asyncio.sleep(CALL_S)
        return Completion("It is 5 + 4 = 9. " * 10 + "\nAnswer: \\boxed{9}", "stop", Usage(1, 90, 60, Decimal(0)))


def star(n_workers: int) -> Orchestration:
    workers = [Agent(f"w{i}", "solver", f"Solve problem {i}.") for i in range(n_workers)]
    flows = [Flow(worker.id, "sink", f"problem {i}") for i, worker in enumerate(workers)]
    return Orchestration((*workers, Agent("sink", "collector", "Collect the answers.")), tuple(flows))


def chain(n_agents: int) -> Orchestration:
    agents = [Agent(f"a{i}", "solver", f"Find value {i}.") for i in range(n_agents)]
    return Orchestration(tuple(agents), tuple(Flow(f"a{i}", f"a{i + 1}") for i in range(n_agents - 1)))


async def fan_out() -> float:
    began = time.perf_counter()
    await run(star(8), QUESTION, models=Sleeper())
    return time.perf_counter() - began


async def many(records: Path) -> float:
    plan, model, places = chain(CHAIN), Sleeper(), asyncio.Semaphore(N_AT_ONCE)

    async def one() -> None:
        async with places:
            result = await run(plan, QUESTION, models=model)
            file.write(result.trace.to_json() + "\n")

    began = time.perf_counter()
    with records.open("w", encoding="utf-8") as file:
        async with asyncio.TaskGroup() as group:
            for _ in range(N_ORCHESTRATIONS):
                group.create_task(one())
    return time.perf_counter() - began


async def many_bare() -> float:
    places = asyncio.Semaphore(N_AT_ONCE)

    async def one() -> None:
        async with places:
            for _ in range(CHAIN):
                await asyncio.sleep(CALL_S)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(N_ORCHESTRATIONS):
            group.create_task(one())
    return time.perf_counter() - began


def main() -> None:
    asyncio.run(fan_out())
    took = min(asyncio.run(fan_out()) for _ in range(5))
    print(f"8-way fan-out and a sink, {CALL_S * 1000:.0f} ms a call: {took * 1000:.1f} ms,", end=" ")
    print(f"{took / (2 * CALL_S):.3f} x the critical path (best of 5; hold <= 1.05)")

    ideal = math.ceil(N_ORCHESTRATIONS / N_AT_ONCE) * CHAIN * CALL_S
    with tempfile.TemporaryDirectory() as folder:
        records = Path(folder, "traces.jsonl")
        pairs = [(asyncio.run(many_bare()), asyncio.run(many(records))) for _ in range(5)]
        n_lines = len(records.read_text(encoding="utf-8").splitlines())
    bare, took = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    print(
        f"{N_ORCHESTRATIONS} chains of {CHAIN}, {N_AT_ONCE} at once, {n_lines} records: {took:.3f} s,",
        end=" ",
    )
    print(f"{took / ideal:.3f} x the ideal {ideal:.2f} s (best of 5; hold <= 1.15);", end=" ")
    print(f"bare asyncio {bare / ideal:.3f} x")


if __name__ == "__main__":
    main()
