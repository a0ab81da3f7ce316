from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from masrepro.lab.audit import audit, short_traceback


def code(count: int | None, *outputs: dict[str, Any], source: str = "x = 1", exception: bool = False) -> dict[str, Any]:
    papermill = {"exception": exception, "status": "completed"}
    return {
        "cell_type": "code", "source": source, "execution_count": count, "outputs": list(outputs),
        "metadata": {"papermill": papermill},
    }  # fmt: skip


def error(name: str, value: str) -> dict[str, Any]:
    traceback = ["\x1b[31m---\x1b[0m", "frame", f"{name}: {value}"]
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": traceback}


def stream(name: str, text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


TEXT = {"cell_type": "markdown", "source": "# Title", "metadata": {}}
GROUP = """Traceback
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: bad
    +------------------------------------
"""

CASES = [
    # cells, status, words of the reason
    ([TEXT, code(1), code(2)], "complete", None),
    ([code(1), code(None, source=" \n"), code(2)], "complete", None),
    ([code(3), code(4)], "complete", None),
    ([code(1), code(None), code(None)], "incomplete", "code cell 2 of 3 never ran to its end"),
    ([code(2), code(1)], "incomplete", "code cell 2 of 2 did not run in order"),
    ([code(1), code(1)], "incomplete", "did not run in order"),
    ([code(1), code(2, error("ValueError", "bad\nx")), code(None)], "failed", "raised ValueError: bad"),
    ([code(1, error("SystemExit", "0")), code(None)], "incomplete", "ended the notebook early with sys.exit"),
    ([code(1, error("SystemExit", ""))], "incomplete", "ended the notebook early"),
    ([code(1, error("SystemExit", "3"))], "failed", "raised SystemExit: 3"),
    ([code(1, stream("stderr", GROUP), exception=True)], "failed", "raised ValueError: bad"),
    ([code(1, stream("stderr", "a warning"))], "complete", None),
]  # fmt: skip


@pytest.mark.parametrize(("cells", "status", "reason"), CASES)
def test_a_notebook_is_judged_by_what_its_cells_did(
    tmp_path: Path, cells: list[dict[str, Any]], status: str, reason: str | None
) -> None:
    verdict = audit({"cells": cells}, tmp_path, [])
    assert verdict.status == status
    assert (verdict.reason is None) if reason is None else (verdict.reason and reason in verdict.reason)


def test_promised_files_must_be_there(tmp_path: Path) -> None:
    verdict = audit({"cells": [code(1)]}, tmp_path, ["results.json", "table.csv"])
    assert verdict.status == "incomplete" and verdict.reason is not None
    assert "did not write results.json, table.csv" in verdict.reason
    (tmp_path / "results.json").touch()
    (tmp_path / "table.csv").touch()
    assert audit({"cells": [code(1)]}, tmp_path, ["results.json", "table.csv"]).status == "complete"


def test_the_traceback_shown_is_the_end_of_the_first_without_colours() -> None:
    cells = [code(1), code(2, error("ValueError", "bad")), code(3, error("KeyError", "later"))]
    assert short_traceback({"cells": cells}) == "---\nframe\nValueError: bad"
    assert short_traceback({"cells": cells}, n_lines=1) == "ValueError: bad"
    assert short_traceback({"cells": [code(1)]}) == ""
