from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from masrepro.lab.file import Locked
from masrepro.lab.sample import Key, Sample
from masrepro.lab.sample_store import BrokenStore, SampleStore, read_samples
from masrepro.models.model import Message, Usage
from masrepro.runtime.trace import Span, Trace

USAGE = Usage(2, 30, 7, Decimal("0.00012"))
TRACE = Trace([Span(0, None, "a1", "call", "m", 0.0, 0.5, USAGE, (), (Message("user", "why?\u2028\x85"),), 256, "4")])


def sample(item_id: str, repeat: int = 0, **changes: object) -> Sample:
    made = Sample("s", "b/1", item_id, repeat, "correct", "4", "4", "4", usage=USAGE, trace=TRACE)
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"outcome": "error", "answer": None, "extracted": None, "error": "HTTP 429"},
        {"usage": Usage(1, 2, 3, None)},
        {"extracted": ("1", None, "3"), "gold": ("1", "2", "3"), "outcome": "unparsed"},
        {"answer": 'next line\x85 line separator\u2028 quote" brace{ emoji \U0001f600 lone \ud800 null \x00'},
        {"scorer": "judge", "notes": ("a reply\u2028", "b"), "scoring_usage": Usage(1, 9, 2, None), "rescored": True},
        {"n_agents": 3, "longest_chain": 2, "orchestration": "create_agent()", "orchestration_hash": "ab"},
    ],
)
def test_a_sample_comes_back_from_its_line(changes: dict[str, object]) -> None:
    line = sample("i", **changes).to_json()
    assert line.isascii() and len(line.splitlines()) == 1
    assert Sample.from_json(line) == sample("i", **changes)


def test_a_record_from_before_there_were_judges_is_read() -> None:
    record = json.loads(sample("i").to_json())
    for name in ("scorer", "notes", "scoring_usage", "rescored"):
        del record[name]
    assert Sample.from_json(json.dumps(record)) == sample("i")


def test_samples_survive_and_the_last_of_a_key_wins(tmp_path: Path) -> None:
    with SampleStore(tmp_path) as store:
        store.append(sample("1", outcome="error", error="HTTP 429"))
        store.append(sample("2"))
        store.append(sample("2", repeat=1))
        assert store.finished(Key("s", "b/1", "1", 0)) is None
    with SampleStore(tmp_path) as store:
        assert store.finished(Key("s", "b/1", "1", 0)) is None
        assert store.finished(Key("s", "b/1", "2", 0)) == sample("2")
        assert store.finished(Key("other", "b/1", "2", 0)) is None
        store.append(sample("1"))
        assert store.samples == (sample("1"), sample("2"), sample("2", repeat=1))
        assert store.spent == Usage(8, 120, 28, Decimal("0.00048"))
    assert len((tmp_path / "samples.jsonl").read_bytes().splitlines()) == 4


@pytest.mark.parametrize("cut", [1, 2, 40, 200])
def test_a_torn_last_line_is_moved_aside_and_its_sample_run_again(tmp_path: Path, cut: int) -> None:
    with SampleStore(tmp_path) as store:
        store.append(sample("1"))
        store.append(sample("2", answer="line\u2028separator\x85"))
    path = tmp_path / "samples.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert [found.item_id for found in read_samples(path)] == ["1"]
    with SampleStore(tmp_path) as store:
        assert store.repaired
        # A line that lacks nothing but its end is whole.
        assert (store.finished(Key("s", "b/1", "2", 0)) is None) == (cut > 1)
        store.append(sample("3"))
    with SampleStore(tmp_path) as store:
        assert not store.repaired
        assert [found.item_id for found in store.samples] == (["1", "2", "3"] if cut == 1 else ["1", "3"])
    assert (tmp_path / "samples.jsonl.torn").exists() == (cut > 1)


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(f"{sample('1').to_json()}\n{{}}\n{sample('2').to_json()}\n")
    with pytest.raises(BrokenStore, match=r"samples.jsonl, line 2: .*delete that line"):
        SampleStore(tmp_path)
    path.write_text(sample("1").to_json().replace('"correct"', '"splendid"') + "\n")
    with pytest.raises(BrokenStore, match="line 1: unknown outcome 'splendid'"):
        SampleStore(tmp_path)


def test_a_secret_never_reaches_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIXTURE_API_KEY", 'quo"ted-swordfish')
    with SampleStore(tmp_path) as store:
        store.append(sample("1", outcome="error", error='401: invalid key quo"ted-swordfish'))
    assert "swordfish" not in (tmp_path / "samples.jsonl").read_text()
    (found,) = read_samples(tmp_path / "samples.jsonl")
    assert found.error == "401: invalid key [FIXTURE_API_KEY]"


def test_there_is_one_writer_at_a_time(tmp_path: Path) -> None:
    waited = []
    with SampleStore(tmp_path), pytest.raises(Locked, match="in use"):
        SampleStore(tmp_path, wait_s=0.2, on_wait=lambda: waited.append(True))
    assert waited == [True]
    SampleStore(tmp_path, wait_s=0.0).close()


def test_a_writer_waits_for_a_process_that_is_about_to_end(tmp_path: Path) -> None:
    hold = "import sys, time, pathlib; from masrepro.lab.sample_store import SampleStore; "
    hold += "store = SampleStore(pathlib.Path(sys.argv[1])); print('held', flush=True); time.sleep(1)"
    holder = subprocess.Popen([sys.executable, "-c", hold, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    waited = []
    SampleStore(tmp_path, on_wait=lambda: waited.append(True)).close()
    assert waited == [True]
    assert holder.wait() == 0
