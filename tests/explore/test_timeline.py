"""What ran when: a bar an act, and the path that decided how long it took."""

from __future__ import annotations

from xml.etree import ElementTree

from masrepro.explore.timeline import critical_path, timeline_rows, timeline_svg
from masrepro.runtime.trace import Span, Trace

SVG = "{http://www.w3.org/2000/svg}"


def act(id, agent, start_s, end_s, inputs=(), **more):
    return Span(id, None, agent, more.pop("kind", "agent"), None, start_s, end_s, inputs=inputs, text="7", **more)


FAST, SLOW = act(0, "fast", 0.0, 1.0), act(1, "slow", 0.0, 3.0)
SINK = act(2, "sink", 3.0, 4.0, ("fast", "slow"))


def test_the_critical_path_is_what_the_end_waited_for():
    assert critical_path(Trace([FAST, SLOW, SINK])) == (SLOW, SINK)
    assert critical_path(Trace()) == ()


def test_a_repair_is_on_the_path_of_what_it_let_go_on():
    failed = act(1, "slow", 0.0, 3.0, error="Unavailable: 503")
    repair = act(3, "<rectifier>", 3.0, 3.5, kind="repair")
    again = act(4, "slow", 3.5, 5.0, attempt=1)
    end = act(5, "sink", 5.0, 6.0, ("fast", "slow"), attempt=1)
    assert critical_path(Trace([FAST, failed, repair, again, end])) == (failed, repair, again, end)


def test_every_act_has_a_bar_within_the_picture_and_those_of_the_path_are_filled():
    root = ElementTree.fromstring(timeline_svg(Trace([FAST, SLOW, SINK])))
    bars = list(root.iter(f"{SVG}rect"))
    assert [bar.get("fill") == "#fff" for bar in bars] == [True, False, False]
    assert all(float(bar.get("x")) + float(bar.get("width")) <= float(root.get("width")) for bar in bars)
    said = " ".join(text.text for text in root.iter(f"{SVG}text"))
    assert "slow → sink" in said


def test_rows_are_in_the_order_in_which_acts_began():
    rows = timeline_rows(Trace([SINK, SLOW, FAST]))
    assert [(row["who"], row["critical"]) for row in rows] == [("fast", ""), ("slow", "yes"), ("sink", "yes")]


def test_a_run_without_acts_says_so():
    assert "Nothing was run" in timeline_svg(Trace())
