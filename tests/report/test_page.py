"""The report page: from saved runs alone, self-contained, honest about its profile and its gaps."""

import json
import re
from html.parser import HTMLParser

import pytest
from saved import CLAIM, SVG, save_run

from masrepro.report.page import write_report


class Page(HTMLParser):
    """What a page would fetch, what it links to, its pictures, and its rows by the labels of their cells."""

    def __init__(self, text):
        super().__init__()
        self.fetched, self.linked, self.ids, self.pictures, self.rows = [], [], [], [], []
        self._open = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.fetched += [attributes[name] for name in ("src", "srcset", "data", "xlink:href") if name in attributes]
        if "href" in attributes:
            (self.linked if tag == "a" else self.fetched).append(attributes["href"])
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag in ("svg", "img"):
            self.pictures.append({**attributes, "title": attributes.get("alt", "")})
        if tag == "tr" and "claim" in (attributes.get("class") or "").split():
            self.rows.append({})
        self._open.append((tag, attributes))

    def handle_endtag(self, tag):
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        tags = [tag for tag, _ in self._open]
        if tags[-1:] == ["title"] and "svg" in tags:
            self.pictures[-1]["title"] += data
        label = next((a["data-label"] for _, a in reversed(self._open) if "data-label" in a), None)
        if label and self.rows:
            self.rows[-1][label] = self.rows[-1].get(label, "") + data


def page_of(outputs, profile="desk"):
    return Page(write_report(outputs, profile).read_text(encoding="utf-8"))


def test_page_shows_the_newest_complete_run_of_the_profile(tmp_path):
    save_run(tmp_path, "20260101T000000Z-a", results={"title": "Old"})
    save_run(tmp_path, "20260102T000000Z-a", results={"title": "Newest complete"})
    save_run(tmp_path, "20260103T000000Z-a", results={"title": "Failed"}, status="failed")
    save_run(tmp_path, "20260104T000000Z-a", results={"title": "Other profile"}, profile="smoke")
    page = write_report(tmp_path, "desk").read_text(encoding="utf-8")
    assert "Newest complete" in page
    assert not any(title in page for title in ("Old", "Failed", "Other profile"))
    assert "&lt;falls&gt;" in page


def test_page_needs_no_network(tmp_path):
    save_run(tmp_path)
    text = write_report(tmp_path, "desk").read_text(encoding="utf-8")
    page = Page(text)
    assert all(address.startswith("#") for address in page.fetched)
    assert not any(address.startswith(("http", "//")) for address in page.linked)
    assert "@import" not in text and not re.findall(r"url\((?!#)", text)
    assert "<script" not in text and "<?xml" not in text


def test_every_link_leads_somewhere(tmp_path):
    save_run(tmp_path)
    page = page_of(tmp_path)
    for address in page.linked:
        assert address[1:] in page.ids if address.startswith("#") else (tmp_path / address).exists(), address


def test_every_picture_says_what_it_shows(tmp_path):
    save_run(tmp_path, results={"figures": ["figure.svg", "bare.svg"]})
    (tmp_path / "01_five_axes/20260101T000000Z-a/bare.svg").write_text("<svg><g/></svg>")
    (tmp_path / "01_five_axes/20260101T000000Z-a/figure.narrow.svg").write_text(SVG)
    page = page_of(tmp_path)
    assert [picture["title"] for picture in page.pictures] == ["A figure", "A figure", "01_five_axes: bare"]
    assert all(picture["role"] == "img" for picture in page.pictures)


def test_figures_share_no_ids(tmp_path):
    save_run(tmp_path, results={"figures": ["figure.svg", "figure.svg"]})
    save_run(tmp_path, name="02_masbench")
    ids = page_of(tmp_path).ids
    assert len(ids) == len(set(ids))


def test_only_a_wide_figure_without_a_narrow_form_scrolls(tmp_path):
    folder = save_run(tmp_path, results={"figures": ["small.svg", "wide.svg", "both.svg"]})
    for name, width in (("small.svg", 446), ("wide.svg", 960), ("both.svg", 960), ("both.narrow.svg", 446)):
        (folder / name).write_text(f'<svg width="{width}"></svg>')
    page = write_report(tmp_path, "desk").read_text(encoding="utf-8")
    assert re.findall(r"<figure[^>]*>", page) == ["<figure>", '<figure class="fixed">', '<figure class="reflows">']
    assert page.count("scroll sideways") == 1


def test_every_row_has_its_parts(tmp_path):
    save_run(tmp_path)
    rows = page_of(tmp_path).rows
    assert len(rows) > 20
    for row in rows:
        assert all(row[part].strip() for part in ("claim", "published", "here", "verdict", "evidence"))
    (ours,) = [row for row in rows if CLAIM["claim"] in row["claim"]]
    assert ours["here"] == CLAIM["ours"]
    assert "not comparable" in ours["verdict"] and "desk models" in ours["verdict"]
    assert "python -m masrepro run 01_five_axes --profile desk" in ours["evidence"]


def test_claims_that_no_run_has_measured_are_there_as_gaps(tmp_path):
    save_run(tmp_path)
    gaps = [row for row in page_of(tmp_path).rows if "not run" in row["verdict"]]
    assert {"not measured"} == {row["here"] for row in gaps}
    assert any("Breadth" in row["claim"] and "0.239" in row["published"] for row in gaps)
    assert any("13_mas2_ablations" in row["evidence"] for row in gaps)


@pytest.mark.parametrize(("profile", "warned"), [("smoke", True), ("desk", False)])
def test_smoke_page_says_that_its_numbers_are_no_results(tmp_path, profile, warned):
    save_run(tmp_path, profile=profile)
    page = write_report(tmp_path, profile).read_text(encoding="utf-8")
    assert ("unfit for comparison" in page) is warned


def test_page_without_runs_says_so_and_still_lists_the_claims(tmp_path):
    page = write_report(tmp_path, "desk").read_text(encoding="utf-8")
    assert "No complete run of this profile yet" in page
    assert {"not measured"} == {row["here"] for row in Page(page).rows}


def test_a_notebook_that_never_came_to_its_end_says_how_it_ended(tmp_path):
    save_run(tmp_path, status="failed", reason="code cell 3 of 9 raised ValueError")
    page = write_report(tmp_path, "desk").read_text(encoding="utf-8")
    assert "its newest run is failed: code cell 3 of 9 raised ValueError" in page


@pytest.mark.parametrize(
    ("results", "told"),
    [
        (None, "results.json cannot be read"),
        ("{half", "results.json cannot be read"),
        (
            {"claims": [{"claim": "It falls", "verdict": "consistent"}]},
            "a claim lacks where, published, ours: It falls",
        ),
        ({"figures": ["lost.svg"]}, "lost.svg cannot be shown: No such file"),
        ({"figures": ["table.md"]}, "table.md cannot be shown: holds no"),
        ({"tables": ["lost.md"]}, "lost.md cannot be shown: No such file"),
    ],
    ids=["missing", "torn", "claim without parts", "figure missing", "figure that is none", "table missing"],
)
def test_what_cannot_be_read_is_a_line_and_no_crash(tmp_path, results, told):
    folder = save_run(tmp_path, results=results if isinstance(results, dict) else None)
    if results is None:
        (folder / "results.json").unlink()
    elif isinstance(results, str):
        (folder / "results.json").write_text(results)
    save_run(tmp_path, name="10_mas2_runtime", results={"title": "The other run"})
    page = write_report(tmp_path, "desk").read_text(encoding="utf-8")
    assert told in page
    assert "The other run" in page


def test_an_unknown_kind_of_verdict_is_shown_as_it_is(tmp_path):
    save_run(tmp_path, results={"claims": [{**CLAIM, "verdict": "undecided: two seeds"}]})
    page = write_report(tmp_path, "desk").read_text(encoding="utf-8")
    assert "1 undecided" in page and "two seeds" in page


def test_the_executed_notebook_becomes_a_page_that_waits_for_no_network(tmp_path):
    folder = save_run(tmp_path)
    output = {"output_type": "display_data", "metadata": {}, "data": {"image/svg+xml": SVG, "text/plain": "x"}}
    cell = {"cell_type": "code", "source": "", "metadata": {}, "execution_count": 1, "outputs": [output]}
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]}
    (folder / "notebook.ipynb").write_text(json.dumps(notebook))
    assert "01_five_axes/20260101T000000Z-a/notebook.html" in page_of(tmp_path).linked
    made = (folder / "notebook.html").read_text(encoding="utf-8")
    assert not re.findall(r'<(?:script|link|img)[^>]*\b(?:src|href)="(?:https?:)?//', made)
