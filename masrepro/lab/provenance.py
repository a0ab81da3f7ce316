"""Where a number comes from: code, versions, machine. No host name, no user name, no absolute path."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from masrepro.bench import Item
from masrepro.lab.home import PACKAGE

PACKAGES = "masrepro torch transformers tokenizers trl peft vllm openai numpy pydantic papermill ipykernel plotly"


def source_hash(notebook: Path) -> str:
    """Hash of what decides a run besides its params: the package's files, weights too, and the notebook.

    Model cards decide nothing. The notebook counts by its cells' text, not by outputs or metadata.
    """
    digest = sha256()
    for path in _package_files():
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0")
        digest.update(sha256(path.read_bytes()).digest())
    if notebook.exists():
        cells = json.loads(notebook.read_bytes())["cells"]
        digest.update(json.dumps([[cell["cell_type"], "".join(cell["source"])] for cell in cells]).encode())
    return digest.hexdigest()[:16]


def data_hash(items: Iterable[Item]) -> str:
    """Hash of what items ask and hold for true, in their order."""
    digest = sha256()
    for item in items:
        digest.update(json.dumps([item.id, item.question, item.answer, item.scorer]).encode() + b"\n")
    return digest.hexdigest()[:16]


def provenance(root: Path) -> dict[str, Any]:
    """Commit, versions and hardware, JSON-ready."""
    commit, dirty = _commit(root)
    return {"commit": commit, "dirty": dirty, "versions": _versions(), "hardware": _hardware()}


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _package_files() -> Iterator[Path]:
    for path in sorted(PACKAGE.rglob("*")):
        relative = path.relative_to(PACKAGE)
        if (
            path.is_file()
            and path.suffix not in (".pyc", ".md")
            and not any(part.startswith(".") for part in relative.parts)
        ):
            yield path


def _commit(root: Path) -> tuple[str | None, bool | None]:
    """Commit and whether the tree differs from it; None, None outside a repository of the project."""
    top = _git(root, "rev-parse", "--show-toplevel")
    if top is None or Path(top).resolve() != root.resolve():
        return None, None
    changes = _git(root, "status", "--porcelain")
    return _git(root, "rev-parse", "HEAD"), None if changes is None else bool(changes)


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES.split():
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _hardware() -> dict[str, Any]:
    return {
        "cpu": _cpu_model(),
        "cores": cores(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _cpu_model() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
