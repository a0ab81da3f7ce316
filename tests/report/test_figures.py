"""Figures as SVG: nothing is wider than the picture, and steps are counted in whole numbers."""

import re
from itertools import pairwise

from masrepro.report.figures import Figure, Panel, Series


def texts(svg):
    return [re.sub(r"\s+", " ", text) for text in re.findall(r"<text[^>]*>([^<]+)</text>", svg)]


def curve(label, n):
    return Series(label, tuple(map(float, range(1, n + 1))), (0.5,) * n, marked=False)


def drawn(title, labels, n=20):
    series = tuple(curve(label, n) for label in labels)
    return Figure(title, "reward", (Panel("Training", "step", series),), "alt").svg()


def test_a_long_title_is_broken_into_lines():
    title = "The edge of competence: what the oracle's division of labour is worth to each of the solvers"
    heading = [text for text in texts(drawn(title, ["x y z"])) if text in title]
    assert " ".join(heading) == title
    assert max(map(len, heading)) <= 50


def test_long_labels_stand_below_one_another():
    svg = drawn("Title", [f"{name} with a long description of itself" for name in ("one", "two", "three")])
    places = re.findall(r"translate\(([\d.]+) [\d.]+\)[^>]*>(?:one|two|three) with", svg)
    places = places or re.findall(r'x="([\d.]+)"[^>]*>(?:one|two|three) with', svg)
    assert len(places) == 3
    assert len(set(places)) == 1


def test_ticks_of_steps_are_whole_numbers():
    for n in (3, 20, 60):
        ticks = [text for text in texts(drawn("Title", ["a"], n)) if re.fullmatch(r"\d+(\.\d+)?", text)]
        assert not [tick for tick in ticks if "." in tick and float(tick) > 1.05]


def test_the_narrow_form_has_a_panel_a_row_and_loses_none():
    panels = tuple(Panel(title, "x", (curve("a", 3),)) for title in ("First", "Second", "Third"))
    figure = Figure("Title", "share", panels, "alt")
    wide, narrow = (
        [float(size) for size in re.findall(r'(?:width|height)="([\d.]+)pt"', form)]
        for form in (figure.svg(), figure.narrow())
    )
    assert narrow[0] < wide[0] / 2 and narrow[1] > 2 * wide[1]
    assert {"First", "Second", "Third"} <= set(texts(figure.narrow()))


def test_names_of_points_that_coincide_stand_below_one_another():
    one = Series("a", (1.0, 1.0), (0.3, 0.3), joined=False, names=("first of all", "second of all"))
    other = Series("b", (1.0, 9.0), (0.3, 0.3), style=1, joined=False, names=("third of all", "far away"))
    svg = Figure("Title", "share", (Panel("Cost", "calls", (one, other), log_x=True),), "alt").svg()
    heights = {
        name: float(re.search(rf'(?:y="|translate\([\d.]+ )([\d.]+)[^>]*>{name}', svg)[1])
        for name in ("first of all", "second of all", "third of all", "far away")
    }
    stacked = sorted(heights[name] for name in heights if name != "far away")
    assert min(b - a for a, b in pairwise(stacked)) >= 8
    assert heights["far away"] == heights["first of all"]
