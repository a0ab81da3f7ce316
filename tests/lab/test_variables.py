from __future__ import annotations

import math
from typing import Any

from masrepro.lab.variables import parameters

KNOWN = ["profile", "n_samples", "seed"]


def test_plain_data_are_params_and_all_else_is_not() -> None:
    namespace: dict[str, Any] = {
        "profile": "smoke", "n_sampels": 5, "axes": {"depth": [2]}, "nothing": None,
        "math": math, "parameters": parameters, "Path": type, "_scratch": 3, "__name__": "__main__",
    }  # fmt: skip
    found = parameters(namespace, known=KNOWN)
    assert found == {"profile": "smoke", "n_sampels": 5, "axes": {"depth": [2]}, "nothing": None}


def test_when_a_run_is_opened_again_results_of_cells_below_are_no_params() -> None:
    history = [
        "",
        "profile = 'smoke'\nn_sampels = 5\nseed: int = 2",
        "run = open_run()",
        "%matplotlib inline",
        "rows = []",
    ]
    namespace = {"In": history, "profile": "smoke", "n_sampels": 5, "seed": 2, "rows": [], "n_samples": 3}
    found = parameters(namespace, known=KNOWN, reopened=True)
    assert found == {"profile": "smoke", "n_sampels": 5, "seed": 2, "n_samples": 3}
