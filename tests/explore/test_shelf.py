"""A sample on record is found by what it is, and read only when it is asked for."""

from __future__ import annotations

import pytest

from masrepro.bench import benchmark
from masrepro.explore.shelf import choose, fetch, item_of, rivals, shelves, slips, telling
from masrepro.lab.sample import Sample

ITEMS = benchmark("masbench/depth/2", n=2)


def sample(system, item, outcome="correct", n_agents=1, **more):
    fields = {"benchmark": "masbench/depth/2", "item_id": item.id, "repeat": 0, "answer": "1", "extracted": "1"}
    return Sample(**{**fields, "system": system, "outcome": outcome, "n_agents": n_agents, "gold": "1", **more})


SAMPLES = [
    sample("single_agent", ITEMS[0], "error", error=',"trace":[ and "quotes"'),
    sample("HIGH/0/desk-solver-s", ITEMS[0], n_agents=3),
    sample("HIGH/0/desk-solver-s", ITEMS[1], "wrong", n_agents=2),
    sample("who 4/1", ITEMS[1], benchmark="gsm8k", item_id="gsm8k-17"),
    sample("single_agent", ITEMS[0], "wrong"),
]


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "01_five_axes" / "20260101T000000Z-abc"
    path.mkdir(parents=True)
    (path / "run.json").write_text("{}")
    lines = "".join(f"{one.to_json()}\n" for one in SAMPLES)
    (path / "samples.jsonl").write_text(lines + SAMPLES[0].to_json()[:40])
    return path


def test_a_slip_leads_to_its_sample_and_what_came_later_counts(folder):
    found = slips(folder)
    assert [slip.outcome for slip in found] == ["wrong", "correct", "wrong", "correct"]
    assert fetch(folder, found[0]) == SAMPLES[4]
    assert fetch(folder, found[1]) == SAMPLES[1]


def test_what_a_name_says_of_benchmark_and_degree(folder):
    single, written, _, other = slips(folder)
    assert (written.family, written.value, written.dom) == ("masbench/depth", "2", "HIGH")
    assert (other.family, other.value, other.dom) == ("gsm8k", "whole", "4")
    assert single.dom == "not bounded"
    assert written.item == "item 0: correct"
    assert other.item == "gsm8k-17: correct"


def test_choosing_narrows_down_and_a_pick_that_is_gone_gives_way(folder):
    found = slips(folder)
    choice = choose(found, {"degree of MAS": "HIGH", "sample": "item 1: wrong"})
    assert choice.slip == found[2]
    assert choice.options["degree of MAS"] == ["not bounded", "HIGH"]
    assert choice.options["sample"] == ["item 0: correct", "item 1: wrong"]
    assert choose(found, {**choice.picks, "benchmark": "gsm8k"}).slip == found[3]
    with pytest.raises(ValueError, match="no sample"):
        choose([], {})


def test_it_begins_with_a_system_of_several_agents_and_knows_its_rivals(folder):
    found = slips(folder)
    assert telling(found) == found[1]
    assert rivals(found, found[1]) == [found[0]]


def test_the_item_of_a_sample_is_made_again(folder):
    found = slips(folder)
    assert item_of(found[2]) == ITEMS[1]


def test_only_runs_with_samples_stand_on_the_shelf_the_newest_first(folder):
    outputs = folder.parents[1]
    newer, empty = outputs / "07_dom_sweep" / "20260201T000000Z-def", outputs / "02_masbench" / "20260301T000000Z-0"
    for path, text in ((newer, (folder / "samples.jsonl").read_text()), (empty, "")):
        path.mkdir(parents=True)
        (path / "run.json").write_text("{}")
        (path / "samples.jsonl").write_text(text)
    assert [found.path for found in shelves(outputs)] == [newer, folder]
