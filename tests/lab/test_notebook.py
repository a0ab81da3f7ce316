"""`open_run` as a kernel sees it, without a kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixture_home import FixtureHome
from logging_model import LoggingModel

from masrepro.baselines import SingleAgent
from masrepro.bench import benchmark
from masrepro.lab import notebook
from masrepro.lab.file import is_locked
from masrepro.lab.notebook import Run, open_run
from masrepro.lab.params import FiveAxesParams
from masrepro.lab.problem import BadInput
from masrepro.lab.run_folder import RunFolder
from masrepro.models.model import Usage

NAME = "01_five_axes"


@pytest.fixture(autouse=True)
def kernel(fixture_home: FixtureHome, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A process of its own, as far as `open_run` can tell, in a folder that is not the home."""
    fixture_home.install("evaluates", NAME)
    monkeypatch.setenv("MASREPRO_HOME", str(fixture_home.root))
    monkeypatch.chdir(tmp_path)
    yield
    close_all()


def close_all() -> None:
    """What the end of the kernel does."""
    for run in notebook._open.values():
        run.close()
    notebook._open.clear()


def opened(**variables: Any) -> Run:
    return open_run(NAME, {"profile": "smoke", **variables})


def status(run: Run) -> str:
    return RunFolder(run.path).status


def test_variables_lie_over_the_profile_file() -> None:
    run = opened(n_samples=7)
    assert isinstance(run.params, FiveAxesParams)
    assert (run.params.n_samples, run.params.max_tokens) == (7, 64)


def test_a_misspelt_variable_is_named_before_a_folder_is_made(fixture_home: FixtureHome) -> None:
    with pytest.raises(BadInput, match=r"variable n_sampels: unknown key n_sampels, did you mean n_samples?"):
        opened(n_sampels=5)
    assert not (fixture_home.root / "outputs").exists()


async def test_an_unfinished_run_is_resumed_and_a_complete_one_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = opened()
    assert status(first) == "running"
    model = LoggingModel(first.path / "calls.log")
    items = benchmark("masbench/depth/2", n=3)
    await first.evaluate(SingleAgent(), items, models=model, benchmark="masbench/depth/2")
    close_all()
    assert status(first) == "interrupted"

    second = opened()
    assert second.path == first.path
    assert "3 finished samples found" in capsys.readouterr().out
    await second.evaluate(SingleAgent(), items, models=model, benchmark="masbench/depth/2")
    assert len((first.path / "calls.log").read_text().splitlines()) == 3
    for file in second.params.files:
        second.save(file, "{}")
    second.spend(Usage(1, 2, 3), models=model)
    second.finish()
    assert status(second) == "complete"
    record = RunFolder(second.path).read()
    assert (record["n_samples"], record["calls"], record["prompt_tokens"]) == (3, 4, 32)
    assert record["models"] == {"logging": "1"} and len(record["data"]["masbench/depth/2"]) == 16
    assert len(record["resumed"]) == 1

    third = opened()
    assert third.path != first.path
    assert "is complete" in capsys.readouterr().out


def test_opening_again_in_the_same_kernel_lets_go_of_the_last_run() -> None:
    first = opened()
    again = opened()
    assert again.path == first.path
    other = opened(n_samples=9)
    assert other.path != first.path
    assert not is_locked(first.path / ".run.lock")


def test_a_run_cannot_finish_without_the_files_it_promises() -> None:
    run = opened()
    with pytest.raises(
        FileNotFoundError, match=r"write results.json, accuracy.csv, accuracy.svg, competence.svg before run.finish\(\)"
    ):
        run.finish()
    assert status(run) == "running"


def test_under_the_runner_the_params_must_be_the_runners(
    fixture_home: FixtureHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = opened()
    close_all()
    monkeypatch.setenv("MASREPRO_RUN_DIR", str(run.path))
    assert opened().path == run.path
    close_all()
    with pytest.raises(BadInput, match=r"the notebook itself sets \{'seed': 3\} above open_run"):
        opened(seed=3)


def test_a_figure_is_saved_for_wide_and_for_narrow_screens(fixture_home: FixtureHome) -> None:
    class Drawing:
        def svg(self) -> str:
            return "<svg>wide</svg>"

        def narrow(self) -> str:
            return "<svg>narrow</svg>"

    run = opened()
    assert [path.name for path in run.save_figure("curve", Drawing())] == ["curve.svg", "curve.narrow.svg"]
    assert (run.path / "curve.narrow.svg").read_text() == "<svg>narrow</svg>"


def test_tables_results_and_files_are_written_whole(fixture_home: FixtureHome) -> None:
    run = opened()
    run.save_table("accuracy", [{"system": "oracle", "accuracy": 0.5}])
    run.save_results({"b": 1, "a": [1, 2]})
    run.save("figures/one.svg", "<svg/>")
    run.save("raw.bin", b"\xff\x00")
    names = {path.relative_to(run.path).as_posix() for path in run.path.rglob("*") if path.is_file()}
    assert names >= {
        "accuracy.csv",
        "accuracy.md",
        "accuracy.tex",
        "results.json",
        "figures/one.svg",
        "raw.bin",
    }
    assert json.loads((run.path / "results.json").read_text()) == {"b": 1, "a": [1, 2]}
    assert str(fixture_home.root) not in repr(run) and run.path.name in repr(run)


def test_a_kernel_that_has_not_loaded_torch_gets_quiet_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    opened()
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"
    assert os.environ["GOMP_SPINCOUNT"] == "7", "what the user sets stays"


def test_importing_the_notebook_side_is_light() -> None:

    heavy = "torch transformers openai pandas plotly papermill IPython matplotlib"
    program = f"import sys, masrepro.cli; print([m for m in {heavy!r}.split() if m in sys.modules])"
    arguments = [sys.executable, "-c", program]
    root = str(Path(__file__).parents[2])
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": root})
    assert done.stdout == "[]\n", done.stderr
