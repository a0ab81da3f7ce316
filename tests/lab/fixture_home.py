"""A folder with fixture notebooks and the smoke params, a space in its name, and commands that run in it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent


def hear_interrupts() -> None:
    """For ``preexec_fn``: tests that a shell runs in the background inherit that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass(frozen=True)
class FixtureHome:
    """A folder with notebooks and params, and commands that run in it."""

    root: Path

    @classmethod
    def make(cls, root: Path) -> FixtureHome:
        """A home without notebooks yet."""
        (root / "notebooks").mkdir(parents=True)
        shutil.copytree(REPOSITORY / "params" / "smoke", root / "params" / "smoke")
        shutil.copy(HERE / "logging_model.py", root / "notebooks")
        return cls(root)

    def install(self, fixture: str, name: str) -> None:
        """Make a fixture notebook the notebook of that name."""
        shutil.copy(HERE / "notebooks" / f"{fixture}.ipynb", self.root / "notebooks" / f"{name}.ipynb")

    def start(self, *arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.Popen[str]:
        """Start ``python ARGUMENTS`` with this home, by default in it."""
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=cwd or self.root,
            env=self._environment(variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=hear_interrupts,
        )

    def masrepro(self, *arguments: str, cwd: Path | None = None, **variables: str) -> tuple[int, str]:
        """Exit code and output of ``python -m masrepro ARGUMENTS``."""
        process = self.start("-m", "masrepro", *arguments, cwd=cwd, **variables)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output

    def runs(self, name: str = "01_five_axes") -> list[Path]:
        """Run folders of a notebook, oldest first."""
        return sorted((self.root / "outputs" / name).glob("*/"), key=lambda path: path.name)

    def _environment(self, variables: Mapping[str, str]) -> dict[str, str]:
        paths = [str(REPOSITORY), str(self.root / "notebooks"), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "MASREPRO_HOME": str(self.root),
            **variables,
        }
