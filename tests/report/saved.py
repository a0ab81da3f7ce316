"""Runs as notebooks save them, for tests of what is made of them."""

import json

RECORD = {
    "status": "complete",
    "params_hash": "a",
    "params": {},
    "source_hash": "s",
    "calls": 1234,
    "prompt_tokens": 10,
    "completion_tokens": 20,
    "cost_usd": "0",
    "seconds": 90.0,
    "seed": 1,
    "commit": "0123456789abcdef",
    "dirty": False,
}
CLAIM = {
    "claim": "The single agent's accuracy <falls> with Depth",
    "where": "MAS-Orchestra, figure 3",
    "published": "0.49",
    "ours": "0.9 [0.8, 1.0]",
    "verdict": "not comparable: desk models",
}
SVG = (
    '<?xml version="1.0"?><!DOCTYPE svg><svg width="10" height="10"><metadata><a href="http://purl.org/x"/></metadata>'
    '<title>A figure</title><desc>It falls.</desc><g id="axes_1"><path id="p" d="M 1.23456 2"/>'
    '<use xlink:href="#p"/></g></svg>'
)


def save_run(outputs, run_id="20260101T000000Z-a", *, name="01_five_axes", profile="desk", results=None, **record):
    """A run's folder with one claim, one figure and one table, or with other results; returns it."""
    folder = outputs / name / run_id
    folder.mkdir(parents=True)
    own = {**RECORD, "name": name, "run_id": run_id, "profile": profile, **record}
    (folder / "run.json").write_text(json.dumps(own))
    (folder / "figure.svg").write_text(SVG)
    (folder / "table.csv").write_text("axis,accuracy\ndepth,0.123456\n")
    (folder / "table.md").write_text("| axis | accuracy |\n")
    saved = {"title": "One", "claims": [CLAIM], "figures": ["figure.svg"], "tables": ["table.md"], **(results or {})}
    (folder / "results.json").write_text(json.dumps(saved))
    return folder
