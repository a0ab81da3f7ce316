"""From a local file to items: where it is looked for, what is recorded, and what is said when it cannot be used."""

import gzip
import json
import os
import re
import subprocess
import sys
from hashlib import sha256

import pytest

from masrepro.bench import benchmark, score
from masrepro.bench.public import DataError, load
from masrepro.bench.public.load import data_folder

RECORDS = [{"question": f"What is {number}+1?", "answer": f"#### {number + 1}"} for number in range(5)]


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("MASREPRO_DATA", raising=False)


def lines(records):
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def csv_text(records):
    rows = [",".join(f'"{record[key]}"' for key in ("question", "answer")) for record in records]
    return "\r\n".join(["question,answer", *rows, ""]).encode()


def parquet(records):
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: no Parquet")
    from pyarrow.parquet import write_table

    sink = pyarrow.BufferOutputStream()
    write_table(pyarrow.Table.from_pylist(records), sink)
    return sink.getvalue().to_pybytes()


FORMS = {
    ".jsonl": lines,
    ".jsonl.gz": lambda records: gzip.compress(lines(records), mtime=0),
    ".json": lambda records: json.dumps(records, indent=1).encode(),
    ".json.gz": lambda records: gzip.compress(json.dumps(records).encode()),
    ".csv": csv_text,
    ".csv.gz": lambda records: gzip.compress(csv_text(records), mtime=0),
    ".parquet": parquet,
}


@pytest.mark.parametrize("ending", FORMS)
def test_every_form_of_a_file_gives_the_same_items(tmp_path, ending):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "gsm8k_test.jsonl").write_bytes(lines(RECORDS))
    content = FORMS[ending](RECORDS)
    (tmp_path / f"gsm8k_test{ending}").write_bytes(content)
    items = benchmark("gsm8k", data_dir=tmp_path)
    assert [(item.id, item.question, item.answer) for item in items] == [
        (item.id, item.question, item.answer) for item in benchmark("gsm8k", data_dir=tmp_path / "plain")
    ]
    source = {"file": f"gsm8k_test{ending}", "sha256": sha256(content).hexdigest()}
    assert all(item.meta["source"] == source for item in items)


def test_items_are_what_evaluation_needs(tmp_path):
    (tmp_path / "gsm8k_test.jsonl").write_bytes(lines(RECORDS))
    items = benchmark("gsm8k", split="test", n=2, start=1, data_dir=tmp_path)
    assert [item.question for item in items] == ["What is 1+1?", "What is 2+1?"]
    assert score(items[0].scorer, r"It is \boxed{2}.", items[0].answer).outcome == "correct"
    assert items[0].meta["benchmark"] == "gsm8k" and items[0].meta["index"] == 1
    json.dumps(items[0].meta)


def test_the_variable_names_the_folder_unless_one_is_given(tmp_path, monkeypatch):
    (tmp_path / "gsm8k_test.jsonl").write_bytes(lines(RECORDS))
    monkeypatch.setenv("MASREPRO_DATA", str(tmp_path))
    assert len(benchmark("gsm8k")) == 5
    assert data_folder(None, {}) is None
    (tmp_path / "own").mkdir()
    assert data_folder(tmp_path / "own", {"MASREPRO_DATA": str(tmp_path)}) == tmp_path / "own"
    with pytest.raises(DataError, match="nowhere is not there"):
        benchmark("gsm8k", data_dir=tmp_path / "nowhere")


def test_ids_depend_on_content_only(tmp_path):
    (tmp_path / "gsm8k_test.jsonl").write_bytes(lines(reversed(RECORDS)))
    (tmp_path / "gsm8k_train.jsonl").write_bytes(lines(RECORDS))
    program = (
        "from masrepro.bench import benchmark; import sys\n"
        "print(*[item.id for item in benchmark('gsm8k', split='train', data_dir=sys.argv[1])])"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    command = [sys.executable, "-c", program, str(tmp_path)]
    out = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert out[0] == "gsm8k-cdaf9bb9f2caed98"
    assert out == [item.id for item in benchmark("gsm8k", data_dir=tmp_path)][::-1]


def test_a_question_that_occurs_twice_gives_two_ids(tmp_path):
    other = {**RECORDS[0], "answer": "#### 100"}
    (tmp_path / "gsm8k_test.jsonl").write_bytes(lines([RECORDS[0], other, RECORDS[0], RECORDS[0]]))
    ids = [item.id for item in benchmark("gsm8k", data_dir=tmp_path)]
    assert ids[1] != ids[0] and ids[2:] == [f"{ids[0]}-2", f"{ids[0]}-3"]


def test_one_file_may_hold_several_splits(tmp_path):
    records = [
        {"task_id": task, "text": f"Task {task}.", "code": "x = 1", "test_list": ["assert x"]}
        for task in (10, 11, 510, 511, 601)
    ]
    (tmp_path / "mbpp.jsonl").write_bytes(lines(records))
    tasks = {
        split: [item.meta["source_id"] for item in load("mbpp", split=split, data_dir=tmp_path)]
        for split in ("test", "validation", "train")
    }
    assert tasks == {"test": ["11", "510"], "validation": ["511"], "train": ["601"]}


def test_options_are_the_same_on_resume(tmp_path):
    head = "Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3,Record ID\n"
    rows = "".join(f'"Line one\nof {number}?",right,a,b,c,rec{number}\n' for number in range(6))
    (tmp_path / "gpqa_diamond.csv").write_text(head + rows)
    items = benchmark("gpqa-diamond", data_dir=tmp_path)
    assert items[3:5] == benchmark("gpqa-diamond", n=2, start=3, data_dir=tmp_path)
    assert len(items) == 6 and all(f"({item.answer}) right" in item.question for item in items)


BAD_FILES = [
    ("gsm8k_test.jsonl", b'{"question": "Q?"}\n\n{"question": "Q?", "answer": "12"}\n', "gsm8k_test.jsonl, line 1"),
    ("gsm8k_test.jsonl", b'{"question": "Q?"}\n\n{"question": "Q?", "answer": "12"}\n', "line 3: 'answer' must end"),
    ("gsm8k_test.jsonl", b'{"question": "Q?", "answer": "#### 1"}\n{"quest', "line 2: not JSON"),
    ("gsm8k_test.jsonl", b"[1]\n", "line 1: not an object"),
    ("gsm8k_test.jsonl", b'{"question": "\xff"}\n', "line 1: not UTF-8"),
    ("gsm8k_test.jsonl", b"", "holds no record of gsm8k, split test"),
    ("gsm8k_test.json", b"{}", "must hold a list of objects"),
    ("gsm8k_test.json", b"[{}]", "record 1: 'answer' is missing; the record has no keys"),
    ("gsm8k_test.jsonl.gz", b"plain", "cannot be read"),
    ("gsm8k_test.jsonl.gz", gzip.compress(lines(RECORDS), mtime=0)[:-20], "cannot be read"),
    ("gsm8k_test.csv", b"question,answer\na,b,c\n", "line 2: not as many fields"),
    ("gsm8k_test.csv", b"question,answer\na\n", "line 2: not as many fields"),
    ("gsm8k_test.jsonl", b'{"question": "Q?"}\n' * 8, "and 3 more"),
    ("humaneval.jsonl", b"[" * 100_000, "line 1: not JSON"),
]


@pytest.mark.parametrize(("file", "content", "told"), BAD_FILES)
def test_bad_data_is_one_error_with_file_line_and_key(tmp_path, file, content, told):
    (tmp_path / file).write_bytes(content)
    with pytest.raises(DataError, match=re.escape(told)) as caught:
        benchmark(file.split(".")[0].removesuffix("_test"), data_dir=tmp_path)
    assert file in str(caught.value)


def test_broken_parquet_is_said(tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: no Parquet")
    (tmp_path / "gsm8k_test.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match="not Parquet"):
        benchmark("gsm8k", data_dir=tmp_path)


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "gsm8k_test.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match="pip install pyarrow"):
        benchmark("gsm8k", data_dir=tmp_path)


def test_a_source_id_may_not_be_repeated(tmp_path):
    record = {"_id": "7", "question": "Q?", "answer": "no"}
    (tmp_path / "hotpotqa_fullwiki.jsonl").write_bytes(lines([record, {**record, "question": "R?"}]))
    with pytest.raises(DataError, match="line 2: id '7' is that of line 1, too"):
        benchmark("hotpotqa/fullwiki", data_dir=tmp_path)


def test_records_known_to_state_no_truth_are_left_out_and_no_others(tmp_path):
    known = [{"problem": "P?", "answer": "", "solution": ""}] * 6
    file = tmp_path / "deepscaler.json"
    file.write_text(json.dumps([*known, {"problem": "P?", "answer": "7"}]))
    assert [item.answer for item in benchmark("deepscaler", split="train", data_dir=tmp_path)] == ["7"]
    file.write_text(json.dumps([*known, *known[:1], {"problem": "P?", "answer": "7"}]))
    with pytest.raises(DataError, match="record 7: 'answer' is missing or empty"):
        benchmark("deepscaler", split="train", data_dir=tmp_path)


def test_more_records_than_the_benchmark_has_are_another_data_set(tmp_path):
    (tmp_path / "aime24.jsonl").write_bytes(lines({"problem": f"{n}?", "answer": n} for n in range(31)))
    with pytest.raises(DataError, match=r"aime24.jsonl holds 31 records; aime24, split test, has 30"):
        benchmark("aime24", data_dir=tmp_path)


def test_two_copies_of_a_file_are_not_chosen_between(tmp_path):
    for ending in (".jsonl", ".json"):
        (tmp_path / f"gsm8k_test{ending}").write_bytes(FORMS[ending](RECORDS))
    with pytest.raises(DataError, match=r"gsm8k_test.jsonl and gsm8k_test.json are both in"):
        benchmark("gsm8k", data_dir=tmp_path)


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("gsm8k", {"n": 6}, "items 0 to 6 were asked for; gsm8k_test.jsonl holds 5"),
        ("gsm8k", {"start": 6}, "items 6 to 5 were asked for"),
        ("gsm8k", {"start": -1}, "items -1 to 5"),
        ("gsm8k", {"split": "dev"}, "gsm8k has no split 'dev'; it has test and train"),
        ("deepscaler", {}, "deepscaler has no split 'test'; it has train"),
        ("gsm8k", {"revision": "main"}, "give one of them"),
        ("masbench/depth/4", {}, "say how many items"),
    ],
)
def test_what_cannot_be_given_is_said(tmp_path, name, options, told):
    (tmp_path / "gsm8k_test.jsonl").write_bytes(lines(RECORDS))
    with pytest.raises(ValueError, match=re.escape(told)):
        benchmark(name, data_dir=tmp_path, **options)


def test_unknown_benchmark_lists_the_public_ones():
    with pytest.raises(ValueError, match=r"no benchmark 'gsm9k'.*gsm8k, deepscaler"):
        benchmark("gsm9k")
