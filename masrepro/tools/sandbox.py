"""Runs Python that nobody has read: a model's code, alone, under limits, with the standard library and nothing else.

Not here: how it is shut in (`isolation`), and what watches over it from inside (`monitor`). Whether the code is right
is for a scorer to say.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache
from subprocess import PIPE, Popen
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any, Literal

from masrepro.tools.isolation import ENVIRONMENT, Isolation, SandboxError, command, isolations

START_S = 30.0  # for the sandbox to be set up and Python to start in it, on a busy machine
END_S = 2.0  # for a sandbox that was told to end

Status = Literal["ok", "failed", "limit"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a program may use. Processor time decides, so that a busy machine fails nobody; wall-clock time is loose.

    Parameters
    ----------
    cpu_s : float
        Processor seconds of each process.
    wall_s : float
        Seconds from the start of the program to its end.
    memory_bytes : int
        Address space of each process.
    n_processes : int
        Processes and threads at once. Not enforced for root without bubblewrap.
    output_bytes : int
        Of standard output, and again of standard error.
    disk_bytes : int
        Files in its folder together; without bubblewrap, each file.
    """

    cpu_s: float = 10.0
    wall_s: float = 60.0
    memory_bytes: int = 512 * 2**20
    n_processes: int = 16
    output_bytes: int = 2**20
    disk_bytes: int = 64 * 2**20

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not value > 0:
                raise ValueError(f"limit {name} must be above 0, got {value!r}")


@dataclass(frozen=True, slots=True)
class Result:
    """How a program ended.

    Parameters
    ----------
    status : str
        ``ok`` (exit status 0, nothing left running), ``failed`` (it ended otherwise, by itself) or ``limit``.
    stdout, stderr : str
        What it wrote, up to the limit on output; bytes that are no UTF-8 are replaced.
    seconds : float
        Wall-clock time, the sandbox's own start included.
    isolation : str
        What shut it in; see `isolation`.
    reason : str
        Why it is not ``ok``, for people.
    """

    status: Status
    stdout: str
    stderr: str
    seconds: float
    isolation: Isolation
    reason: str = ""


async def run_code(
    source: str, *, stdin: str = "", limits: Limits = Limits(), isolation: Isolation | None = None
) -> Result:
    """Run a program as ``__main__`` in an empty folder of its own, and end all that it started.

    Nothing bounds how many run at once but the caller. Cancelling ends the program.

    Parameters
    ----------
    source : str
        Python.
    stdin : str
        All that it can read from standard input.
    limits : Limits
        Beyond them it is ended.
    isolation : str or None
        None: the best that works here, with a warning where that is only ``rlimits``.

    Raises
    ------
    SandboxError
        The sandbox could not do its work. It says nothing about the program.
    """
    by: Isolation = isolation if isolation else await asyncio.to_thread(best_isolation)
    began = time.monotonic()
    program = source.encode("utf-8", "surrogatepass")
    with TemporaryDirectory(prefix="masrepro-", ignore_cleanup_errors=True) as folder, TemporaryFile() as fed:
        fed.write(program + stdin.encode("utf-8", "surrogatepass"))
        fed.seek(0)
        reports, report = os.pipe()
        try:
            try:
                process = Popen(
                    command(by, asdict(limits) | {"report": report, "n_source": len(program)}),
                    stdin=fed,
                    stdout=PIPE,
                    stderr=PIPE,
                    pass_fds=(report,),
                    cwd=folder,
                    env=ENVIRONMENT | {"HOME": folder if by == "rlimits" else "/tmp"},
                    start_new_session=True,
                )
            except OSError as error:
                raise SandboxError(f"{by}: no process could be started: {error}") from error
            finally:
                os.close(report)
            stdout, stderr, stopped = await _hear_out(process, limits)
            told = _read_report(reports)
        finally:
            os.close(reports)
    result = Result("ok", stdout, stderr, time.monotonic() - began, by)
    return _judged(result, told, stopped, process.returncode)


def run_code_sync(
    source: str, *, stdin: str = "", limits: Limits = Limits(), isolation: Isolation | None = None
) -> Result:
    """`run_code` for code that cannot await, beside a running event loop or not; it blocks its thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, run_code(source, stdin=stdin, limits=limits, isolation=isolation)).result()


@cache
def best_isolation() -> Isolation:
    """The strongest isolation that was seen to work here. Warns, once, where it is only ``rlimits``.

    Raises
    ------
    SandboxError
        None works; says why for each.
    """
    faults: list[str] = []
    for isolation in isolations():
        try:
            result = run_code_sync("print('ready')", isolation=isolation)
        except SandboxError as error:
            faults.append(str(error))
            continue
        if result.stdout != "ready\n":
            faults.append(f"{isolation}: {result.reason} {result.stderr.strip()[-300:]}")
            continue
        if isolation == "rlimits":
            why = "; ".join(faults) or "bubblewrap is not installed"
            warnings.warn(
                f"Code of models runs WITHOUT isolation ({why}): it can read your files, write them and use the "
                "network; only time, memory and output are bounded. Install bubblewrap (apt install bubblewrap), or "
                "run this in a container that you can throw away.",
                RuntimeWarning,
                stacklevel=2,
            )
        return isolation
    raise SandboxError("no way to run code works here: " + "; ".join(faults))


async def _hear_out(process: Popen[bytes], limits: Limits) -> tuple[str, str, str]:
    """Read what a process writes until it ends or must be ended.

    Returns its outputs, and why it was stopped: "", "output" or "wall".
    """
    assert process.stdout and process.stderr
    outputs = {process.stdout: bytearray(), process.stderr: bytearray()}
    end = os.pidfd_open(process.pid)
    ended = asyncio.create_task(_readable(end))
    reading = {asyncio.create_task(_read(*one, limits.output_bytes)) for one in outputs.items()}
    pending: set[asyncio.Task[Any]] = {ended, *reading}
    stopped = ""
    try:
        async with asyncio.timeout(START_S + limits.wall_s):
            while ended in pending and not stopped:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                if any(task.result() for task in done & reading):
                    stopped = "output"
    except TimeoutError:
        stopped = "wall"
    finally:
        for task in reading:
            task.cancel()
        await _end(process, ended)
        os.close(end)
        for pipe, output in outputs.items():
            # All that could write is gone, and what it wrote is in the pipe.
            os.set_blocking(pipe.fileno(), False)
            output += pipe.read() or b""
            pipe.close()
    if any(len(output) > limits.output_bytes for output in outputs.values()):
        stopped = stopped or "output"
    stdout, stderr = (bytes(output[: limits.output_bytes]).decode("utf-8", "replace") for output in outputs.values())
    return stdout, stderr, stopped


async def _read(pipe: IO[bytes], output: bytearray, n_bytes: int) -> bool:
    """Read to the end, or past a number of bytes; returns whether there were more."""
    while len(output) <= n_bytes:
        await _readable(pipe.fileno())
        chunk = os.read(pipe.fileno(), 2**16)
        if not chunk:
            return False
        output += chunk
    return True


async def _readable(descriptor: int) -> None:
    """Wait until a file descriptor can be read; that of a process can when it has ended."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(descriptor)


async def _end(process: Popen[bytes], ended: asyncio.Task[None]) -> None:
    """End the sandbox and all in it; then whatever is left of its process group."""
    if not ended.done():
        process.terminate()
        await asyncio.wait({ended}, timeout=END_S)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await ended
    process.wait()


def _read_report(reports: int) -> dict[str, Any]:
    """What the monitor told: nothing where the program never started, ``{}`` where it could not tell the end."""
    os.set_blocking(reports, False)
    try:
        lines = os.read(reports, 2**16).decode().splitlines()
    except BlockingIOError:
        lines = []
    told: dict[str, Any] = {"started": "started" in lines}
    return told | (json.loads(lines[1]) if len(lines) > 1 else {})


def _judged(result: Result, told: dict[str, Any], stopped: str, returncode: int | None) -> Result:
    """The result with its status and reason."""
    if not told["started"]:
        why = "it did not start in time" if stopped == "wall" else f"it ended with status {returncode}"
        raise SandboxError(f"{result.isolation}: {why}: {result.stderr.strip()[-300:] or 'no message'}")
    limit = {"output": "output", "wall": "wall-clock time"}.get(stopped) or told.get("limit")
    if limit:
        return replace(result, status="limit", reason=f"limit on {limit}")
    if "status" not in told:
        return replace(result, status="failed", reason="it ended the process that watched over it")
    exit_status = os.waitstatus_to_exitcode(told["status"])
    if exit_status == -signal.SIGXCPU:
        return replace(result, status="limit", reason="limit on processor time")
    if exit_status == -signal.SIGKILL:
        return replace(result, status="limit", reason="killed: processor time, or the machine's memory")
    if exit_status and _last_line(result.stderr).startswith("MemoryError"):
        return replace(result, status="limit", reason="limit on memory")
    if told["left"]:
        return replace(result, status="limit", reason="it left processes running")
    if exit_status:
        by = f"signal {signal.Signals(-exit_status).name}" if exit_status < 0 else f"exit status {exit_status}"
        return replace(result, status="failed", reason=by)
    return result


def _last_line(text: str) -> str:
    return next((line for line in reversed(text.splitlines()) if line.strip()), "")
