"""Runs of real notebooks through real papermill. Each costs seconds, so a test asks much of one."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from fixture_home import FixtureHome

from masrepro.lab.sample_store import read_samples

RUN = ("run", "01_five_axes", "--profile", "smoke")


def record(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_bytes())
    return found


def calls(folder: Path) -> list[str]:
    return (folder / "calls.log").read_text().splitlines()


def wait_for_samples(process: subprocess.Popen[str], home: FixtureHome, n: int) -> Path:
    """The run folder, once it holds n samples."""
    while True:
        assert process.poll() is None
        for folder in home.runs():
            if len(list(read_samples(folder / "samples.jsonl"))) >= n:
                return folder
        time.sleep(0.05)


def test_a_killed_kernel_is_a_failed_run_that_the_same_command_resumes(fixture_home: FixtureHome) -> None:
    fixture_home.install("kills", "01_five_axes")
    code, output = fixture_home.masrepro(*RUN)
    (folder,) = fixture_home.runs()
    assert code == 1
    assert "failed: the kernel ended in mid-run" in output
    assert "to resume: python -m masrepro run 01_five_axes --profile smoke" in output
    assert record(folder)["status"] == "failed"
    assert (record(folder)["n_samples"], record(folder)["calls"]) == (2, 2)
    # papermill's own word, which is why there is an audit.
    cells = json.loads((folder / "notebook.ipynb").read_bytes())["cells"]
    assert {cell["metadata"]["papermill"]["status"] for cell in cells if cell["cell_type"] == "code"} == {"completed"}

    code, output = fixture_home.masrepro(*RUN)
    assert code == 0, output
    assert fixture_home.runs() == [folder]
    assert f"resuming {folder.name}" in output and "2 finished samples found" in output
    assert record(folder)["status"] == "complete" and record(folder)["reason"] is None
    assert len(calls(folder)) == len(set(calls(folder))) == 4
    assert (record(folder)["n_samples"], record(folder)["calls"], record(folder)["completion_tokens"]) == (
        4,
        4,
        20,
    )


def test_leaving_a_notebook_in_the_middle_is_incomplete(fixture_home: FixtureHome) -> None:
    fixture_home.install("exits", "01_five_axes")
    code, output = fixture_home.masrepro(*RUN)
    (folder,) = fixture_home.runs()
    assert code == 1
    assert "incomplete: code cell 4 of 5 ended the notebook early with sys.exit" in output
    assert record(folder)["status"] == "incomplete"


def test_a_failure_is_shown_shortly_and_no_secret_is_left_under_outputs(fixture_home: FixtureHome) -> None:
    fixture_home.install("raises", "01_five_axes")
    secret = "swordfish/with+signs"
    code, output = fixture_home.masrepro(*RUN, FIXTURE_API_KEY=secret)
    (folder,) = fixture_home.runs()
    assert code == 1
    assert "failed: code cell 5 of 6 raised RuntimeError: request with [FIXTURE_API_KEY] was refused" in output
    assert f"executed notebook: outputs/01_five_axes/{folder.name}/notebook.ipynb" in output
    assert secret not in output
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {"notebook.ipynb", "run.json", "settings.json", "by_hand.txt"} <= {path.name for path in files}
    for path in files:
        assert secret.encode() not in path.read_bytes(), path
    assert str(fixture_home.root) not in (folder / "run.json").read_text() + (folder / "notebook.ipynb").read_text()


def test_after_kill_9_the_same_command_runs_only_what_was_in_flight(fixture_home: FixtureHome) -> None:
    fixture_home.install("evaluates", "01_five_axes")
    command = (*RUN, "-p", "n_samples", "10", "-p", "concurrency", "2")
    process = fixture_home.start("-m", "masrepro", *command)
    folder = wait_for_samples(process, fixture_home, 4)
    process.kill()
    process.wait()

    code, output = fixture_home.masrepro(*command)
    assert code == 0, output
    assert fixture_home.runs() == [folder]
    assert f"resuming {folder.name}" in output
    samples = list(read_samples(folder / "samples.jsonl"))
    assert len({sample.key for sample in samples}) == len(samples) == 10
    assert len(set(calls(folder))) == 10
    assert len(calls(folder)) <= 10 + 2
    results = json.loads((folder / "results.json").read_bytes())
    assert len(set(results["ids"])) == 10
    assert [path.name for path in folder.glob(".*.aside")] == []


def test_ctrl_c_is_recorded_and_leaves_no_kernel_behind(fixture_home: FixtureHome) -> None:
    fixture_home.install("evaluates", "01_five_axes")
    process = fixture_home.start("-m", "masrepro", *RUN, "-p", "n_samples", "50", "-p", "concurrency", "1")
    folder = wait_for_samples(process, fixture_home, 1)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; to resume: python -m masrepro run 01_five_axes" in output
    assert "Traceback" not in output
    assert record(folder)["status"] == "interrupted"
    n_calls = len(calls(folder))
    time.sleep(0.7)
    assert len(calls(folder)) == n_calls < 50


def test_an_interrupt_of_reproduce_reaches_the_notebook_that_runs_and_none_begins_after_it(
    fixture_home: FixtureHome,
) -> None:
    fixture_home.install("evaluates", "01_five_axes")
    fixture_home.install("greets", "02_masbench")
    params = fixture_home.root / "params" / "smoke" / "01_five_axes.yaml"
    params.write_text("profile: smoke\nn_samples: 50\nconcurrency: 1\n")
    process = fixture_home.start("-m", "masrepro", "reproduce", "--profile", "smoke", "--jobs", "1")
    folder = wait_for_samples(process, fixture_home, 1)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted; to resume: python -m masrepro reproduce --profile smoke" in output
    assert "Traceback" not in output
    assert record(folder)["status"] == "interrupted"
    assert fixture_home.runs("02_masbench") == []


def test_two_runs_at_once_from_other_folders_have_folders_of_their_own(
    fixture_home: FixtureHome, tmp_path: Path
) -> None:
    fixture_home.install("evaluates", "01_five_axes")
    (tmp_path / "ablation.yaml").write_text("n_samples: 6\ntemperature: 1e-5\n")
    command = ("-m", "masrepro", *RUN, "-f", "ablation.yaml", "-p", "concurrency", "1")
    both = [fixture_home.start(*command, cwd=tmp_path) for _ in range(2)]
    outputs = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    first, second = fixture_home.runs()
    assert not (tmp_path / "outputs").exists()
    for folder in (first, second):
        assert record(folder)["status"] == "complete"
        assert record(folder)["params"]["temperature"] == 1e-5
        assert record(folder)["params_hash"] == record(first)["params_hash"]
        assert len(calls(folder)) == 6
    assert (first / "results.json").read_bytes() == (second / "results.json").read_bytes()


def test_bare_papermill_works_and_validates_too(fixture_home: FixtureHome, tmp_path: Path) -> None:
    fixture_home.install("evaluates", "01_five_axes")
    notebook = fixture_home.root / "notebooks" / "01_five_axes.ipynb"
    params = fixture_home.root / "params" / "smoke" / "01_five_axes.yaml"
    papermill = ("-m", "papermill", "--no-progress-bar", "-f", str(params), str(notebook))
    good = fixture_home.start(*papermill, "good.ipynb", "-p", "temperature", "1e-5", cwd=tmp_path)
    bad = fixture_home.start(*papermill, "bad.ipynb", "-p", "n_sampels", "5", cwd=tmp_path)
    output, _ = bad.communicate(timeout=120)
    assert bad.returncode != 0
    assert "BadInput: variable n_sampels: unknown key n_sampels, did you mean n_samples?" in output
    output, _ = good.communicate(timeout=120)
    assert good.returncode == 0, output
    (folder,) = fixture_home.runs()
    assert record(folder)["status"] == "complete"
    assert record(folder)["params"]["temperature"] == 1e-5
    assert (record(folder)["calls"], record(folder)["models"]) == (4, {"logging": "1"})
