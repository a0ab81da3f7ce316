from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from masrepro.lab.file import is_locked, write_atomic
from masrepro.lab.params import FiveAxesParams, StartHereParams
from masrepro.lab.provenance import provenance
from masrepro.lab.run_folder import Opened, RunFolder, complete_run, open_folder, run_folders
from masrepro.models.model import Usage

PARAMS = StartHereParams(profile="smoke")


def opened(outputs: Path, source: str = "code-1", **changes: Any) -> Opened:
    arguments: dict[str, Any] = {"params": PARAMS, "provenance": lambda: {"commit": None}, **changes}
    return open_folder(outputs, "00_start_here", source=source, **arguments)


def end(run: Opened, status: Any = "running") -> None:
    run.folder.update(status=status)
    run.lock.release()


def test_a_new_run_has_a_record_and_a_lock(tmp_path: Path) -> None:
    run = opened(tmp_path)
    assert not run.resumed and run.why == "a new run"
    assert run.folder.path.parent == tmp_path / "00_start_here"
    assert run.folder.run_id.endswith(PARAMS.content_hash[:8])
    record = run.folder.read()
    assert (record["status"], record["params"], record["seed"]) == ("running", PARAMS.values(), 1)
    assert run.folder.status == "running"
    run.lock.release()
    assert run.folder.status == "interrupted"


@pytest.mark.parametrize("status", ["running", "interrupted", "incomplete", "failed"])
def test_an_unfinished_run_of_the_same_params_and_code_is_resumed(tmp_path: Path, status: str) -> None:
    first = opened(tmp_path)
    end(first, status)
    again = opened(tmp_path)
    assert again.resumed and again.folder == first.folder
    assert again.folder.read()["status"] == "running" and len(again.folder.read()["resumed"]) == 1


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"source": "code-2"}, "is unfinished, but the code has changed since"),
        ({"fresh": True}, "as --fresh asks"),
        ({"params": StartHereParams(profile="smoke", seed=2)}, "a new run"),
    ],
)
def test_it_is_not_resumed_when_code_or_params_differ_or_when_asked_to(
    tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    first = opened(tmp_path)
    end(first)
    again = opened(tmp_path, **changes)
    assert not again.resumed and again.folder != first.folder
    assert again.why.endswith(why)
    assert not is_locked(first.folder.path / ".run.lock")


def test_a_run_that_still_goes_on_is_left_alone(tmp_path: Path) -> None:
    first = opened(tmp_path)
    second = opened(tmp_path)
    assert second.folder != first.folder and "still running" in second.why


def test_a_complete_run_is_not_opened_again_but_found(tmp_path: Path) -> None:
    first = opened(tmp_path)
    assert complete_run(tmp_path, "00_start_here", PARAMS.content_hash, "code-1") is None
    end(first, "complete")
    assert complete_run(tmp_path, "00_start_here", PARAMS.content_hash, "code-1") == first.folder
    assert complete_run(tmp_path, "00_start_here", PARAMS.content_hash, "code-2") is None
    second = opened(tmp_path)
    assert second.folder != first.folder and "is complete" in second.why
    assert list(run_folders(tmp_path, "00_start_here")) == [second.folder, first.folder]


def test_a_folder_without_a_record_is_no_run(tmp_path: Path) -> None:
    (tmp_path / "00_start_here" / "20990101T000000Z-aaaaaaaa").mkdir(parents=True)
    assert list(run_folders(tmp_path, "00_start_here")) == []
    assert not opened(tmp_path).resumed


def test_many_runs_at_once_each_get_a_folder(tmp_path: Path) -> None:
    runs: list[Opened] = []
    threads = [threading.Thread(target=lambda: runs.append(opened(tmp_path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({run.folder for run in runs}) == 8


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    texts = [json.dumps({"fill": letter * 200_000}) for letter in "ab"]
    write_atomic(path, texts[0])
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            for text in texts:
                write_atomic(path, text)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(200):
        assert path.read_text() in texts
    stop.set()
    writer.join()
    assert [left.name for left in tmp_path.iterdir()] == ["run.json"]


def test_spend_and_time_are_put_on_record(tmp_path: Path) -> None:
    folder = opened(tmp_path).folder
    folder.record_spend(Usage(2, 3, 4, None), 2)
    folder.close("failed", "why", 1.2)
    folder.close("complete", None, 2.5)
    record = folder.read()
    assert (record["calls"], record["cost_usd"], record["seconds"]) == (2, "unknown", 3.7)
    assert (record["status"], record["reason"]) == ("complete", None)


def test_files_written_through_the_folder_hold_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIXTURE_API_KEY", "swordfish")
    folder = opened(tmp_path).folder
    folder.write("note.txt", "the key is swordfish")
    folder.update(reason="refused: swordfish")
    assert (folder.path / "note.txt").read_text() == "the key is [FIXTURE_API_KEY]"
    assert folder.read()["reason"] == "refused: [FIXTURE_API_KEY]"


def test_provenance_names_code_and_machine_but_no_host_user_or_path() -> None:
    root = Path(__file__).parents[2]
    found = provenance(root)
    assert found["versions"]["python"] and found["versions"]["pydantic"]
    assert found["hardware"]["cores"] >= 1 and found["hardware"]["memory_gib"] > 0
    assert str(root) not in json.dumps(found)
    assert provenance(root / "masrepro")["commit"] is None, "a folder inside some repository is not that repository"


def test_params_that_mean_the_same_hash_the_same() -> None:
    assert FiveAxesParams(axes={"depth": (2,), "parallel": (3,)}).content_hash == (
        FiveAxesParams(axes={"parallel": (3,), "depth": (2,)}).content_hash
    )
    assert RunFolder(Path("outputs/00_start_here/x")).name == "00_start_here"
