"""The notebooks themselves: clean sources, and whole runs of the smoke profile with the shipped model."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PROFILES = ("smoke", "desk")
WHOLE = ("05_train_orchestrator", "10_mas2_runtime", "11_train_meta_agents")
"""One of each kind: `make smoke`, which follows in CI, runs all."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A copy of notebooks and params in a folder with a space in its name, so that outputs go there."""
    folder = tmp_path_factory.mktemp("a new folder")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks")
    shutil.copytree(ROOT / "params", folder / "params")
    return folder


def run(home, *command):
    environment = {**os.environ, "MASREPRO_HOME": str(home), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=home, env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def newest(home, name):
    return max((home / "outputs" / name).iterdir())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_sources_are_stripped_and_take_one_parameter(path):
    notebook = json.loads(path.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in code)
    tagged = [cell for cell in code if "parameters" in cell["metadata"].get("tags", [])]
    assert ["".join(cell["source"]) for cell in tagged] == ['profile = "desk"']
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_has_params_for_smoke_and_desk(path):
    for profile in PROFILES:
        params = yaml.safe_load((ROOT / "params" / profile / f"{path.stem}.yaml").read_text())
        assert params["profile"] == profile


@pytest.mark.parametrize("name", WHOLE)
def test_notebook_runs_whole_in_the_smoke_profile(home, name):
    run(home, "masrepro", "run", name, "--profile", "smoke")
    folder = newest(home, name)
    record = json.loads((folder / "run.json").read_text())
    assert record["status"] == "complete"
    results = json.loads((folder / "results.json").read_text())
    for file in [*results["figures"], *results["tables"], "notebook.ipynb"]:
        assert (folder / file).stat().st_size > 0


def test_bare_papermill_gives_the_same_table_bit_for_bit(home):
    run(home, "masrepro", "run", "01_five_axes", "--profile", "smoke")
    ours = newest(home, "01_five_axes")
    run(home, "papermill", "notebooks/01_five_axes.ipynb", "out.ipynb", "-f", "params/smoke/01_five_axes.yaml")
    bare = newest(home, "01_five_axes")
    assert bare != ours
    for file in ("results.json", "accuracy.csv", "accuracy.md", "accuracy.tex", "accuracy.svg"):
        assert (bare / file).read_bytes() == (ours / file).read_bytes()


def test_executed_notebook_shows_its_figure_as_html_without_a_network(home):
    from nbconvert import HTMLExporter

    run(home, "masrepro", "run", "00_start_here", "--profile", "smoke")
    page, _ = HTMLExporter(template_name="lab").from_filename(str(newest(home, "00_start_here") / "notebook.ipynb"))
    assert "data:image/svg+xml;base64" in page
    assert "kaleido" not in page.lower()
