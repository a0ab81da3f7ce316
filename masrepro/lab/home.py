"""Where notebooks, params and outputs lie, whatever the working directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from masrepro.lab.params import PROFILES
from masrepro.lab.problem import BadInput

VARIABLE = "MASREPRO_HOME"
PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = PACKAGE / "share"


@dataclass(frozen=True, slots=True)
class Home:
    """A folder with ``notebooks/`` and ``params/``, and where runs are kept.

    Parameters
    ----------
    root : Path
        Holds ``notebooks/NAME.ipynb`` and ``params/PROFILE/NAME.yaml``.
    outputs : Path
        ``root/outputs``; ``outputs`` in the working directory when the notebooks are those inside the
        installed package.
    """

    root: Path
    outputs: Path

    def notebook(self, name: str) -> Path:
        """The notebook of that name, there or not."""
        return self.root / "notebooks" / f"{name}.ipynb"

    def notebooks(self) -> list[str]:
        """Names of all notebooks, in order."""
        return sorted(path.stem for path in (self.root / "notebooks").glob("[0-9][0-9]_*.ipynb"))

    def params_file(self, name: str, profile: str) -> Path:
        """The params file of a notebook in a profile, there or not."""
        return self.root / "params" / profile / f"{name}.yaml"

    def short(self, path: Path) -> str:
        """A path as it is shown: from the root, or from what holds ``outputs``; else whole."""
        for base in (self.root, self.outputs.parent):
            if path.is_relative_to(base):
                return path.relative_to(base).as_posix()
        return str(path)


def find_home(environ: Mapping[str, str] = os.environ, start: Path | None = None) -> Home:
    """The home that applies here.

    In this order: ``MASREPRO_HOME``; the working directory and the folders above it; the checkout that the
    package was imported from; the copy of notebooks and params inside an installed package.

    Raises
    ------
    BadInput
        ``MASREPRO_HOME`` is not such a folder, or there is none anywhere.
    """
    start = (start or Path.cwd()).resolve()
    if environ.get(VARIABLE):
        root = Path(environ[VARIABLE]).resolve()
        if not _is_home(root):
            raise BadInput.of(f"{VARIABLE} is {root}, which has no notebooks/ and params/; set it to a checkout")
        return Home(root, root / "outputs")
    for root in (start, *start.parents, PACKAGE.parent):
        if _is_home(root):
            return Home(root, root / "outputs")
    if _is_home(SHIPPED):
        return Home(SHIPPED, start / "outputs")
    raise BadInput.of(f"no notebooks/ and params/ at or above {start}; run from a checkout, or set {VARIABLE} to one")


def _is_home(root: Path) -> bool:
    return (root / "notebooks").is_dir() and any((root / "params" / profile).is_dir() for profile in PROFILES)
