"""The process for algebra: bounded, in any thread, beside an event loop, after a fork, after its death."""

import asyncio
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from masrepro.bench.scoring import score
from masrepro.bench.scoring.worker import MEMORY_BYTES, Undecided, Worker

ENDLESS = r"\sum_{k=1}^{99999999} \lfloor \sqrt{k} \rfloor"


@pytest.fixture
def worker():
    worker = Worker(cpu_s=0.5)
    yield worker
    worker.close()


def radical(number: int) -> tuple[str, str]:
    return rf"\boxed{{\sqrt{{{number * number * 2}}}}}", rf"{number}\sqrt{{2}}"


def test_a_comparison_without_end_is_given_up_and_the_next_one_works(worker):
    start = time.monotonic()
    with pytest.raises(Undecided, match="processor time"):
        worker.ask("same", "5", ENDLESS)
    assert time.monotonic() - start >= worker.cpu_s
    assert worker.ask("same", r"2\sqrt{2}", r"\sqrt{8}")
    assert not worker.ask("same", r"2\sqrt{2}", r"\sqrt{7}")


def test_a_killed_process_is_replaced(worker):
    assert worker.ask("same", r"\sqrt{8}", r"2\sqrt{2}")
    assert worker.process is not None
    worker.process.kill()
    worker.process.wait()
    assert worker.ask("same", r"\sqrt{8}", r"2\sqrt{2}")


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux tells the limits of another process")
def test_memory_is_bounded(worker):
    assert worker.ask("same", r"\sqrt{8}", r"2\sqrt{2}")
    assert resource.prlimit(worker.process.pid, resource.RLIMIT_AS) == (MEMORY_BYTES, MEMORY_BYTES)


def test_threads_get_their_own_verdicts():
    jobs = [(n, m) for n in range(1, 9) for m in range(1, 9)]

    def verdict(job):
        return score("math", radical(job[0])[0], radical(job[1])[1]).outcome

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(verdict, jobs))
    assert outcomes == ["correct" if n == m else "wrong" for n, m in jobs]


async def test_scoring_works_beside_a_running_loop():
    here = score("math", *radical(11)).outcome
    there = await asyncio.gather(*(asyncio.to_thread(score, "math", *radical(n)) for n in range(12, 20)))
    assert [here, *(one.outcome for one in there)] == ["correct"] * 9


def test_no_signal_handler_is_touched():
    before = [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGPROF, signal.SIGINT)]
    score("math", *radical(21))
    assert [signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGPROF, signal.SIGINT)] == before


FORKED = """
import multiprocessing, os, sys
sys.path.insert(0, sys.argv[1])
from masrepro.bench.scoring import score
from test_worker import radical

def put(queue):
    queue.put((os.getpid(), score("math", *radical(32)).outcome))

before = score("math", *radical(31)).outcome
context = multiprocessing.get_context("fork")
queue = context.Queue()
child = context.Process(target=put, args=(queue,))
child.start()
pid, there = queue.get(timeout=60)
child.join(timeout=60)
print(pid != os.getpid(), before, there, score("math", *radical(33)).outcome)
"""


def test_a_forked_process_gets_a_worker_of_its_own():
    # In a program of its own: here other threads may hold a lock that a fork would never get.
    told = subprocess.run([sys.executable, "-c", FORKED, str(Path(__file__).parent)], capture_output=True, text=True)
    assert told.stdout == "True correct correct correct\n", told.stderr


def test_an_interrupted_comparison_leaves_no_reply_behind(worker, monkeypatch):
    from masrepro.bench.scoring import worker as module

    assert worker.ask("same", r"\sqrt{8}", r"2\sqrt{2}")
    exchange = module._exchange

    def interrupted(process, request, limit_s):
        process.stdin.write('[0.5, "same", "1", "1"]\n')
        process.stdin.flush()
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "_exchange", interrupted)
    with pytest.raises(KeyboardInterrupt):
        worker.ask("same", "1", "1")
    monkeypatch.setattr(module, "_exchange", exchange)
    assert not worker.ask("same", r"\sqrt{8}", r"3\sqrt{2}")
