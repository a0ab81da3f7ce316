"""The report page: from saved runs alone, self-contained, honest about its profile."""

import json
from html.parser import HTMLParser

import pytest

from masrepro.report.page import write_report

RECORD = {
    "status": "complete",
    "params_hash": "a",
    "name": "01_five_axes",
    "calls": 1234,
    "prompt_tokens": 10,
    "completion_tokens": 20,
    "cost_usd": "0",
    "seed": 1,
    "commit": "0123456789abcdef",
    "dirty": False,
}
CLAIM = {
    "claim": "It <falls>",
    "where": "figure 3",
    "published": "0.49",
    "ours": "0.9 [0.8, 1.0]",
    "verdict": "consistent",
}


class Links(HTMLParser):
    """What a page would fetch or follow."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("src", "href") and not (value or "").startswith("#")]


def save_run(outputs, run_id, *, profile="desk", title="One", **record):
    folder = outputs / "01_five_axes" / run_id
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({**RECORD, "run_id": run_id, "profile": profile, **record}))
    (folder / "figure.svg").write_text('<?xml version="1.0"?><!DOCTYPE svg><svg><title>t</title></svg>')
    (folder / "results.json").write_text(json.dumps({"title": title, "claims": [CLAIM], "figures": ["figure.svg"]}))


def test_page_shows_the_newest_complete_run_of_the_profile(tmp_path):
    save_run(tmp_path, "20260101T000000Z-a", title="Old")
    save_run(tmp_path, "20260102T000000Z-a", title="Newest complete")
    save_run(tmp_path, "20260103T000000Z-a", title="Failed", status="failed")
    save_run(tmp_path, "20260104T000000Z-a", title="Other profile", profile="smoke")
    page = write_report(tmp_path, "desk").read_text()
    assert "Newest complete" in page
    assert not any(title in page for title in ("Old", "Failed", "Other profile"))
    assert "It &lt;falls&gt;" in page
    assert "python -m masrepro run 01_five_axes --profile desk" in page
    assert "<?xml" not in page and page.count("<svg") == 1


def test_page_needs_no_network(tmp_path):
    save_run(tmp_path, "20260101T000000Z-a")
    links = Links()
    links.feed(write_report(tmp_path, "desk").read_text())
    assert links.found == ["01_five_axes/20260101T000000Z-a"]


@pytest.mark.parametrize(("profile", "warned"), [("smoke", True), ("desk", False)])
def test_smoke_page_says_that_its_numbers_are_no_results(tmp_path, profile, warned):
    save_run(tmp_path, "20260101T000000Z-a", profile=profile)
    assert ("None of these numbers is a" in write_report(tmp_path, profile).read_text()) is warned


def test_page_without_runs_says_so(tmp_path):
    assert "No complete run" in write_report(tmp_path, "desk").read_text()
