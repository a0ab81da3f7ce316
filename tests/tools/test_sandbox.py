"""What a program may do and use, how it ended, and that nothing of it is left."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from masrepro.tools.sandbox import Limits, run_code, run_code_sync

LOOP = "while True: pass"
SLEEP = "import time; time.sleep(60)"
# Leaves the session and the parent behind, as a daemon does.
ORPHAN = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {rest}
    os._exit(0)
"""
ENDS = {
    "prints": ("print('4')", "ok", ""),
    "leaves_early": ("import os; os._exit(0)", "ok", ""),
    "raises": ("1 / 0", "failed", "exit status 1"),
    "exits": ("raise SystemExit(3)", "failed", "exit status 3"),
    "crashes": ("import os; os.kill(os.getpid(), 11)", "failed", "SIGSEGV"),
    "loops": (LOOP, "limit", "processor time"),
    "ignores_the_first_signal": (
        f"import signal\nsignal.signal(24, signal.SIG_IGN)\n{LOOP}",
        "limit",
        "processor time",
    ),
    "sleeps": (SLEEP, "limit", "wall-clock time"),
    "floods": ("while True: print('x' * 1000)", "limit", "output"),
    "floods_errors": ("import os\nwhile True: os.write(2, b'x' * 1000)", "limit", "output"),
    "hoards": ("x = bytearray(10**9)", "limit", "memory"),
    "orphans": (ORPHAN.format(rest="time.sleep(60)"), "limit", "left processes running"),
}


def command_lines(mark):
    """Processes on this machine that have a mark in their command line."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "cmdline").read_bytes():
                found.append(process.name)
        except OSError:
            continue
    return found


def gone(mark):
    """Whether they have all gone, or go within seconds: the kernel takes a moment to end a tree of processes."""
    deadline = time.monotonic() + 10
    while command_lines(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not command_lines(mark)


@pytest.mark.parametrize(("source", "status", "reason"), ENDS.values(), ids=ENDS)
def test_how_a_program_ended_is_told(source, status, reason, isolation):
    limits = Limits(cpu_s=1, wall_s=2 if "wall" in reason else 60, memory_bytes=256 * 2**20)
    result = run_code_sync(source, isolation=isolation, limits=limits)
    assert (result.status, result.isolation) == (status, isolation), result
    assert reason in result.reason


def test_input_and_both_outputs_pass_unchanged(isolation):
    text = "é\n{}<&\\ " * 10_000
    source = "import sys\ntext = sys.stdin.read()\nsys.stdout.write(text)\nsys.stderr.write(text[:10])"
    result = run_code_sync(source, stdin=text, isolation=isolation)
    assert (result.status, result.stdout, result.stderr) == ("ok", text, text[:10])


def test_a_program_need_not_read_its_input(isolation):
    assert run_code_sync("print(1)", stdin="x" * 10**6, isolation=isolation).stdout == "1\n"


def test_output_is_kept_up_to_the_limit(isolation):
    result = run_code_sync("print('x' * 5000)", isolation=isolation, limits=Limits(output_bytes=1000))
    assert (result.status, result.stdout) == ("limit", "x" * 1000)


def test_a_program_is_main_in_an_empty_folder_and_sets_have_one_order(isolation):
    source = "import os\nprint(__name__, os.listdir(), list({'a', 'b', 'c', 'd', 'e'}))"
    results = {run_code_sync(source, isolation=isolation).stdout for _ in range(3)}
    assert len(results) == 1 and results.pop().startswith("__main__ ['program.py'] ")


def test_processes_and_threads_of_the_standard_library_work(isolation):
    source = """
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pool
if __name__ == "__main__":
    with Pool(2) as pool, ThreadPoolExecutor(4) as threads:
        print(pool.map(abs, [-1, -2]), list(threads.map(abs, [-3])))
"""
    result = run_code_sync(source, isolation=isolation)
    assert (result.status, result.stdout) == ("ok", "[1, 2] [3]\n"), result.stderr


def test_orphans_are_killed(isolation):
    mark = f"masrepro-orphan-{os.getpid()}"
    run_as_shell = f"os.execv('/bin/sh', ['sh', '-c', 'sleep 60; : {mark}'])"
    result = run_code_sync(ORPHAN.format(rest=run_as_shell), isolation=isolation)
    assert result.status == "limit"
    assert gone(mark)


def test_processes_are_bounded_where_they_can_be(isolation):
    if os.geteuid() == 0 and isolation != "bubblewrap as root":
        pytest.skip("the kernel's limit on processes does not bind root")
    source = (
        "import os, time\nfor _ in range(40):\n    if os.fork() == 0:\n        time.sleep(0.2)\n        os._exit(0)"
    )
    result = run_code_sync(source, isolation=isolation, limits=Limits(n_processes=8))
    assert result.status == "failed" and "BlockingIOError" in result.stderr


async def test_correct_code_beside_an_endless_loop_never_fails():
    limits = Limits(cpu_s=2)
    beside = [asyncio.create_task(run_code(LOOP, limits=limits)) for _ in range(2)]
    free = asyncio.Semaphore(16)

    async def correct(number):
        async with free:
            return await run_code(f"print({number})", limits=limits)

    results = await asyncio.gather(*map(correct, range(48)))
    assert [(result.status, result.stdout) for result in results] == [("ok", f"{n}\n") for n in range(48)]
    assert {result.status for result in await asyncio.gather(*beside)} == {"limit"}


async def test_cancelling_ends_the_program(isolation):
    mark = f"masrepro-cancelled-{os.getpid()}"
    source = f"import os; os.execv('/bin/sh', ['sh', '-c', 'sleep 60; : {mark}'])"
    running = asyncio.create_task(run_code(source, isolation=isolation))
    deadline = time.monotonic() + 20
    while not command_lines(mark):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert gone(mark)


def test_no_descriptor_is_left_open(isolation):
    run_code_sync("", isolation=isolation)
    before = len(os.listdir("/proc/self/fd"))
    for source in ("print(1)", "while True: print('x' * 1000)"):
        run_code_sync(source, isolation=isolation)
    assert len(os.listdir("/proc/self/fd")) <= before


@pytest.mark.parametrize("name", ["cpu_s", "wall_s", "memory_bytes", "n_processes", "output_bytes", "disk_bytes"])
def test_a_limit_of_nothing_is_refused(name):
    with pytest.raises(ValueError, match=f"limit {name} must be above 0"):
        Limits(**{name: 0})
