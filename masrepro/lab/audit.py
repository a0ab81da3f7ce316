"""Whether an executed notebook really ran: papermill's own word is not enough.

A killed kernel leaves every cell marked ``completed``, and ``sys.exit(0)`` in the middle ends in exit code 0
with cells pending. So the notebook itself is read: every code cell ran, in order, none with an error, and the
promised files are there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

_COLOUR = re.compile("\x1b\\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Audit:
    """The verdict on an executed notebook.

    Parameters
    ----------
    status : {"complete", "incomplete", "failed"}
        ``failed``: a cell raised. ``incomplete``: a cell did not run, or a file is missing.
    reason : str or None
        In words; None when complete.
    """

    status: Literal["complete", "incomplete", "failed"]
    reason: str | None = None


def audit(notebook: Mapping[str, Any], folder: Path, files: Sequence[str]) -> Audit:
    """Judge an executed notebook.

    Parameters
    ----------
    notebook : mapping
        The JSON of an ``.ipynb`` file.
    folder : Path
        Run folder.
    files : sequence of str
        Names of files that the folder must hold.
    """
    cells = [cell for cell in notebook["cells"] if is_code(cell)]
    for number, cell in enumerate(cells, start=1):
        error = _error(cell)
        if error is not None:
            return _verdict(f"code cell {number} of {len(cells)}", *error)
    previous = 0
    for number, cell in enumerate(cells, start=1):
        count = cell["execution_count"]
        if count is None:
            return Audit("incomplete", f"code cell {number} of {len(cells)} never ran to its end")
        if count <= previous:
            return Audit("incomplete", f"code cell {number} of {len(cells)} did not run in order")
        previous = count
    missing = [file for file in files if not (folder / file).is_file()]
    if missing:
        return Audit("incomplete", f"the notebook ran, but did not write {', '.join(missing)}")
    return Audit("complete")


def is_code(cell: Mapping[str, Any]) -> bool:
    """Whether a cell is one that has to run: code, and not blank."""
    return cell["cell_type"] == "code" and bool("".join(cell["source"]).strip())


def short_traceback(notebook: Mapping[str, Any], n_lines: int = 12) -> str:
    """The end of the first error's traceback, without colours; empty if there is none."""
    for cell in notebook["cells"]:
        error = _error(cell) if is_code(cell) else None
        if error is not None:
            return "\n".join(error[1].rstrip().splitlines()[-n_lines:])
    return ""


def _error(cell: Mapping[str, Any]) -> tuple[str, str] | None:
    """What a cell raised: the exception in one line, and its traceback. None if it raised nothing."""
    for output in cell["outputs"]:
        if output["output_type"] == "error":
            traceback = _COLOUR.sub("", "\n".join(output["traceback"]))
            message = next(iter(_COLOUR.sub("", output["evalue"]).splitlines()), "")
            return f"{output['ename']}: {message}", traceback
    if not cell["metadata"].get("papermill", {}).get("exception"):
        return None
    # IPython writes groups of exceptions to stderr and leaves no error output.
    texts = ("".join(output["text"]) for output in cell["outputs"] if output.get("name") == "stderr")
    traceback = _COLOUR.sub("", "".join(texts))
    return next(
        (line.strip(" |") for line in reversed(traceback.splitlines()) if line.strip(" |+-")), "an error"
    ), traceback


def _verdict(where: str, exception: str, traceback: str) -> Audit:
    if exception in ("SystemExit: ", "SystemExit: 0", "SystemExit: None"):
        return Audit("incomplete", f"{where} ended the notebook early with sys.exit")
    return Audit("failed", f"{where} raised {exception}")
