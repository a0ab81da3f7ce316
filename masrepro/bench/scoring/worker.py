"""A process for algebra, with a bound on the processor time and memory of every comparison.

Math-Verify's own time limit is a signal: it works in the main thread only, gets in the way of an event loop,
and does not stop one long multiplication. Here a process of its own does the work. It ends itself when a
comparison has used its processor time, and the next comparison starts a new one. Any thread may ask; threads
take turns.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from typing import IO, Any, Literal

from masrepro.bench.scoring.outcome import ScorerUnavailable

WALL_S = 30.0  # seconds for one comparison, waiting for a processor included
START_S = 120.0  # seconds to start and import SymPy on a busy machine
MEMORY_BYTES = 2 * 2**30

_SERVE = "import sys; sys.path[:] = sys.argv[1:]; from masrepro.bench.scoring.worker import serve; serve()"

Process = subprocess.Popen[str]
Question = Literal["same", "paper"]


class Undecided(Exception):
    """A comparison that found no answer; the message says why."""


@dataclass
class Worker:
    """The process, started when the first comparison is asked for.

    Parameters
    ----------
    cpu_s : float
        Processor seconds that one comparison may take.
    """

    cpu_s: float = 3.0
    process: Process | None = None
    turn: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, question: Question, gold: str, prediction: str) -> bool:
        """Have two texts compared.

        Raises
        ------
        Undecided
            The texts are no mathematics, or the limit on time or memory was reached.
        ScorerUnavailable
            The process cannot work: it did not start, or Math-Verify is not installed.
        """
        with self.turn:
            try:
                reply = _exchange(self._started(), [self.cpu_s, question, gold, prediction], WALL_S)
            except BaseException:  # interrupted: a reply still to come would be taken for the next one's
                self.close()
                raise
            if reply is None:
                self.close()
                raise Undecided(f"not decided in {self.cpu_s:g} s of processor time, or {WALL_S:g} s in all")
        if "undecided" in reply:
            raise Undecided(reply["undecided"])
        return bool(reply["same"])

    def close(self) -> None:
        """End the process, if there is one."""
        process, self.process = self.process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                pipe.close()
        process.wait()

    def _started(self) -> Process:
        if self.process is None or self.process.poll() is not None:
            self.close()
            command = [sys.executable, "-c", _SERVE, *sys.path]
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,  # an interrupt from the keyboard is for the parent
            )
            ready = _exchange(self.process, None, START_S)
            if ready is None or "missing" in ready:
                self.close()
                reason = ready["missing"] if ready else "it ended, or took too long to start"
                raise ScorerUnavailable(f"the process for algebra failed: {reason}; try: pip install math-verify")
        return self.process


WORKER = Worker()
atexit.register(WORKER.close)


def _forget_parent() -> None:
    """After a fork: the process belongs to the parent, whose threads may have held the turn."""
    WORKER.process, WORKER.turn = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)


def _exchange(process: Process, request: list[float | str] | None, limit_s: float) -> dict[str, Any] | None:
    """Send a request, if there is one, and read a reply; None where the process ended or had to be ended."""
    assert process.stdin is not None and process.stdout is not None
    alarm = threading.Timer(limit_s, process.kill)
    alarm.daemon = True
    alarm.start()
    try:
        if request is not None:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        line = process.stdout.readline()
    except BrokenPipeError:
        return None
    finally:
        alarm.cancel()
    return json.loads(line) if line.endswith("\n") else None


def serve() -> None:
    """Answer comparisons from standard input until it closes: the worker's own main function."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # a library that prints must not end up among the replies
    try:
        import math_verify  # noqa: F401
    except ImportError as error:
        _reply(replies, {"missing": str(error)})
        return
    logging.getLogger("math_verify").setLevel(logging.ERROR)
    _bound_memory()
    _reply(replies, {})
    for line in sys.stdin:
        cpu_s, *request = json.loads(line)
        _bound_time(cpu_s)
        reply = _compare(*request)
        _bound_time(0.0)
        _reply(replies, reply)


def _compare(question: Question, gold: str, prediction: str) -> dict[str, Any]:
    from masrepro.bench.scoring.algebra import Unreadable, default_match, same_value
    from masrepro.bench.scoring.equality import same_answer

    try:
        if question == "paper":
            return {"same": default_match(gold, prediction)}
        return {"same": same_answer(gold, prediction, same_value)}
    except Unreadable as error:
        return {"undecided": f"not read as mathematics: {str(error)[:80]}"}
    except Exception as error:  # parsers of free text fail in many ways; the reply says which
        return {"undecided": f"{type(error).__name__}: {str(error)[:80]}"}


def _reply(replies: IO[str], reply: dict[str, Any]) -> None:
    replies.write(json.dumps(reply) + "\n")
    replies.flush()


def _bound_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows, where the limit on time has to do
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def _bound_time(cpu_s: float) -> None:
    """End this process after so much more processor time (0: never), by a signal that nothing handles."""
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, cpu_s)
