"""Watches over one program from inside its sandbox. Its text is handed to a bare interpreter; it imports no sibling.

It reads the program from standard input (what follows there is the program's), starts it under the kernel's limits,
and reports how it ended, and whether it left processes running. Under bubblewrap it is process 1: what the program
leaves behind becomes its child, and dies with it. Without, it makes itself the heir and ends them all.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

LINGER_S = 2.0  # in which what a program left running may end by itself
PR_SET_CHILD_SUBREAPER = 36


def main(settings: dict[str, Any]) -> None:
    """Run the program of these settings and report."""
    report = settings["report"]
    os.set_inheritable(report, False)
    Path("program.py").write_bytes(read_exactly(settings["n_source"]))
    if not settings["isolated"]:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        signal.signal(signal.SIGTERM, lambda *_: end(settings))

    def expire(*_: object) -> NoReturn:
        os.write(report, b'{"limit": "wall-clock time"}\n')
        end(settings)

    program = os.fork()
    if program == 0:
        become(settings)
    os.write(report, b"started\n")
    signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, settings["wall_s"])
    status = wait_for(program)
    left = linger()
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.write(report, json.dumps({"status": status, "left": left}).encode() + b"\n")
    end(settings)


def read_exactly(n_bytes: int) -> bytes:
    """So many bytes of standard input, and not one more."""
    data = b""
    while len(data) < n_bytes:
        chunk = os.read(0, n_bytes - len(data))
        if not chunk:
            sys.exit("the program came incomplete")
        data += chunk
    return data


def become(settings: dict[str, Any]) -> NoReturn:
    """Turn this process into the program, bounded."""
    others = 0 if settings["isolated"] else n_tasks_of_user()
    cpu_s = max(1, round(settings["cpu_s"]))
    for limit, soft, hard in (
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        (resource.RLIMIT_AS, settings["memory_bytes"], settings["memory_bytes"]),
        (resource.RLIMIT_FSIZE, settings["disk_bytes"], settings["disk_bytes"]),
        (resource.RLIMIT_NPROC, others + settings["n_processes"], others + settings["n_processes"]),
        (resource.RLIMIT_NOFILE, 256, 256),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        resource.setrlimit(limit, (soft, hard))
    if settings["user"] is not None:
        os.setgroups([])
        os.setresgid(*[settings["user"]] * 3)
        os.setresuid(*[settings["user"]] * 3)
    os.execv(settings["interpreter"], [settings["interpreter"], "-s", "-B", "program.py"])


def n_tasks_of_user() -> int:
    """Processes and threads of this user, all of which count against the limit where users are shared."""
    n_tasks = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.stat().st_uid == os.getuid():
                n_tasks += len(os.listdir(process / "task"))
        except OSError:
            continue  # it has ended meanwhile
    return n_tasks


def wait_for(program: int) -> int:
    """The program's wait status; processes that it orphaned are reaped on the way."""
    while True:
        process, status = os.wait()
        if process == program:
            return status


def linger() -> bool:
    """Whether any process is left after a while."""
    deadline = time.monotonic() + LINGER_S
    while time.monotonic() < deadline:
        try:
            process, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if process == 0:
            time.sleep(0.01)
    return True


def end(settings: dict[str, Any]) -> NoReturn:
    """End all processes of the program, and this one."""
    while not settings["isolated"]:
        for child in children():
            os.kill(child, signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            break
    os._exit(0)


def children() -> list[int]:
    """Processes that have this one as parent: with each that dies, its own become such."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue  # it has ended meanwhile
        if int(parent) == os.getpid():
            found.append(int(process.name))
    return found


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
