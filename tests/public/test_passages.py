"""A corpus from the paragraphs that HotpotQA brings along, and data that must not be asked for elsewhere."""

import json
import os
from importlib import import_module
from pathlib import Path

import pytest

from masrepro.bench.public import DataError, load, load_passages
from masrepro.bench.public.load import VARIABLE

RECORDS = [
    {"_id": "a", "question": "Who?", "answer": "Ann", "context": [["Zoo", ["It is ", "open."]], ["Ann", ["A girl."]]]},
    {
        "_id": "b",
        "question": "Where?",
        "answer": "Zoo",
        "context": [["Zoo", ["It is ", "open."]], ["Bee", ["", "Buzz."]]],
    },
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "hotpotqa_distractor.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return tmp_path


def test_every_paragraph_once_by_title(folder):
    passages = load_passages(data_dir=folder, hub=False)
    assert [(passage.id, passage.title) for passage in passages] == [("1", "Ann"), ("2", "Bee"), ("3", "Zoo")]
    assert passages[2].text == "It is open."


def test_a_record_without_paragraphs_is_named(folder):
    (folder / "hotpotqa_distractor.jsonl").write_text(json.dumps({**RECORDS[0], "context": []}) + "\n")
    with pytest.raises(DataError, match=r"hotpotqa_distractor.jsonl, line 1: 'context'"):
        load_passages(data_dir=folder)


def test_the_hub_is_not_asked_where_it_must_not(tmp_path, monkeypatch):
    loading = import_module("masrepro.bench.public.load")
    monkeypatch.setattr(loading, "read_hub", lambda *_: pytest.fail("the hub was asked"))
    with pytest.raises(DataError, match=rf"gsm8k: no file gsm8k.* in {tmp_path}\nor from the hub, .*not asked"):
        load("gsm8k", data_dir=tmp_path, hub=False)
    with pytest.raises(DataError, match="not asked"):
        load_passages(data_dir=tmp_path, hub=False)


@pytest.mark.skipif(
    not (Path(os.environ.get(VARIABLE, "")) / "hotpotqa_corpus.jsonl").is_file(),
    reason=f"{VARIABLE} names no folder with hotpotqa_corpus.jsonl",
)
def test_passages_are_those_of_the_derived_corpus():
    lines = (Path(os.environ[VARIABLE]) / "hotpotqa_corpus.jsonl").read_text().splitlines()
    derived = {(entry["title"], entry["text"]) for entry in map(json.loads, lines)}
    passages = load_passages(hub=False)
    assert len(passages) == len(derived)
    assert {passage.title for passage in passages} == {title for title, _ in derived}
