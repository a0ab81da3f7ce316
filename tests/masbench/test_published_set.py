"""The published construction and the published files."""

import json
import re

import pytest

from masrepro.bench import benchmark, score, solve_text
from masrepro.bench.masbench.axes import AXES
from masrepro.bench.masbench.paper import FINAL_ANSWERS, paper_sizes
from masrepro.bench.masbench.published import SEPARATOR, export_rows, import_published


@pytest.mark.parametrize(
    ("axis", "split", "total"),
    [
        ("depth", "test", 1_195),
        ("breadth", "test", 676),
        ("horizon", "test", 567),
        ("parallel", "test", 567),
        ("robustness", "test", 600),
        ("depth", "train", 3_993),
        ("breadth", "train", 2_000),
        ("horizon", "train", 2_174),
        ("parallel", "train", 1_807),
        ("robustness", "train", 3_000),
    ],
)
def test_sizes_add_up_to_the_papers(axis, split, total):
    found = 0
    for value in range(2, 13, 2):
        try:
            found += paper_sizes(axis, value, split)
        except ValueError as error:
            assert "the paper has no" in str(error)
    assert found == total


def test_values_and_splits_that_the_paper_lacks_are_refused():
    with pytest.raises(ValueError, match="it has 2, 4, 6, 8"):
        paper_sizes("depth", 10, "train")
    with pytest.raises(ValueError, match="train and test"):
        paper_sizes("depth", 4, "dev")


def test_paper_notes_are_one_fewer_than_sub_tasks_and_follow_the_one_attacked():
    for item in benchmark("masbench-paper/robustness/4", n=20):
        notes = item.meta["notes"]
        assert [(note["about"], note["at"]) for note in notes] == [(1, 2), (2, 3), (3, 4)]
        assert item.question.count("Note: verify the information before you take it - ") == 3
        assert re.findall("^=+$", item.question, re.MULTILINE) == ["=" * 60]
        paragraphs = item.question.split("\n\n")
        assert ["The code of" in paragraph for paragraph in paragraphs[:4]] == [False, True, False, True]


def test_paper_sets_end_in_a_block_of_final_answers():
    for axis in ("horizon", "parallel"):
        question = benchmark(f"masbench-paper/{axis}/4", n=1)[0].question
        block = question.partition(FINAL_ANSWERS)[2]
        assert re.findall(r"Problem (\d): \\boxed\{\}", block) == ["1", "2", "3", "4"]


def test_paper_breadth_is_at_times_beside_the_answers_cone():
    items = benchmark("masbench-paper/breadth/6", n=200)
    beside = [max(len(i.problems[0].quantities[q].parents) for q in i.problems[0].cone) < 6 for i in items]
    assert all(item.meta["breadth"] == 6 for item in items)
    assert 0.3 < sum(beside) / len(beside) < 0.6


def test_export_has_the_hubs_columns_all_strings():
    rows = export_rows(item for axis in AXES for item in benchmark(f"masbench/{axis}/2", n=2))
    for row in rows:
        assert list(row) == ["prompt_json", "reward_model_json", "extra_info_json", "axis", "value", "data"]
        assert all(isinstance(cell, str) for cell in row.values())
    assert json.loads(rows[-1]["reward_model_json"])["ground_truth"].count(SEPARATOR) == 1


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_exported_items_come_back(tmp_path):
    items = [item for axis in AXES for item in benchmark(f"masbench-paper/{axis}/4", n=3)]
    again = import_published(written(tmp_path / "hub.jsonl", export_rows(items)))
    assert [(i.question, i.answer, i.scorer) for i in again] == [(i.question, i.answer, i.scorer) for i in items]
    assert [(i.meta["axis"], i.meta["value"]) for i in again] == [(i.meta["axis"], 4) for i in items]
    assert [i.meta["extra_info"]["id"] for i in again] == [i.id for i in items]


def test_the_trainers_schema_is_read_too(tmp_path):
    row = {
        "prompt": [{"role": "system", "content": "Solve."}, {"role": "user", "content": "Two sums."}],
        "reward_model": {"ground_truth": "14<<horizon>>22<<horizon>>11<<horizon>>7", "style": "rule"},
    }
    (item,) = import_published(written(tmp_path / "train.jsonl", [row]))
    assert (item.question, item.answer, item.scorer) == ("Two sums.", ("14", "22", "11", "7"), "exact_ints")
    assert item.meta["value"] is None


@pytest.mark.parametrize("truth", ["10", "14<<horizon>>22<<horizon>>11<<horizon>>7", "0", "0<<horizon>>2664863"])
def test_published_truths_are_scored_as_their_own_answers(tmp_path, truth):
    row = {"prompt": [{"role": "user", "content": "?"}], "reward_model": {"ground_truth": truth}}
    (item,) = import_published(written(tmp_path / "a.jsonl", [row]))
    reply = "\n".join(f"Problem {k}: \\boxed{{{part}}}" for k, part in enumerate(truth.split(SEPARATOR), start=1))
    assert score(item.scorer, reply, item.answer).outcome == "correct"


def test_rows_that_cannot_be_used_are_named(tmp_path):
    good = export_rows(benchmark("masbench/depth/2", n=1))[0]
    rows = [
        good,
        {**good, "prompt_json": json.dumps([{"role": "system", "content": "x"}])},
        {key: cell for key, cell in good.items() if key != "prompt_json"},
        {**good, "reward_model_json": json.dumps({"ground_truth": "ten"})},
        {**good, "reward_model_json": "{"},
    ]
    with pytest.raises(
        ValueError, match=r"4 rows .*line 2: .*user.*line 3: neither prompt_json nor prompt.*line 4: .*'ten'"
    ):
        import_published(written(tmp_path / "bad.jsonl", rows))


def test_category_totals_are_solved_as_the_paper_solves_them():
    """The chain of the paper's Depth 4 item in our words: 21, a total of it, 15 times that, plus 3 times 21."""
    question = (
        "Grains are Barley, Oats and Sorghum. The number of each Fish's Sorghum equals 21. "
        "The number of each Shop's Fish equals 15 times as many as each Fish's Grains. "
        "The number of each Shop's Bread equals 3 times as many as each Fish's Grains. "
        "The number of each Town's Shop equals the sum of each Shop's Fish and each Shop's Bread. "
        "What is the number of each Town's Shop?"
    )
    assert solve_text(question) == "10"
