"""What shuts a program in: bubblewrap where it works, else bare limits on an ordinary process.

With bubblewrap the program has a process tree, an empty network and a root of its own: ``/usr`` and the interpreter's
files read-only, without installed packages; an empty ``/tmp``; no home. Linux only.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

Isolation = Literal["bubblewrap as root", "bubblewrap", "rlimits"]
"""``bubblewrap as root``: root sets it up and the program runs as a user that nobody else is; ``bubblewrap``: in a user
namespace; ``rlimits``: no isolation, only limits."""

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONUTF8": "1",
    "PYTHONHASHSEED": "0",  # the order of a set must not decide whether code is right
    "OMP_NUM_THREADS": "1",
}


class SandboxError(Exception):
    """The sandbox could not do its work; the program is not to blame."""


def isolations() -> tuple[Isolation, ...]:
    """What may work here, best first.

    Raises
    ------
    SandboxError
        This is not Linux.
    """
    if sys.platform != "linux":
        raise SandboxError(f"code of models is run on Linux only, not on {sys.platform}: use a Linux container")
    if shutil.which("bwrap") is None:
        return ("rlimits",)
    return ("bubblewrap as root", "bubblewrap", "rlimits") if os.geteuid() == 0 else ("bubblewrap", "rlimits")


def command(isolation: Isolation, settings: Mapping[str, Any]) -> list[str]:
    """The command line that starts the monitor under an isolation, with its settings (see `monitor`)."""
    interpreter = _interpreter()
    told = {
        **settings,
        "interpreter": interpreter,
        "isolated": isolation != "rlimits",
        "user": 2**20 + secrets.randbelow(2**30) if isolation == "bubblewrap as root" else None,
    }
    monitor = files("masrepro.tools").joinpath("monitor.py").read_text(encoding="utf-8")
    wrapped = [] if isolation == "rlimits" else _bubblewrap(isolation, settings["disk_bytes"])
    return [*wrapped, interpreter, "-I", "-S", "-B", "-c", monitor, json.dumps(told)]


def _bubblewrap(isolation: Isolation, disk_bytes: int) -> list[str]:
    if isolation == "bubblewrap as root":
        # A user namespace would keep the program root outside, whom the kernel's limit on processes does not bind.
        user = "--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID"
    else:
        user = "--unshare-user --uid 65534 --gid 65534 --cap-drop ALL"
    own = f"--size {disk_bytes} --perms 1777 --tmpfs"
    before = f"""--die-with-parent --as-pid-1 {user} --hostname sandbox
        --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try"""
    after = f"--proc /proc --dev /dev {own} /dev/shm {own} /tmp --remount-ro /dev --remount-ro / --chdir /tmp"
    return [shutil.which("bwrap") or "bwrap", *before.split(), *_read_only(), *after.split()]


@cache
def _read_only() -> tuple[str, ...]:
    """Mounts of the system's and the interpreter's files, with an empty folder over each one of packages."""
    prefix = Path(sys.base_prefix)
    arguments = ["--ro-bind", "/usr", "/usr"]
    for path in ("/bin", "/lib", "/lib64", "/etc/ld.so.cache"):
        arguments += ["--ro-bind-try", path, path]
    if not prefix.is_relative_to("/usr"):
        # Its parents may lie in a home: they are made anew, empty but for it.
        for parent in [*reversed(prefix.parents), prefix][1:]:
            arguments += ["--perms", "0755", "--dir", str(parent)]
        for part in ("bin", "lib", "lib64"):
            arguments += ["--ro-bind-try", str(prefix / part), str(prefix / part)]
    for packages in _package_folders(prefix):
        arguments += ["--tmpfs", str(packages), "--remount-ro", str(packages)]
    return tuple(arguments)


def _package_folders(prefix: Path) -> Iterator[Path]:
    """Folders of installed packages: one of them may hold a benchmark with its solutions."""
    for root in {prefix, Path("/usr"), Path("/usr/local")}:
        for name in ("site-packages", "dist-packages"):
            yield from root.glob(f"lib*/python3*/{name}")


def _interpreter() -> str:
    """The interpreter without a virtual environment around it, and so without packages."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))
