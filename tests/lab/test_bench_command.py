"""``python -m masrepro bench``: lists, cards, and items written to a file."""

import json

import pytest

from masrepro.bench import benchmark
from masrepro.cli import main


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("MASREPRO_DATA", raising=False)


def test_list_names_every_benchmark(capsys):
    assert main(["bench", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("masbench/<axis>/<value>") and len(lines) == 15
    assert any(line.startswith("gsm8k ") and "test 1,319, train 7,473" in line for line in lines)


def test_show_gives_the_card_and_what_is_here(capsys, tmp_path):
    (tmp_path / "gsm8k_test.jsonl").write_text('{"question": "Q?", "answer": "#### 1"}\n')
    assert main(["bench", "show", "gsm8k", "--data-dir", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "1 of 1,319 items in" in text and "revision: cc7b047b6e5bb11b4f1af84efc572db110a51b3c" in text
    assert f"no local file in {tmp_path}; looked for: gsm8k_train with ending .jsonl" in text


def test_show_says_why_a_file_cannot_be_used(capsys, tmp_path):
    (tmp_path / "gsm8k_test.jsonl").write_text("{}\n")
    assert main(["bench", "show", "gsm8k", "--data-dir", str(tmp_path)]) == 0
    assert "cannot be used: gsm8k_test.jsonl, line 1: 'answer' is missing" in capsys.readouterr().out


def test_show_says_what_is_not_pinned_and_what_is_not_taken_from_the_hub(capsys):
    assert main(["bench", "show", "bamboogle"]) == main(["bench", "show", "gpqa-diamond"]) == 0
    text = capsys.readouterr().out
    assert "revision: not pinned: no source" in text and "not loaded from it: accept the terms" in text


def test_show_of_a_generated_benchmark_shows_an_item(capsys):
    (item,) = benchmark("masbench/depth/3", n=1)
    assert main(["bench", "show", "masbench/depth/3"]) == 0
    text = capsys.readouterr().out
    assert item.id in text and f"answer: {item.answer}" in text


def test_make_writes_every_item(capsys, tmp_path):
    out = tmp_path / "f.jsonl"
    arguments = ["bench", "make", "--axis", "parallel", "--value", "3", "-n", "40", "--split", "train"]
    assert main([*arguments, "--out", str(out)]) == 0
    made = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    items = benchmark("masbench/parallel/3", split="train", n=40)
    assert [(one["id"], one["question"], tuple(one["answer"]), one["scorer"], one["meta"]) for one in made] == [
        (item.id, item.question, item.answer, item.scorer, item.meta) for item in items
    ]
    assert "40 items of masbench/parallel/3, split train" in capsys.readouterr().out


def test_make_replaces_a_file_only_when_told(capsys, tmp_path):
    out = tmp_path / "f.jsonl"
    out.write_text("mine")
    arguments = ["bench", "make", "--axis", "depth", "--value", "4", "-n", "2", "--out", str(out)]
    assert main(arguments) == 2 and out.read_text() == "mine"
    assert "--force to replace it" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0
    assert len(out.read_text().splitlines()) == 2 and list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"--axis": "dept"}, "dept"),
        ({"--value": "13"}, "2 to 12"),
        ({"-n": "0"}, "-n is 0; it must be at least 1"),
        ({"--split": "dev"}, "train"),
        ({"--option": "nonsense"}, "nonsense"),
        ({"--out": "nowhere/f.jsonl"}, "is not there; make it first"),
    ],
)
def test_make_refuses_what_it_cannot_do(capsys, tmp_path, monkeypatch, changed, told):
    monkeypatch.chdir(tmp_path)
    options = {"--axis": "depth", "--value": "4", "-n": "2", "--out": "f.jsonl"} | changed
    assert main(["bench", "make", *(part for pair in options.items() for part in pair)]) == 2
    assert told in capsys.readouterr().err and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["gsm9k"], "no benchmark gsm9k, did you mean gsm8k?"),
        (["masbench/depth/99"], "2 to 12"),
        (["gsm8k", "--data-dir", "nowhere"], "the data folder nowhere is not there"),
    ],
)
def test_show_says_what_is_wrong(capsys, arguments, told):
    assert main(["bench", "show", *arguments]) == 2
    assert told in capsys.readouterr().err
