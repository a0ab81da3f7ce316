"""How long ``import masrepro`` takes in a fresh interpreter, beside an interpreter that imports nothing.

python tests/bench/bench_import.py
"""

from __future__ import annotations

import subprocess
import sys
import time

N = 10


def seconds(program: str) -> float:
    """The best of some runs of a fresh interpreter."""

    def once() -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", program], check=True)
        return time.perf_counter() - began

    return min(once() for _ in range(N))


def main() -> None:
    bare = seconds("pass")
    package = seconds("import masrepro")
    surface = seconds("from masrepro import Budget, DoM, Orchestration, Pool, parse, run")
    print(f"import masrepro: {package - bare:.3f} s (hold <= 0.3 s);", end=" ")
    print(f"with the names that write and run a plan: {surface - bare:.3f} s;", end=" ")
    print(f"interpreter alone: {bare:.3f} s (best of {N})")


if __name__ == "__main__":
    main()
