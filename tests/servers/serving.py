"""Real servers on loopback, each a process of its own: `transformers serve`, and vLLM from an environment of its own.

Not a test; `tests/bench/bench_servers.py` starts them as well. What they print goes to a log file.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from masrepro.models.servers import Server, why_not

ROOT = Path(__file__).parents[2]
VLLM_PYTHON = Path(os.environ.get("MASREPRO_VLLM_PYTHON", ROOT / ".venv-vllm" / "bin" / "python"))
NO_TRANSFORMERS_SERVE = (
    ""
    if find_spec("fastapi") and find_spec("uvicorn")
    else "`transformers serve` needs the extra `serve`: pip install -c constraints.txt -e '.[serve]'"
)
NO_VLLM = "" if VLLM_PYTHON.is_file() else "vLLM is not in .venv-vllm: make test-servers"

_READY_WITHIN_S = 1200.0
_ENDS_WITHIN_S = 30.0
_QUIET = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}


@contextmanager
def transformers_serve(folder: Path, log: Path, *, dtype: str, options: Sequence[str] = ()) -> Iterator[Server]:
    """`transformers serve` with one model, until the end of the block.

    Without ``--continuous-batching`` among the options it computes one request after another.
    """
    port = free_port()
    program = "import sys; from transformers.cli.transformers import main; sys.exit(main())"
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--dtype", dtype, *options]
    server = Server(
        base_url=f"http://127.0.0.1:{port}/v1", api_key_env=None, served_as=str(folder), context_tokens=2048
    )
    with _running([sys.executable, "-c", program, "serve", str(folder), *options], log, server, folder.name):
        yield server


@contextmanager
def vllm_serve(folder: Path, log: Path, *, dtype: str) -> Iterator[Server]:
    """vLLM's server with one model, until the end of the block. It is sent no seed, which its CPU build dies of."""
    port = free_port()
    options = ["--model", str(folder), "--served-model-name", folder.name, "--host", "127.0.0.1", "--port", str(port)]
    options += ["--dtype", dtype, "--max-model-len", "2048", "--max-num-seqs", "64", "--generation-config", "vllm"]
    options += ["--enforce-eager", "--no-enable-prefix-caching"]
    server = Server(base_url=f"http://127.0.0.1:{port}/v1", api_key_env=None, context_tokens=2048, sends_seed=False)
    command = [str(VLLM_PYTHON), "-m", "vllm.entrypoints.openai.api_server", *options]
    with _running(command, log, server, folder.name):
        yield server


def free_port() -> int:
    """A port of loopback that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(command: Sequence[str], log: Path, server: Server, model: str) -> Iterator[None]:
    """A server's process from when it answers; its whole process group ends with the block."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, env={**os.environ, **_QUIET}, start_new_session=True
        )
    try:
        _await(process, log, server, model)
        yield
    finally:
        _end(process)


def _await(process: subprocess.Popen[bytes], log: Path, server: Server, model: str) -> None:
    deadline = time.monotonic() + _READY_WITHIN_S
    while reason := why_not(server, model):
        if process.poll() is not None or time.monotonic() > deadline:
            end = log.read_text(errors="replace")[-3000:]
            raise RuntimeError(f"the server did not start ({reason}); the end of what it printed:\n{end}")
        time.sleep(0.5)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Asked to stop, and after a while made to; its workers are in its group."""
    for order in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, order)
            process.wait(_ENDS_WITHIN_S)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
