"""The reference run: collected small, without what names this machine; and the README's table of claims is its own."""

import json
import subprocess
from pathlib import Path

import pytest
from saved import SVG, save_run

from masrepro.lab.home import Home
from masrepro.lab.problem import BadInput
from masrepro.report import reference as module
from masrepro.report.claims_table import BEGIN, END, NO_REFERENCE, block_of, readme_block, with_block
from masrepro.report.reference import lighter_notebook, publish, reference_entries, write_tables

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "outputs" / "reference"
README = f"# masrepro\n\n{BEGIN}\nold\n{END}\n\nmore\n"


@pytest.fixture
def home(tmp_path):
    """A checkout with one notebook."""
    for folder in ("notebooks", "params/desk", "outputs"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "notebooks/01_five_axes.ipynb").write_text('{"cells": []}')
    (tmp_path / "params/desk/01_five_axes.yaml").write_text("profile: desk\n")
    (tmp_path / "README.md").write_text(README)
    return Home(tmp_path, tmp_path / "outputs")


def executed(home):
    """A run with an executed notebook, samples, and a path of this machine in its outputs."""
    folder = save_run(home.outputs)
    (folder / "samples.jsonl").write_text("{}\n" * 100)
    (folder / "figure.narrow.svg").write_text(SVG)
    data = {"image/svg+xml": SVG, "application/vnd.plotly.v1+json": {"data": []}}
    outputs = [
        {"output_type": "display_data", "metadata": {}, "data": data},
        {"output_type": "stream", "name": "stdout", "text": f"saved {home.root}/outputs/x"},
    ]
    metadata = {"tags": ["parameters"], "papermill": {"duration": 1}}
    cell = {"cell_type": "code", "source": "", "metadata": metadata, "execution_count": 1, "outputs": outputs}
    about = {
        "kernelspec": {"name": "python3"},
        "papermill": {"input_path": f"{home.root}/notebooks/a.ipynb"},
    }
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": about, "cells": [cell]}
    (folder / "notebook.ipynb").write_text(json.dumps(notebook))
    return folder


def test_what_is_collected_shows_the_run_and_names_no_machine(home):
    run = executed(home)
    reference = publish(home, say=lambda line: None)
    files = {path.relative_to(reference).as_posix() for path in reference.rglob("*") if path.is_file()}
    own = f"01_five_axes/{run.name}"
    names = ("run.json", "results.json", "notebook.ipynb", "figure.svg", "figure.narrow.svg", "table.md", "table.csv")
    assert files == {"report.html", "README.md", *(f"{own}/{name}" for name in names)}
    assert not any(str(home.root) in path.read_text() for path in reference.rglob("*") if path.is_file())
    assert f'href="{own}/notebook.ipynb"' in (reference / "report.html").read_text()


def test_the_readme_gets_the_table_of_the_reference_run(home):
    executed(home)
    reference = publish(home, say=lambda line: None)
    text = (home.root / "README.md").read_text()
    assert text.startswith("# masrepro\n") and text.endswith("\n\nmore\n")
    assert block_of(text) == readme_block(reference_entries(reference))
    assert "| 0.9 [0.8, 1.0] | not comparable |" in text
    front = (reference / "README.md").read_text()
    assert "python -m masrepro run 01_five_axes --profile desk" in front


def test_publishing_again_gives_the_same_bytes(home):
    executed(home)
    reference = publish(home, say=lambda line: None)
    first = {path: path.read_bytes() for path in reference.rglob("*") if path.is_file()}
    publish(home, say=lambda line: None)
    assert first == {path: path.read_bytes() for path in reference.rglob("*") if path.is_file()}


def test_a_reproduction_that_is_not_finished_is_not_published(home):
    save_run(home.outputs, status="incomplete")
    with pytest.raises(BadInput, match=r"01_five_axes.*no complete desk run; python -m masrepro reproduce"):
        publish(home)
    assert not (home.outputs / "reference").exists()


def test_a_run_of_other_code_is_told(home):
    executed(home)
    said = []
    publish(home, say=said.append)
    assert "01_five_axes: the code has changed since this run" in said


def test_a_reference_run_that_is_too_large_is_refused_and_the_old_one_stays(home, monkeypatch):
    executed(home)
    reference = publish(home, say=lambda line: None)
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    with pytest.raises(BadInput, match=r"takes 0\.0 MB of 0; largest: "):
        publish(home, say=lambda line: None)
    assert (reference / "report.html").exists()


def test_without_a_reference_run_the_readme_says_so(home):
    write_tables(home, say=lambda line: None)
    assert block_of((home.root / "README.md").read_text()) == f"{NO_REFERENCE}\n"


def test_a_readme_without_marks_is_refused(home):
    (home.root / "README.md").write_text("# masrepro\n")
    with pytest.raises(BadInput, match=r"README\.md cannot take the table of claims: the README has no lines"):
        write_tables(home, say=lambda line: None)
    assert with_block(README, "new\n") == README.replace("old\n", "new\n")


def test_a_notebook_keeps_what_a_viewer_shows():
    data = {"application/vnd.plotly.v1+json": {}, "text/plain": "x"}
    notebook = {"cells": [{"metadata": {}, "outputs": [{"data": data}]}], "metadata": {"widgets": {}}}
    (cell,) = lighter_notebook(notebook)["cells"]
    assert cell["outputs"] == [{"data": data}]  # the only form of that figure
    assert lighter_notebook(notebook)["metadata"] == {}


def test_of_a_count_the_end_is_kept_and_everything_else_that_was_printed():
    printed = ["a lone line\n", "one: 0/3\n", "one: 2/3\n", "one: 3/3\n", "two: 1/9\n", "said: so\n", "two: 9/9"]
    output = {"output_type": "stream", "name": "stdout", "text": printed}
    (cell,) = lighter_notebook({"cells": [{"metadata": {}, "outputs": [output]}], "metadata": {}})["cells"]
    assert cell["outputs"][0]["text"] == "a lone line\none: 3/3\ntwo: 1/9\nsaid: so\ntwo: 9/9"


def test_git_keeps_the_reference_run_and_no_other():
    def ignored(path):
        return subprocess.run(["git", "check-ignore", "-q", path], cwd=ROOT).returncode == 0

    if not (ROOT / ".git").exists():
        pytest.skip("no git repository here")
    assert not ignored("outputs/reference/01_five_axes/20260101T000000Z-a/notebook.ipynb")
    assert ignored("outputs/01_five_axes/20260101T000000Z-a/notebook.ipynb")


def test_the_readmes_table_is_that_of_the_published_reference_run():
    entries = reference_entries(REFERENCE)
    if not entries:
        pytest.skip("no reference run is published yet: make reproduce, then python -m masrepro publish")
    assert block_of((ROOT / "README.md").read_text(encoding="utf-8")) == readme_block(entries)


def test_the_published_reference_run_is_small():
    if not REFERENCE.exists():
        pytest.skip("no reference run is published yet: make reproduce, then python -m masrepro publish")
    assert sum(path.stat().st_size for path in REFERENCE.rglob("*") if path.is_file()) <= module.MOST_BYTES
