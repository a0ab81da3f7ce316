from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest
from fixture_home import FixtureHome

from masrepro.cli import main
from masrepro.lab.home import Home, find_home
from masrepro.lab.problem import BadInput
from masrepro.lab.provenance import source_hash


@pytest.fixture(autouse=True)
def here(fixture_home: FixtureHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MASREPRO_HOME", str(fixture_home.root))


def children_seconds() -> float:
    """Processor time of finished child processes: unlike the clock, it does not run faster on a busy machine."""
    times = os.times()
    return times.children_user + times.children_system


def test_a_misspelt_param_is_named_within_three_seconds_of_work(fixture_home: FixtureHome) -> None:
    fixture_home.install("evaluates", "01_five_axes")
    began = children_seconds()
    code, output = fixture_home.masrepro("run", "01_five_axes", "--profile", "smoke", "-p", "n_sampels", "5")
    assert children_seconds() - began < 3.0
    assert (code, output) == (2, "-p n_sampels: unknown key n_sampels, did you mean n_samples?\n")
    assert not (fixture_home.root / "outputs").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "01_five_axis"], "no notebook 01_five_axis, did you mean 01_five_axes?"),
        (["run", "01_five_axes", "--profile", "smoke"], "no notebook notebooks/01_five_axes.ipynb"),
        (["run", "01_five_axes", "--profile", "smoke", "-f", "none.yaml"], "none.yaml: no such file"),
        (["run", "01_five_axes", "-p", "api_key", "sk-swordfish1"], "api_key holds a secret"),
        (["reproduce", "--profile", "gpu"], "no notebook has a params file in params/gpu"),
    ],
)
def test_bad_input_is_one_clear_message_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert told in error and "Traceback" not in error and "swordfish" not in error


def test_help_shows_how_to_begin(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    text = capsys.readouterr().out
    assert "run 01_five_axes --profile smoke" in text and "resumes an unfinished run" in text


def test_list_shows_each_notebook_with_its_title_and_params(
    fixture_home: FixtureHome, capsys: pytest.CaptureFixture[str]
) -> None:
    fixture_home.install("greets", "00_start_here")
    fixture_home.install("evaluates", "01_five_axes")
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert "00_start_here: Greets\n" in text and "01_five_axes: Evaluates a few items\n" in text
    assert "n_samples      items per benchmark (default 20)" in text


def test_reproduce_runs_what_is_missing_reports_and_reuses(
    fixture_home: FixtureHome, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: list[tuple[Path, str]] = []

    def write_report(outputs: Path, profile: str) -> Path:
        reports.append((outputs, profile))
        return outputs / "report.html"

    page = ModuleType("masrepro.report.page")
    vars(page)["write_report"] = write_report
    monkeypatch.setitem(sys.modules, "masrepro.report.page", page)
    fixture_home.install("greets", "00_start_here")
    fixture_home.install("exits", "01_five_axes")

    assert main(["reproduce", "--profile", "smoke"]) == 1
    output = capsys.readouterr()
    assert "incomplete: code cell 4 of 5 ended the notebook early" in output.out
    assert "to resume: python -m masrepro reproduce --profile smoke" in output.err

    (fixture_home.root / "notebooks" / "01_five_axes.ipynb").unlink()
    assert main(["reproduce", "--profile", "smoke"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["00_start_here", "reused", "0.0", "0", "0"] in rows
    assert len(fixture_home.runs("00_start_here")) == 1
    assert reports == [(fixture_home.root / "outputs", "smoke")] * 2


def test_an_unregistered_notebook_is_refused_before_any_runs(
    fixture_home: FixtureHome, capsys: pytest.CaptureFixture[str]
) -> None:
    fixture_home.install("greets", "00_start_here")
    fixture_home.install("greets", "77_mine")
    assert main(["reproduce", "--profile", "smoke"]) == 2
    assert "notebooks/77_mine.ipynb: has no params schema" in capsys.readouterr().err
    assert not (fixture_home.root / "outputs").exists()


def test_the_home_is_found_from_any_folder_inside_it(fixture_home: FixtureHome, tmp_path: Path) -> None:
    root = fixture_home.root
    inside = root / "notebooks" / "deep"
    inside.mkdir()
    assert find_home({}, inside) == Home(root, root / "outputs")
    assert find_home({"MASREPRO_HOME": str(root)}, tmp_path) == Home(root, root / "outputs")
    repository = Path(__file__).parents[2]
    assert find_home({}, tmp_path).root == repository, "elsewhere, the checkout that is imported"
    with pytest.raises(BadInput, match=r"MASREPRO_HOME is .* which has no notebooks/ and params/"):
        find_home({"MASREPRO_HOME": str(tmp_path)})


def test_the_source_hash_follows_the_notebooks_cells_and_nothing_else_of_it(
    fixture_home: FixtureHome,
) -> None:
    fixture_home.install("greets", "00_start_here")
    path = fixture_home.root / "notebooks" / "00_start_here.ipynb"
    before = source_hash(path)
    notebook = json.loads(path.read_bytes())
    notebook["metadata"]["editor"] = "other"
    notebook["cells"][1]["execution_count"] = 5
    path.write_text(json.dumps(notebook))
    assert source_hash(path) == before
    notebook["cells"][1]["source"] = ["profile = 'desk'"]
    path.write_text(json.dumps(notebook))
    assert source_hash(path) != before
